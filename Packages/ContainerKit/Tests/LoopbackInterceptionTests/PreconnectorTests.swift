// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting
import WebSyntax

@testable import LoopbackInterception

@MainActor
@Suite("Preconnections", .timeLimit(.minutes(2)))
struct PreconnectorTests {
    private let clock = ManualClock()
    private let preconnector: Preconnector
    private let view = FakeView(id: ViewID(rawValue: 1))

    init() {
        preconnector = Preconnector(clock: clock)
        view.onEvaluate = { [preconnector] script in
            for origin in FakeView.origins(in: script) {
                guard let host = HostPort(origin.dropFirst("https://".count), defaultPort: 443) else { continue }
                preconnector.engineDidConnect(to: host)
            }
        }
    }

    private func open(_ url: String, _ mode: InterceptionMode = .loopbackProxy, id: UInt64 = 1) {
        preconnector.pageDidOpen(
            PageSession(
                id: PageID(rawValue: id), documentURL: url, view: ViewID(rawValue: id), mode: mode, generations: []))
    }

    @Test("At most four origins are used: those of the last proxy pages first, without duplicates")
    func origins() async {
        open("https://old.example/")
        for name in ["a", "b", "c"] { open("https://\(name).example/x") }
        open("https://a.example/y")
        open("https://named.example/", .customScheme)
        open("http://open.example/")
        await preconnector.connect(in: view, besides: ["https://p.example/shop/", "https://b.example/"]) { _, _ in true
        }
        #expect(
            view.preconnections == [
                ["https://a.example", "https://b.example", "https://c.example", "https://p.example"]
            ])
    }

    @Test("Unwanted origins are skipped, and no script runs if none remains")
    func wanted() async {
        open("https://a.example/x")
        var asked: [String] = []
        await preconnector.connect(in: view, besides: ["https://p.example:8443/shop/"]) { url, host in
            asked.append("\(url) \(host)")
            return host.port == 8_443
        }
        #expect(view.preconnections == [["https://p.example:8443"]])
        #expect(asked == ["https://a.example/x a.example:443", "https://p.example:8443/shop/ p.example:8443"])
        await preconnector.connect(in: view, besides: ["http://p.example/", "none"]) { url, _ in
            url != "https://a.example/x"
        }
        await preconnector.connect(in: view, besides: []) { _, _ in false }
        #expect(view.preconnections.count == 1)
    }

    private static let hosts = ["https://a.example/", "https://b.example/"]

    /// Starts preconnecting to both origins. Returns when the engine has run the script and the time limit has
    /// started.
    private func begin(_ ended: @escaping @MainActor () -> Void = {}) async -> Task<Void, Never> {
        let (stream, send) = AsyncStream.makeStream(of: Void.self)
        view.onEvaluate = { _ in send.yield() }
        let waiting = Task {
            await preconnector.connect(in: view, besides: Self.hosts) { _, _ in true }
            ended()
        }
        for await _ in stream { break }
        await clock.sleepers(atLeast: 1)
        return waiting
    }

    /// The clock does not advance, so that only the connections can end the wait.
    @Test("All callers return when the last connection is established, and no origin is requested twice")
    func waits() async {
        var ends = 0
        let connect = view.onEvaluate
        let waiting = await begin { ends += 1 }
        let joining = Task {
            await preconnector.connect(in: view, besides: Self.hosts) { _, _ in false }
            ends += 1
        }
        await clock.sleepers(atLeast: 2)
        preconnector.engineDidConnect(to: HostPort(host: "other.example", port: 443))
        connect?("[\"https://a.example\"]")
        for _ in 0..<100 { await Task.yield() }
        #expect(ends == 0)
        connect?("[\"https://b.example\"]")
        await waiting.value
        await joining.value
        #expect(ends == 2 && view.preconnections.count == 1)
    }

    @Test("The time limit ends the wait if the engine does not connect")
    func limit() async {
        let waiting = await begin()
        clock.advance(by: Preconnector.limit)
        await waiting.value
        #expect(view.preconnections == [["https://a.example", "https://b.example"]])
    }
}

extension FakeView {
    /// The origins of the preconnect scripts, in order.
    fileprivate var preconnections: [[String]] {
        evaluatedScripts.filter { $0.contains("preconnect") }.map(Self.origins)
    }

    fileprivate static func origins(in script: String) -> [String] {
        script.matches(of: /"(https:[^"]*)"/).map { String($0.1) }
    }
}
