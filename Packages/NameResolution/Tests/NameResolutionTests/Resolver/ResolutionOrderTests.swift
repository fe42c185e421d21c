// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
import WebSyntax

@testable import NameResolution

/// The order of servers and of the system, and the times between them.
@Suite(.timeLimit(.minutes(1)))
struct ResolutionOrderTests {
    private let own = IPAddress.list("192.0.2.1")
    private let others = IPAddress.list("192.0.2.100")
    private let host = "a.example"

    private func fixture(
        _ order: ResolutionOrder = .secureFirst, servers: Int = 2, publicHosts: [String] = []
    ) throws -> ResolverFixture {
        let fixture = try ResolverFixture(order, servers: servers, publicHosts: publicHosts)
        fixture.loader.set([.a(host, "192.0.2.1")])
        fixture.system.set(others, of: host)
        return fixture
    }

    @Test("The next server is asked at once after a failure")
    func failOver() async throws {
        let fixture = try fixture()
        fixture.loader.set(.status(500), of: ResolverFixture.first)
        let answer = try await fixture.resolver.answer(for: host)
        #expect(answer.server == "https://192.0.2.54/q" && answer.addresses.map(\.address) == own)
        #expect(fixture.loader.servers == [ResolverFixture.first, ResolverFixture.second])
        #expect(fixture.clock.now == ManualClock.Instant() && fixture.system.hosts.isEmpty && fixture.events.isEmpty)
        #expect(fixture.resolver.counters.serverAnswers == 1 && fixture.resolver.counters.serverFailures == 0)
    }

