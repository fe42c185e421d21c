// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import Glibc
internal import HTTPTransport
internal import HTTPTypes
internal import LoopbackServer
internal import WebKitGTKAdapter

// A system takes the proxy's listener away, as phones do from apps that rest.
extension EngineCheck {
    /// The listener is shut down under a container: the next page that opens has one again. It is lost over a suspension:
    /// what was under way then arrives, and the page goes on. Its port is somebody else's: the engine is told another.
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

        // Under a running container.
        try shutListener(at: first)
        let other = try await container.open("https://a.shop.example/")
        try await other.load.finished(within: .seconds(20))
        try await fetch("https://b.shop.example/x", in: page)
        try await waitUntil("the listener's return is told") { listening.last == engine.proxy?.port }

        // Over a suspension, with a request under way.
        let slow = Task { try await fetch("https://shop.example/slow", in: page) }
        for await _ in asked { break }
        try await container.hostWillSuspend()
        let second = try port(of: engine)
        let told = listening.count
        try shutListener(at: second)
        try await container.hostResumed()
        opening.yield()
        try await slow.value
        try await fetch("https://c.shop.example/x", in: page)
        try await waitUntil("the listener's return after a suspension is told") { listening.count > told }

        // The port is taken meanwhile, so that the engine's settings have to be renewed.
        try await container.hostWillSuspend()
        let thief = try Thief(of: try port(of: engine))
        try await container.hostResumed()
        try expect(try port(of: engine) != thief.port, "the engine still goes to the port that was taken")
        try await fetch("https://d.shop.example/x", in: page)
        let last = try await container.open("https://e.shop.example/")
        try await last.load.finished(within: .seconds(20))
        try await waitUntil("the other port is told") { listening.last == engine.proxy?.port }
        thief.release()
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

    /// News come by the main actor, a moment later.
    @MainActor
    private func waitUntil(_ what: String, _ condition: @MainActor () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(10)
        while !condition() {
            try expect(ContinuousClock.now < end, "not in time: \(what)")
            await Task.yield()
        }
    }

    private func shutListener(at port: Int) throws {
        guard let descriptor = Thief.listener(at: port) else {
            throw CheckFailure(description: "nobody listens at \(port)")
        }
        shutdown(descriptor, CInt(SHUT_RDWR))
    }
}

/// Takes the port of a listener of this process: its descriptor becomes one that nothing comes of, and somebody else
/// listens.
private struct Thief {
    let port: Int
    private let descriptor: CInt

    init(of port: Int) throws {
        self.port = port
        guard let victim = Self.listener(at: port) else {
            throw CheckFailure(description: "nobody listens at \(port)")
        }
        let blank = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        try expect(dup2(blank, victim) == victim, "dup2")
        close(blank)
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var on = CInt(1)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) { [descriptor] address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try expect(isBound == 0 && listen(descriptor, 8) == 0, "cannot take port \(port): \(errno)")
    }

    func release() {
        close(descriptor)
    }

    /// The descriptor that listens on a port of 127.0.0.1.
    static func listener(at port: Int) -> CInt? {
        (3..<CInt(4_096)).first { descriptor in
            var (value, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
            guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0, value == 1 else {
                return false
            }
            var name = sockaddr_in()
            var nameSize = socklen_t(MemoryLayout<sockaddr_in>.size)
            let named = withUnsafeMutablePointer(to: &name) { name in
                name.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &nameSize) }
            }
            return named == 0 && Int(in_port_t(bigEndian: name.sin_port)) == port
        }
    }
}
