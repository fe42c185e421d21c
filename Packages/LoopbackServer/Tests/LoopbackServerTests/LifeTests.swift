// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTypes
import NIOCore
import ResourceLoading
import Testing

@testable import LoopbackServer

@Suite("Lifecycle of a proxy", .timeLimit(.minutes(2)))
struct LifeTests {
    private let loader = RecordingLoader { _ in .text("ok") }

    /// Returns the port of the listening event at an index.
    private func port(_ index: Int, _ fixture: Fixture) async throws -> Int {
        try await fixture.witness.events.value("listening") { events in
            let ports = events.compactMap { if case .listening(let port) = $0 { port } else { nil } }
            return ports.count > index ? ports[index] : nil
        }
    }

    @Test("Requests in progress finish when the proxy stops, and other connections close immediately")
    func graceful() async throws {
        let gate = Gate()
        let loader = RecordingLoader { request in
            if request.head.path == "/slow" { try await gate.passed() }
            return .text("done")
        }
        try await Fixture.with(loader) {
            $0.limits.grace = .seconds(15)
        } _: { [loader] fixture in
            let busy = try await fixture.open()
            try await busy.send("GET /slow HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            _ = try await loader.receivedRequests.entry(0)
            let idle = try await fixture.open()
            _ = try await idle.get("/")
            let silent = try await fixture.connect()
            let asked = try await fixture.connect()
            try await asked.send("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await asked.answer().status == 407)
            let stopping = Task { await fixture.proxy.stop() }
            for peer in [idle, silent, asked] { #expect(try await peer.rest() == []) }
            // On a slow machine, the connections may have ended by their own time limits. The test therefore also waits
            // until the listener is closed.
            let port = try await port(0, fixture)
            while await (try? Peer.connect(to: port)) != nil { try Task.checkCancellation() }
            gate.open()
            let answer = try await busy.answer()
            #expect(answer.text == "done")
            #expect(try await busy.rest() == [])
            await stopping.value
            #expect(fixture.proxy.connections == 0 && fixture.proxy.port == nil)
            await fixture.proxy.stop()
            await #expect { try await fixture.proxy.resume() } throws: { ($0 as? LoopbackError)?.code == .stopped }
            await #expect { try await fixture.proxy.renewListener() } throws: {
                ($0 as? LoopbackError)?.code == .stopped
            }
        }
    }

    @Test("Requests that do not finish in time are closed")
    func late() async throws {
        let cancelled = Gate()
        let loader = RecordingLoader { _ in
            for await _ in AsyncStream<Void>.makeStream().stream {}
            cancelled.open()
            throw CancellationError()
        }
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            try await peer.send("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            _ = try await loader.receivedRequests.entry(0)
            // The client reads nothing, so it does not respond to close_notify.
            try await peer.channel.setOption(.autoRead, value: false).get()
            async let first: Void = fixture.proxy.stop()
            async let second: Void = fixture.proxy.stop()
            _ = await (first, second)
            #expect(fixture.proxy.connections == 0)
            try await cancelled.passed()
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "stopped")
        }
    }

    @Test("A stop after an early response works")
    func earlyAndStop() async throws {
        try await Fixture.with(loader) {
            $0.limits.grace = .seconds(15)
        } _: { fixture in
            let peer = try await fixture.open()
            try await peer.send("POST / HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 5\r\n\r\n")
            #expect(try await peer.answer().text == "ok")
            await fixture.proxy.stop()
            #expect(try await peer.rest() == [])
        }
    }

    /// Runs `body` with new proxies until it returns `true`. Another test or its child process may use a port for a
    /// short time.
    private func eventually(_ body: @Sendable (Fixture) async throws -> Bool) async throws {
        for _ in 0..<10 {
            if try await Fixture.with(loader, body) { return }
        }
        Issue.record("no attempt succeeded")
    }

    @Test("The listener waits briefly for a port in use, and then uses another port")
    func heldPort() async throws {
        for isGivenUp in [true, false] {
            let first = LoopbackListener(LoopbackLimits(), port: 0) { _ in
            } receive: { _, _ in
            }
            let port = try await first.listen()
            let rests = Log<Void>()
            let second = LoopbackListener(LoopbackLimits(), port: port) {
                rests.append(())
                if isGivenUp { await first.stop() }
            } happened: { _ in
            } receive: { _, _ in
            }
            let got = try await second.listen()
            // Another test may have taken the port between two attempts. The listener has then waited more than once.
            #expect(isGivenUp ? got == port || rests.entries.count > 1 : got != port)
            #expect(!rests.entries.isEmpty && rests.entries.count < 5)
            await first.stop()
            await second.stop()
        }
    }

    @Test("Child processes inherit neither the listener nor its connections")
    func inheritance() async throws {
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.open()
            #expect(try await peer.get("/").text == "ok")
            let port = try await port(0, fixture)
            let flags = PortTakeover.sockets(at: port).map { fcntl($0, F_GETFD) }
            #expect(flags.count >= 2 && flags.allSatisfy { $0 >= 0 && $0 & FD_CLOEXEC != 0 })
        }
    }