    @Test("A stalled server has a head start of 150 ms, and its requests are cancelled then")
    func headStart() async throws {
        let fixture = try fixture()
        fixture.loader.set(.stalls, of: ResolverFixture.first)
        let task = Task { try await fixture.resolver.answer(for: host) }
        try await until { fixture.loader.requests.count == 2 }
        await fixture.clock.sleepers(atLeast: 3)
        fixture.clock.advance(by: .milliseconds(149))
        #expect(fixture.loader.servers == [ResolverFixture.first])
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await task.value.server == "https://192.0.2.54/q")
        try await until { fixture.loader.cancelled == 2 }
        #expect(fixture.system.hosts.isEmpty)
    }

    @Test("The system is asked after exactly 300 ms, however many servers stall", arguments: 1...4)
    func stalledServers(count: Int) async throws {
        let fixture = try fixture(servers: count)
        let servers = [ResolverFixture.first, ResolverFixture.second, "192.0.2.55", "192.0.2.56"].prefix(count)
        for server in servers { fixture.loader.set(.stalls, of: server) }
        let task = Task { try await fixture.resolver.answer(for: host) }
        // The limit, the delay of the system, and the head start of the first of several servers.
        await fixture.clock.sleepers(atLeast: count == 1 ? 2 : 3)
        fixture.clock.advance(by: .milliseconds(150))
        try await until { fixture.loader.servers.count == min(count, 2) }
        fixture.clock.advance(by: .milliseconds(149))
        #expect(fixture.system.hosts.isEmpty)
        fixture.clock.advance(by: .milliseconds(1))
        let answer = try await task.value
        #expect(answer.addresses.map(\.address) == others && answer.reason == .serversFailed)
        #expect(answer.source == .system && answer.server == nil)
        #expect(fixture.system.times == [.milliseconds(300)])
    }

    @Test("The system is asked at once if all servers have failed")
    func failedServers() async throws {
        let fixture = try fixture()
        for server in [ResolverFixture.first, ResolverFixture.second] { fixture.loader.set(.status(503), of: server) }
        let answer = try await fixture.resolver.answer(for: host)
        #expect(answer.addresses.map(\.address) == others && answer.reason == .serversFailed)
        #expect(fixture.system.times == [.zero] && fixture.resolver.counters.systemFallbacks == 1)
        #expect(fixture.resolver.knownAddresses(of: host) == others)
        // The system's answers are never stale.
        fixture.clock.advance(by: .seconds(60))
        #expect(fixture.resolver.knownAddresses(of: host) == nil)
    }

    @Test("An answer of a server after that of the system is stored")
    func lateAnswer() async throws {
        let fixture = try fixture()
        fixture.loader.gate.close()
        let task = Task { try await fixture.resolver.answer(for: host) }
        await fixture.clock.sleepers(atLeast: 3)
        fixture.clock.advance(by: .milliseconds(300))
        #expect(try await task.value.addresses.map(\.address) == others)
        #expect(fixture.resolver.knownAddresses(of: host) == others)
        fixture.loader.gate.open()
        try await until { fixture.resolver.knownAddresses(of: host) == own }
        #expect(fixture.resolver.counters.serverAnswers == 1 && fixture.resolver.counters.serverFailures == 0)
    }

    @Test("The system is first if the rules say so, and servers are not asked")
    func systemFirst() async throws {
        let fixture = try fixture(.systemFirst)
        let answer = try await fixture.resolver.answer(for: host)
        #expect(answer.addresses.map(\.address) == others && answer.reason == .system)
        #expect(answer.addresses.map(\.origin) == [.system] && answer.timeToLive == 60)
        #expect(fixture.loader.requests.isEmpty)
    }

    @Test("Servers are asked if the system, which is first, fails or takes two seconds")
    func failedSystem() async throws {
        let fixture = try fixture(.systemFirst)
        fixture.system.set(nil, of: host)
        let answer = try await fixture.resolver.answer(for: host)
        #expect(answer.addresses.map(\.address) == own && answer.reason == .systemFailed)

        let slow = try self.fixture(.systemFirst)
        slow.system.gate.close()
        let task = Task { try await slow.resolver.answer(for: host) }
        await slow.clock.sleepers(atLeast: 2)
        slow.clock.advance(by: .milliseconds(1_999))
        #expect(slow.loader.requests.isEmpty)
        slow.clock.advance(by: .milliseconds(1))
        #expect(try await task.value.addresses.map(\.address) == own)
        slow.system.gate.open()
    }

    @Test("Servers that stall delay the system's answer that a name does not exist by exactly 300 ms")
    func missingName() async throws {
        let fixture = try fixture(.systemFirst, servers: 1)
        fixture.system.set(nil, of: host)
        fixture.loader.gate.close()
        let resolver = fixture.resolver
        let task = Task { try await resolver.answer(for: host) }
        // The limits of the look-up and of the system, and the delay.
        await fixture.clock.sleepers(atLeast: 3)
        fixture.clock.advance(by: .milliseconds(299))
        #expect(resolver.waiterCount == 1)
        fixture.clock.advance(by: .milliseconds(1))
        let error = await #expect(throws: NameResolutionError.self) { try await task.value }
        #expect(error?.code == .noSuchName)
        // A later answer is for the next connection.
        fixture.loader.gate.open()
        try await until { resolver.knownAddresses(of: host) == own }
    }

    @Test("Addresses of one family do not wait for the other longer than 50 ms")
    func families() async throws {
        let fixture = try fixture(servers: 1)
        fixture.loader.set(.stallsIPv6, of: ResolverFixture.first)
        let task = Task { try await fixture.resolver.answer(for: host) }
        // The limit of the look-up, the delay of the system, and the delay of the family.
        await fixture.clock.sleepers(atLeast: 3)
        fixture.clock.advance(by: .milliseconds(50))
        #expect(try await task.value.addresses.map(\.address) == own)
        #expect(fixture.system.hosts.isEmpty)
    }

    @Test(
        "An implausible answer of the system for a public host is not used",
        arguments: [
            "127.0.0.1", "0.0.0.0", "10.0.0.1", "169.254.1.1", "::1", "fd00::1", "fe80::1",
        ])
    func implausibleSystem(address: String) async throws {
        let fixture = try fixture(.systemFirst, publicHosts: [host])
        fixture.loader.set([.a(host, "1.2.3.4")])
        fixture.system.set(IPAddress.list("1.2.3.5", address), of: host)
        let answer = try await fixture.resolver.answer(for: host)
        #expect(answer.addresses.map(\.address) == IPAddress.list("1.2.3.4"))
        #expect(answer.reason == .implausibleSystemAnswer)
        #expect(fixture.events == [.implausibleAnswer(host: host)])
        #expect(fixture.resolver.counters.implausibleAnswers == 1)
        // Another host may have the address.
        fixture.system.set(IPAddress.list(address), of: "b.example")
        #expect(try await fixture.resolver.addresses(of: "b.example") == IPAddress.list(address))
    }

    @Test("An implausible answer of a server for a public host is not used")
    func implausibleServer() async throws {
        let fixture = try fixture(publicHosts: [host])
        fixture.loader.set([.a(host, "127.0.0.1")])
        fixture.system.set(IPAddress.list("1.2.3.4"), of: host)
        #expect(try await fixture.resolver.addresses(of: host) == IPAddress.list("1.2.3.4"))
        #expect(fixture.events == [.implausibleAnswer(host: host)])
        // Nothing is left if the system has one too.
        fixture.clock.advance(by: .seconds(60))
        fixture.system.set(IPAddress.list("127.0.0.1"), of: host)
        let error = await #expect(throws: NameResolutionError.self) {
            try await fixture.resolver.addresses(of: host)
        }
        #expect(error?.code == .implausibleAnswer)
        #expect(fixture.events.count == 1)
    }

    @Test(
        "A server that answers another question, cuts or lies about owners is not used",
        arguments: [
            "question", "truncated", "short", "loop",
        ])
    func lies(lie: String) async throws {
        let fixture = try fixture()
        let host = host
        fixture.loader.set(
            .bytes { question in
                var message = TestMessage(host, type: question.type.rawValue, answers: [.a(host, "192.0.2.66")])
                switch lie {
                case "question": message.questions = TestMessage("b.example").questions
                case "truncated": message.flags |= 0x0200
                case "short": return Array(message.bytes.dropLast())
                default: message.answers = [.cname(host, "b.example"), .cname("b.example", host)]
                }
                return message.bytes
            }, of: ResolverFixture.first)
        let answer = try await fixture.resolver.answer(for: host)
        #expect(answer.addresses.map(\.address) == own && answer.server == "https://192.0.2.54/q")
    }

    @Test("Addresses of other owners are ignored and not stored")
    func foreignOwners() async throws {
        let fixture = try fixture(servers: 1)
        let host = host
        fixture.loader.set(
            .bytes { question in
                let records = [TestMessage.Record.a("b.example", "192.0.2.66"), .a(host, "192.0.2.1")]
                return TestMessage(host, type: question.type.rawValue, answers: records).bytes
            }, of: ResolverFixture.first)
        #expect(try await fixture.resolver.addresses(of: host) == own)
        #expect(fixture.resolver.knownAddresses(of: "b.example") == nil)
    }

    @Test("The error of the server is thrown if there is no system")
    func errors() async throws {
        let fixture = try ResolverFixture(servers: 1, usesSystem: false)
        fixture.loader.set(.status(404), of: ResolverFixture.first)
        let error = await #expect(throws: NameResolutionError.self) { try await fixture.resolver.answer(for: host) }
        #expect(error?.code == .badResponse && fixture.resolver.counters.serverFailures == 1)
    }

    @Test("The system's resolver has the addresses of a name of the device, and an error for a name that cannot exist")
    func system() async throws {
        let addresses = try await SystemNameResolver().addresses(of: "localhost")
        #expect(!addresses.isEmpty && addresses.allSatisfy { $0.scope() == .loopback })
        let error = await #expect(throws: NameResolutionError.self) {
            try await SystemNameResolver().addresses(of: "name.invalid")
        }
        // Without a network, the system cannot know that the name does not exist.
        #expect([.noSuchName, .systemFailure].contains(error?.code))
    }
}
