// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import Testing
import WebSyntax

@testable import HTTPTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A tunnel without a listener.
private final class FakeTunnel: AddressTunneling {
    let port = 1
    let username = "user"
    let password = "secret"
    /// Ends when the tunnel is closed.
    let closing: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation
    private let failures = Mutex<Set<HostPort>>([])
    private let observers = Mutex<[@Sendable () -> Void]>([])

    init() { (closing, end) = AsyncStream<Void>.makeStream() }

    func close() {
        end.finish()
        for observer in observers.withLock({ $0 }) { observer() }
    }

    func whenClosed(_ body: @escaping @Sendable () -> Void) { observers.withLock { $0.append(body) } }

    func record(_ url: URL) {
        failures.withLock { _ = $0.insert(HostPort(host: url.host() ?? "", port: 443)) }
    }

    func removeFailure(of target: HostPort) -> (any Error)? {
        failures.withLock { $0.remove(target) }.map { _ in CancellationError() }
    }
}

/// A system whose loads arrive at the tunnel or not.
private final class FakeSystem: Sendable {
    enum Network: Sendable { case working, withoutCredentials, offline }

    let network = Mutex(Network.working)
    let hasProxy = Mutex(false)
    let tunnels = Mutex<[FakeTunnel]>([])
    private let messages = Mutex<[String]>([])

    var starts: Int { tunnels.withLock(\.count) }
    var reports: Int { messages.withLock(\.count) }

    /// - Parameter begin: A closure that each start of a tunnel waits for.
    func sessions(begin: @escaping @Sendable () async -> Void = {}) -> TunnelSessions {
        let system = TunnelSessions.System(
            hasProxy: { self.hasProxy.withLock { $0 } },
            load: { tunnel, url in
                switch self.network.withLock({ $0 }) {
                case .working: (tunnel as? FakeTunnel)?.record(url)
                case .withoutCredentials: break
                case .offline: return false
                }
                return true
            },
            makeSession: { TunnelSession($0, .ephemeral) })
        return TunnelSessions(system, onFailure: { message in self.messages.withLock { $0.append(message) } }) { _ in
            await begin()
            let tunnel = FakeTunnel()
            self.tunnels.withLock { $0.append(tunnel) }
            return tunnel
        }
    }
}

private struct ShopResolver: AddressResolving {
    func resolves(_ host: String) -> Bool { host.hasSuffix("shop.test") }
    func addresses(of host: String) async throws -> [IPAddress] { [] }
}

@Suite("Sessions through an address tunnel", .timeLimit(.minutes(3)))
struct TunnelSessionsTests {
    private func session(_ sessions: TunnelSessions, _ url: String = "https://shop.test/") async throws
        -> TunnelSession?
    {
        await sessions.session(for: try #require(URL(string: url)), isBackground: false)
    }

    @Test("A tunnel is proven if two names arrive at it")
    func proof() async {
        let urls = Mutex<[URL]>([])
        let tunnel = FakeTunnel()
        /// Records the first loads at the tunnel.
        func outcome(arriving count: Int, hasNetwork: Bool = true) async -> TunnelProof.Outcome {
            urls.withLock { $0 = [] }
            return await TunnelProof.outcome(of: tunnel) { url in
                let number = urls.withLock { urls in
                    urls.append(url)
                    return urls.count
                }
                if number <= count { tunnel.record(url) }
                return hasNetwork
            }
        }
        #expect(await outcome(arriving: 2) == .proven)
        #expect(urls.withLock { Set($0.compactMap { $0.host() }).count } == 2)
        #expect(urls.withLock { $0.allSatisfy { $0.scheme == "https" && $0.host()?.hasSuffix(".invalid") == true } })
        #expect(await outcome(arriving: 1) == .unproven)
        #expect(urls.withLock(\.count) == 2)
        #expect(await outcome(arriving: 0) == .unproven)
        #expect(urls.withLock(\.count) == 1)
        #expect(await outcome(arriving: 0, hasNetwork: false) == .offline)
        #expect(await outcome(arriving: 2, hasNetwork: false) == .proven)
    }

    @Test("A load that hangs is cancelled at the limit, and proves nothing")
    func silence() async {
        let clock = ManualClock()
        let (ends, end) = AsyncStream<Void>.makeStream()
        async let outcome = TunnelProof.outcome(of: FakeTunnel(), clock: clock) { _ in
            // Ends when the task is cancelled.
            for await _ in ends {}
            return true
        }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: TunnelProof.limit)
        #expect(await outcome == .unproven)
        end.finish()
    }

    @Test("The tunnel serves https requests to hosts that the resolver is used for, without a proxy of the system")
    func choice() async throws {
        let system = FakeSystem()
        let sessions = system.sessions()
        #expect(try await session(sessions) == nil, "there is no resolver")
        sessions.use(ShopResolver())
        for url in [
            "http://shop.test/", "https://other.test/", "https://192.0.2.1/", "https://[2001:db8::1]/",
            "https://localhost/", "https://shop.test.localhost/",
        ] {
            #expect(try await session(sessions, url) == nil, "\(url)")
        }
        let url = try #require(URL(string: "https://shop.test/"))
        #expect(await sessions.session(for: url, isBackground: true) == nil)
        system.hasProxy.withLock { $0 = true }
        #expect(try await session(sessions) == nil)
        #expect(system.starts == 0)
        system.hasProxy.withLock { $0 = false }
        let first = try #require(try await session(sessions))
        #expect(try await session(sessions, "https://www.SHOP.test:8443/") === first)
        #expect(system.starts == 1)
        system.hasProxy.withLock { $0 = true }
        #expect(try await session(sessions) == nil, "a proxy was configured later")
        sessions.shutDown()
    }