    @Test("Child processes do not inherit the connection of a listener probe")
    func probe() async throws {
        try await RawHost.with { host in
            let probe = ListenerProbe()
            async let isReachable = probe.isReachable(at: host.port)
            let arrived = try await host.connections.entry(0).channel
            let sockets = Self.sockets(from: try #require(arrived.remoteAddress?.port), to: host.port)
            // On a slow machine the probe may have ended already.
            #expect(sockets.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
            _ = probe.accepts(arrived)
            _ = await isReachable
        }
    }

    /// Returns the descriptors of this process that are connected from one IPv4 port to another.
    private static func sockets(from port: Int, to far: Int) -> [CInt] {
        PortTakeover.sockets(at: port).filter { descriptor in
            var name = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isNamed = withUnsafeMutablePointer(to: &name) { name in
                name.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
            }
            return isNamed == 0 && Int(UInt16(bigEndian: name.sin_port)) == far
        }
    }

    @Test("Failed attempts to listen again are repeated after increasing pauses", arguments: [true, false])
    func persistence(isStopped: Bool) async throws {
        let clock = ManualClock()
        let (ports, rests) = (Log<Int>(), Log<Void>())
        let listener = LoopbackListener(LoopbackLimits(), port: 0, clock: clock) {
            rests.append(())
            // The error is that of a process without free descriptors.
            if rests.entries.count <= 3 { throw IOError(errnoCode: EMFILE, reason: "a test") }
        } happened: { event in
            if case .listening(let port) = event { ports.append(port) }
        } receive: { _, _ in
        }
        let first = try await listener.listen()
        let takeover = try PortTakeover(of: first)
        listener.closeListener()
        for (number, pause) in LoopbackListener.pauses.prefix(3).enumerated() {
            await clock.sleepers(atLeast: 1)
            #expect(rests.entries.count == number + 1 && listener.port == nil)
            if isStopped { break }
            clock.advance(by: pause - .milliseconds(1))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .milliseconds(1))
        }
        if isStopped {
            await listener.stop()
            #expect(clock.sleeperCount == 0 && rests.entries.count == 1)
        } else {
            // The port is still in use.
            #expect(try await ports.entry(1) != first)
            await listener.stop()
        }
        takeover.release()
    }

