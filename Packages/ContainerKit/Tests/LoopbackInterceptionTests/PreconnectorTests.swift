// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ConnectTunnel
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import LoopbackInterception

@MainActor
@Suite("Connections made ahead of pages", .timeLimit(.minutes(2)))
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

    @Test("The origins of the last pages by the proxy come first, each once, then others, and four in all")
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

    @Test("What is not wanted is not connected to, and nothing is asked for where nothing is left")
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

    /// Begins to connect to both, and returns when the engine was asked, and the limit runs.
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

    /// The clock stands still: only the connections can end it.
    @Test("It is over when the last connection is there, for all who wait, and nothing is asked for twice")
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

    @Test("An engine that connects to nothing holds nobody up for ever")
    func limit() async {
        let waiting = await begin()
        clock.advance(by: Preconnector.limit)
        await waiting.value
        #expect(view.preconnections == [["https://a.example", "https://b.example"]])
    }
}

extension FakeView {
    /// The origins that it was to connect to, by script.
    fileprivate var preconnections: [[String]] {
        evaluatedScripts.filter { $0.contains("preconnect") }.map(Self.origins)
    }

    fileprivate static func origins(in script: String) -> [String] {
        script.matches(of: /"(https:[^"]*)"/).map { String($0.1) }
    }
}