    @Test("Concurrent requests share one tunnel, and a closed tunnel is replaced")
    func replacement() async throws {
        let system = FakeSystem()
        let sessions = system.sessions()
        sessions.use(ShopResolver())
        try await withThrowingTaskGroup(of: TunnelSession?.self) { group in
            for _ in 0..<8 { group.addTask { try await self.session(sessions) } }
            for try await session in group { #expect(session != nil) }
        }
        #expect(system.starts == 1)
        system.tunnels.withLock { $0[0] }.close()
        let second = try await session(sessions)
        #expect(second != nil && system.starts == 2)
        sessions.use(ShopResolver())
        let third = try await session(sessions)
        #expect(third != nil && third !== second && system.starts == 3)
        #expect(system.reports == 0)
        sessions.shutDown()
        #expect(try await session(sessions) == nil && system.starts == 3)
    }

    @Test("A session that is replaced closes its tunnel when no request has it any more")
    func release() async throws {
        let system = FakeSystem()
        let sessions = system.sessions()
        sessions.use(ShopResolver())
        #expect(try await session(sessions) != nil)
        sessions.use(ShopResolver())
        for await _ in system.tunnels.withLock({ $0[0] }).closing {}
        sessions.shutDown()
    }

    @Test("A tunnel that is not proven is reported once and not tried again; without a network it is tried again")
    func unproven() async throws {
        let system = FakeSystem()
        let sessions = system.sessions()
        sessions.use(ShopResolver())
        system.network.withLock { $0 = .offline }
        #expect(try await session(sessions) == nil && system.reports == 0)
        system.network.withLock { $0 = .withoutCredentials }
        for _ in 0..<3 { #expect(try await session(sessions) == nil) }
        #expect(system.starts == 2 && system.reports == 1)
        system.network.withLock { $0 = .working }
        sessions.use(ShopResolver())
        #expect(try await session(sessions) == nil && system.starts == 2)
    }

    @Test("A resolver that replaces one during its start is not affected by the result of that start")
    func replacementDuringStart() async throws {
        let (begins, begun) = AsyncStream<Void>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let starts = Mutex(0)
        let system = TunnelSessions.System(
            hasProxy: { false },
            load: { tunnel, url in
                (tunnel as? FakeTunnel)?.record(url)
                return true
            },
            makeSession: { TunnelSession($0, .ephemeral) })
        let sessions = TunnelSessions(system, onFailure: { _ in }) { _ in
            let number = starts.withLock { starts in
                starts += 1
                return starts
            }
            guard number == 1 else { return FakeTunnel() }
            begun.yield()
            for await _ in gate {}
            throw POSIXError(.EMFILE)
        }
        sessions.use(ShopResolver())
        async let earlier = session(sessions)
        for await _ in begins { break }
        sessions.use(ShopResolver())
        open.finish()
        #expect(try await earlier == nil)
        #expect(try await session(sessions) != nil && starts.withLock { $0 } == 2)
        sessions.shutDown()
    }

    @Test("A cancelled request does not wait for the start, which goes on for other requests")
    func cancellation() async throws {
        let (begins, begun) = AsyncStream<Void>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let system = FakeSystem()
        let sessions = system.sessions {
            begun.yield()
            for await _ in gate {}
        }
        sessions.use(ShopResolver())
        let request = Task { try await session(sessions) }
        for await _ in begins { break }
        request.cancel()
        // The start does not end before the gate opens.
        #expect(try await request.value == nil)
        open.finish()
        #expect(try await session(sessions) != nil && system.starts == 1)
        sessions.shutDown()
    }

    @Test("A tunnel that cannot be started is reported")
    func failedStart() async throws {
        let messages = Mutex<[String]>([])
        let system = TunnelSessions.System(
            hasProxy: { false }, load: { _, _ in true }, makeSession: { TunnelSession($0, .ephemeral) })
        let sessions = TunnelSessions(system, onFailure: { message in messages.withLock { $0.append(message) } }) { _ in
            throw POSIXError(.EMFILE)
        }
        sessions.use(ShopResolver())
        #expect(try await session(sessions) == nil)
        #expect(try await session(sessions) == nil && messages.withLock(\.count) == 1)
    }

    @Test("Proxies and scripts in the settings of the system are found, also those of one network")
    func proxySettings() {
        #expect(!SystemProxySettings.nameProxy([:]))
        #expect(!SystemProxySettings.nameProxy(["HTTPEnable": 0, "FTPPassive": 1, "__SCOPED__": ["en0": [:]]]))
        for key in ["HTTPEnable", "HTTPSEnable", "SOCKSEnable", "ProxyAutoConfigEnable", "ProxyAutoDiscoveryEnable"] {
            #expect(SystemProxySettings.nameProxy([key: 1]), "\(key)")
        }
        #expect(SystemProxySettings.nameProxy(["__SCOPED__": ["en0": ["HTTPSEnable": 1]]]))
    }

    @Test("An encrypted resolver has an https URL with a host")
    func encryptedResolver() throws {
        let address = try #require(IPAddress("192.0.2.53"))
        let resolver = URLSessionTransport.EncryptedResolver(url: "https://dns.test/dns-query", addresses: [address])
        #expect(resolver?.url == "https://dns.test/dns-query" && resolver?.addresses == [address])
        for url in ["http://dns.test/dns-query", "dns.test", "https:///dns-query", "https://dns.test:0/", ""] {
            #expect(URLSessionTransport.EncryptedResolver(url: url, addresses: []) == nil, "\(url)")
        }
    }
}