    @Test("Two callers that detect a closed listener create one new listener")
    func concurrently() async throws {
        let (ports, asked) = (Log<Int>(), Log<Void>())
        let asking = Mutex(0)
        let replaced = Gate()
        let isReachable: @Sendable (Int) async -> Bool = { _ in
            let number = asking.withLock { count in
                count += 1
                return count
            }
            asked.append(())
            // Both callers probe the same listener. The second result arrives after the first caller has replaced the
            // listener.
            if number == 1 { try? await asked.entry(1) } else { try? await replaced.passed() }
            return false
        }
        let listener = LoopbackListener(LoopbackLimits(), port: 0, isReachable: isReachable) { event in
            if case .listening(let port) = event { ports.append(port) }
        } receive: { _, _ in
        }
        try await listener.listen()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<2 { group.addTask { try await listener.resume() } }
            let first = try await group.next()
            replaced.open()
            let second = try await group.next()
            #expect(second == first && listener.port == first)
        }
        #expect(ports.entries.count == 2)
        await listener.stop()
    }

    @Test("A listener that was shut down in the kernel listens again, on its port if the port is free")
    func shutDown() async throws {
        try await eventually { fixture in
            let kept = try await fixture.open()
            _ = try await kept.get("/")
            let first = try await port(0, fixture)
            let descriptor = try #require(PortTakeover.listener(at: first))
            shutdown(descriptor, CInt(SHUT_RDWR))
            // The system may or may not report the shutdown.
            let second = try await fixture.proxy.resume()
            #expect(try await port(1, fixture) == second)
            #expect(try await fixture.open().get("/").text == "ok")
            #expect(try await kept.get("/").text == "ok")
            return first == second
        }
    }

    @Test("A renewal replaces a listener that works, on its port if the port is free, and keeps its connections")
    func renewal() async throws {
        try await eventually { fixture in
            let kept = try await fixture.open()
            _ = try await kept.get("/")
            let first = try await port(0, fixture)
            let second = try await fixture.proxy.renewListener()
            #expect(try await port(1, fixture) == second && fixture.proxy.port == second)
            #expect(try await fixture.open().get("/").text == "ok")
            #expect(try await kept.get("/").text == "ok")
            // The close of the old listener is no loss.
            let isDeaf = fixture.witness.events.entries.contains { if case .deaf = $0 { true } else { false } }
            #expect(!isDeaf)
            return first == second
        }
    }

    @Test("A renewal replaces a listener that the system has closed, although another process uses its port")
    func renewalAtOtherPort() async throws {
        try await eventually { fixture in
            let first = try await port(0, fixture)
            guard let takeover = try? PortTakeover(of: first) else { return false }
            let second = try await fixture.proxy.renewListener()
            #expect(second != first)
            #expect(try await port(1, fixture) == second)
            #expect(try await fixture.open().get("/").text == "ok")
            takeover.release()
            return true
        }
    }

    @Test("A closed listener listens again by itself, on its port if the port is free")
    func closed() async throws {
        try await eventually { fixture in
            let first = try await port(0, fixture)
            fixture.proxy.closeListener()
            let second = try await port(1, fixture)
            let isDeaf = fixture.witness.events.entries.contains { if case .deaf = $0 { true } else { false } }
            #expect(isDeaf)
            #expect(try await fixture.open().get("/").text == "ok")
            return first == second
        }
    }

    @Test("If another listener has taken the port, another port is used")
    func taken() async throws {
        try await eventually { fixture in
            let first = try await port(0, fixture)
            guard let takeover = try? PortTakeover(of: first) else { return false }
            // A connection to the port succeeds, but reaches another listener.
            let second = try await fixture.proxy.resume()
            #expect(second != first)
            #expect(try await port(1, fixture) == second)
            #expect(try await fixture.open().get("/").text == "ok")
            takeover.release()
            return true
        }
    }

    @Test("A working listener is not replaced, even by concurrent calls")
    func alive() async throws {
        try await Fixture.with(loader) { fixture in
            let first = try await port(0, fixture)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await fixture.proxy.resume() } }
                for try await port in group { #expect(port == first) }
            }
            #expect(fixture.witness.events.entries.count == 1)
            #expect(try await fixture.open().get("/").text == "ok")
        }
    }

    @Test("A released proxy does not listen")
    func released() async throws {
        let port: Int
        do {
            let proxy = try await InterceptingProxy.start(
                .init(loader: loader, policy: HostListPolicy(), trusting: Trusting()))
            port = try #require(proxy.port)
        }
        // The listener closes on its own event loop.
        while true {
            guard let peer = try? await Peer.connect(to: port) else { break }
            _ = try await peer.rest()
        }
    }
}
