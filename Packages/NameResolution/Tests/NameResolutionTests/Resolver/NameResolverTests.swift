// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
import WebSyntax

@testable import NameResolution

/// Look-ups by servers and by the system.
@Suite(.timeLimit(.minutes(1)))
struct NameResolverTests {
    private let own = IPAddress.list("192.0.2.1", "2001:db8::1")
    private let records = [TestMessage.Record.a("a.example", "192.0.2.1"), .aaaa("a.example", "2001:db8::1")]

    @Test(
        "A server answers for both families, and the cache answers after it", arguments: [NameServer.Method.get, .post])
    func servers(method: NameServer.Method) async throws {
        let fixture = try ResolverFixture(method: method)
        fixture.loader.set(records)
        let answer = try await fixture.resolver.answer(for: "A.Example.")
        #expect(answer.host == "a.example" && answer.status == .noError && answer.timeToLive == 300)
        #expect(answer.addresses.map(\.origin) == [.aaaa, .a])
        #expect(answer.addresses.map(\.address) == IPAddress.list("2001:db8::1", "192.0.2.1"))
        #expect(answer.server == "https://192.0.2.53/q" && answer.source == .doh)
        #expect(answer.reason == .answeredByServer && answer.cacheState == .miss)
        fixture.clock.advance(by: .seconds(100))
        let cached = try await fixture.resolver.answer(for: "a.example")
        #expect(cached.reason == .cached && cached.cacheState == .fresh && cached.age == .seconds(100))
        #expect(cached.timeToLive == 200 && cached.addresses == answer.addresses)
        #expect(fixture.resolver.knownAddresses(of: "a.example") == answer.addresses.map(\.address))
        #expect(Set(fixture.loader.requests.map(\.type)) == [.a, .aaaa] && fixture.loader.requests.count == 2)
        #expect(fixture.system.hosts.isEmpty)
    }

