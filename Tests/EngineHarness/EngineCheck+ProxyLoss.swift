// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import Glibc
internal import HTTPTransport
internal import HTTPTypes
internal import LoopbackServer
internal import WebKitGTKAdapter

// Loss of the proxy's listener, as in suspended apps on phones.
extension EngineCheck {
    /// Checks three losses. After a shutdown, the next page gets a new listener. After a suspension, pending requests
    /// complete and the page continues. If another program uses the port, the engine gets another port.
    @MainActor
    func checkProxyLoss(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let container = try await container(engine, in: folder) { request in
            if request.path == "/slow" {
                ask.yield()
                for await _ in gate { break }
            }
            return .page("<title>home</title>\(request.authority ?? "")\(request.path ?? "")")
        }
        var listening: [Int] = []
        container.observe { if case .loopback(.listening(let port)) = $0 { listening.append(port) } }
        let first = try port(of: engine)
        let page = try await container.open("https://shop.example/")
        try await page.load.finished(within: .seconds(20))

        // The listener is lost while the container runs.
        try shutListener(at: first)
        let other = try await container.open("https://a.shop.example/")
        try await other.load.finished(within: .seconds(20))
        try await fetch("https://b.shop.example/x", in: page)
        try await waitUntil("the new listener is reported") { listening.last == engine.proxy?.port }

        // The listener is lost during a suspension, with a pending request.
        let slow = Task { try await fetch("https://shop.example/slow", in: page) }
        for await _ in asked { break }
        try await container.hostWillSuspend()
        let second = try port(of: engine)
        let reported = listening.count
        try shutListener(at: second)
        try await container.hostResumed()
        opening.yield()
        try await slow.value
        try await fetch("https://c.shop.example/x", in: page)
        try await waitUntil("the new listener after a suspension is reported") { listening.count > reported }

        // The port is taken in the meantime, so that the engine's settings must be renewed.
        try await container.hostWillSuspend()
        let takeover = try PortTakeover(of: try port(of: engine))
        try await container.hostResumed()
        try expect(try port(of: engine) != takeover.port, "the engine still uses the taken port")
        try await fetch("https://d.shop.example/x", in: page)
        let last = try await container.open("https://e.shop.example/")
        try await last.load.finished(within: .seconds(20))
        try await waitUntil("the other port is reported") { listening.last == engine.proxy?.port }
        takeover.release()
        await container.shutDown()
    }

    @MainActor
    private func port(of engine: WebKitGTKEngine) throws -> Int {
        guard let proxy = engine.proxy else { throw CheckFailure(description: "the engine has no proxy") }
        return proxy.port
    }

    @MainActor
    private func fetch(_ url: String, in page: Page<WebKitGTKView>) async throws {
        let text = try await page.view.evaluate(
            "return await fetch('\(url)').then(answer => answer.text(), error => String(error))", in: .page)
        let place = url.dropFirst("https://".count)
        try expect(text == "\"<title>home</title>\(place)\"", "\(url): \(text)")
    }

    /// Waits until a condition is true, at most 10 s, because events arrive with a delay.
    @MainActor
    private func waitUntil(_ what: String, _ condition: @MainActor () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(10)
        while !condition() {
            try expect(ContinuousClock.now < end, "not in time: \(what)")
            await Task.yield()
        }
    }

    private func shutListener(at port: Int) throws {
        guard let descriptor = PortTakeover.listener(at: port) else {
            throw CheckFailure(description: "no listener at port \(port)")
        }
        shutdown(descriptor, CInt(SHUT_RDWR))
    }
}