    @Test("Callers share one look-up, and a cancelled caller does not cancel it")
    func sharing() async throws {
        let fixture = try ResolverFixture()
        fixture.loader.set(records)
        fixture.loader.gate.close()
        let tasks = (0..<8).map { _ in Task { try await fixture.resolver.addresses(of: "a.example") } }
        try await until { fixture.loader.requests.count == 2 && fixture.resolver.waiterCount == 8 }
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        fixture.loader.gate.open()
        for task in tasks.dropFirst() { #expect(Set(try await task.value) == Set(own)) }
        #expect(fixture.loader.requests.count == 2 && fixture.resolver.counters.lookUps == 1)
    }

    @Test("A cancelled caller leaves a stalled look-up at once")
    func cancellation() async throws {
        let fixture = try ResolverFixture(servers: 1, usesSystem: false)
        fixture.loader.set(.stalls, of: ResolverFixture.first)
        let task = Task { try await fixture.resolver.addresses(of: "a.example") }
        try await until { fixture.loader.requests.count == 2 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(fixture.resolver.waiterCount == 0)
        // The look-up itself ends with its limit, and cancels its requests.
        await fixture.clock.sleepers(atLeast: 1)
        fixture.clock.advance(by: LookUpState.limit)
        try await until { fixture.loader.cancelled == 2 }
    }

    @Test("A stale answer is used while one look-up refreshes it")
    func stale() async throws {
        let fixture = try ResolverFixture()
        fixture.loader.set(records)
        let old = try await fixture.resolver.addresses(of: "a.example")
        fixture.loader.set([.a("a.example", "192.0.2.9")])
        fixture.clock.advance(by: .seconds(301))
        fixture.loader.gate.close()
        #expect(fixture.resolver.knownAddresses(of: "a.example") == old)
        let stale = try await fixture.resolver.answer(for: "a.example")
        #expect(stale.cacheState == .stale && stale.reason == .staleWhileRefreshing && stale.timeToLive == 0)
        try await until { fixture.loader.requests.count == 4 }
        fixture.loader.gate.open()
        try await until { fixture.resolver.knownAddresses(of: "a.example") == IPAddress.list("192.0.2.9") }
        #expect(fixture.loader.requests.count == 4)
    }

    @Test("Negative answers are cached for their time")
    func negative() async throws {
        let fixture = try ResolverFixture()
        let zone = TestMessage.Record.soa("example", minimum: 30)
        fixture.loader.set([], zone: zone, missing: ["b.example"])
        for (host, status) in [("a.example", NameAnswer.Status.noData), ("b.example", .nameError)] {
            let answer = try await fixture.resolver.answer(for: host)
            #expect(answer.status == status && answer.addresses.isEmpty && answer.timeToLive == 30, "\(host)")
            let count = fixture.loader.requests.count
            let cached = try await fixture.resolver.answer(for: host)
            #expect(cached.status == status && cached.cacheState == .negative && cached.reason == .cached, "\(host)")
            #expect(fixture.resolver.knownAddresses(of: host) == nil)
            #expect(fixture.loader.requests.count == count)
            fixture.clock.advance(by: .seconds(30))
            _ = try await fixture.resolver.answer(for: host)
            #expect(fixture.loader.requests.count > count)
        }
    }

    @Test("Hints of HTTPS records are used without addresses, and aliases without addresses are asked for")
    func services() async throws {
        let fixture = try ResolverFixture()
        let hint: [UInt8] = [0, 1, 0, 0, 4, 0, 4, 192, 0, 2, 7]
        let alias: [UInt8] = [0, 0] + TestMessage.name("edge.example")
        fixture.loader.set(
            [
                TestMessage.Record("hint.example", 65, hint), TestMessage.Record("apex.example", 65, alias),
                .a("edge.example", "192.0.2.8", timeToLive: 400), .cname("only.example", "edge.example"),
            ], zone: .soa("example", minimum: 30))
        let hinted = try await fixture.resolver.answer(for: "hint.example")
        #expect(hinted.addresses.map(\.origin) == [.httpsHint])
        #expect(hinted.addresses.map(\.address) == IPAddress.list("192.0.2.7"))
        let aliased = try await fixture.resolver.answer(for: "apex.example")
        #expect(aliased.addresses.map(\.address) == IPAddress.list("192.0.2.8"))
        #expect(aliased.aliases == ["edge.example"] && aliased.timeToLive == 300)
        let chained = try await fixture.resolver.answer(for: "only.example")
        #expect(chained.addresses.map(\.address) == IPAddress.list("192.0.2.8") && chained.aliases == ["edge.example"])
    }

    @Test("A loop of aliases from question to question ends")
    func loops() async throws {
        let other = try ResolverFixture(servers: 1, usesSystem: false)
        let aliases = [("loop.example", "pool.example"), ("pool.example", "loop.example")]
        other.loader.set(
            aliases.map { TestMessage.Record($0, 65, [0, 0] + TestMessage.name($1)) },
            zone: .soa("example", minimum: 30))
        let error = await #expect(throws: NameResolutionError.self) {
            try await other.resolver.answer(for: "loop.example")
        }
        #expect(error?.code == .tooManyAliases && other.loader.requests.count == 3 * ServerClient.maxNames)
    }

    @Test("An answer with one family is used if the question for the other fails")
    func oneFamily() async throws {
        let fixture = try ResolverFixture(servers: 1, usesSystem: false)
        fixture.loader.set(
            .bytes { question in
                var message = TestMessage("a.example", type: question.type.rawValue)
                if question.type == .a { message.answers = [.a("a.example", "192.0.2.1")] } else { message.flags |= 2 }
                return message.bytes
            }, of: ResolverFixture.first)
        #expect(try await fixture.resolver.addresses(of: "a.example") == IPAddress.list("192.0.2.1"))
    }

    @Test("Names of this computer and reserved names are not looked up")
    func reserved() async throws {
        let fixture = try ResolverFixture()
        for host in ["localhost", "api.localhost"] {
            let answer = try await fixture.resolver.answer(for: host)
            #expect(answer.reason == .localhost, "\(host)")
            #expect(answer.addresses.map(\.address) == IPAddress.list("::1", "127.0.0.1"), "\(host)")
        }
        for host in ["a.invalid", "b.onion"] {
            let answer = try await fixture.resolver.answer(for: host)
            #expect(answer.reason == .neverResolved && answer.status == .nameError, "\(host)")
        }
        for host in ["192.0.2.1", "a b", "", "[::1]"] {
            let error = await #expect(throws: NameResolutionError.self) { try await fixture.resolver.answer(for: host) }
            #expect(error?.code == .invalidName, "\(host)")
        }
        #expect(fixture.loader.requests.isEmpty && fixture.system.hosts.isEmpty)
    }

    @Test("Local names, servers and hosts without an order are left to the system")
    func systemHosts() async throws {
        let fixture = try ResolverFixture(rules: ["*.off.example": .off, "dns.example": .secureFirst])
        let hosts = [
            "printer.local", "box", "nas.home.arpa", "1.2.0.192.in-addr.arpa", "1.ip6.arpa", "ipv4only.arpa",
            "a.off.example",
        ]
        for host in hosts {
            #expect(!fixture.resolver.resolves(host), "\(host)")
            fixture.system.set(own, of: host)
            let answer = try await fixture.resolver.answer(for: host)
            #expect(answer.reason == .system && answer.addresses.map(\.origin) == [.system, .system], "\(host)")
            #expect(fixture.resolver.knownAddresses(of: host) == nil, "\(host)")
        }
        #expect(fixture.system.hosts == hosts && fixture.loader.requests.isEmpty)
        #expect(fixture.resolver.resolves("a.example") && fixture.resolver.resolves("dns.example"))
        let server = try ResolverServer(url: "https://dns.example/q")
        let other = NameResolver(.init(servers: [.doh(server)]), loader: fixture.loader, system: fixture.system)
        #expect(!other.resolves("dns.example") && other.resolves("a.example"))
        #expect(!NameResolver(.init(servers: []), loader: fixture.loader).resolves("a.example"))
    }

    @Test("Look-ups ahead run four at a time and skip known hosts")
    func preparation() async throws {
        let fixture = try ResolverFixture(servers: 1, rules: ["off.example": .off])
        let hosts = (0..<10).map { "h\($0).example" }
        fixture.loader.set(hosts.map { .a($0, "192.0.2.1") })
        _ = try await fixture.resolver.addresses(of: "h0.example")
        fixture.loader.gate.close()
        fixture.resolver.prepare(hosts + ["off.example"] + hosts)
        try await until { Set(fixture.loader.requests.map(\.host)).count == 5 && fixture.loader.requests.count == 10 }
        #expect(fixture.resolver.counters.lookUps == 5)
        fixture.loader.gate.open()
        await fixture.resolver.prepared()
        #expect(fixture.resolver.counters.lookUps == 10 && fixture.loader.requests.count == 20)
        #expect(hosts.allSatisfy { fixture.resolver.knownAddresses(of: $0) == IPAddress.list("192.0.2.1") })
        #expect(fixture.system.hosts.isEmpty)
    }
}
