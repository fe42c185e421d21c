// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing
import WebSyntax

@testable import NameResolution

/// Changes of the network, and answers that are stored for the next launch.
@Suite(.timeLimit(.minutes(1)))
struct NetworkChangeTests {
    private let home = NetworkIdentity(name: "home")
    private let office = NetworkIdentity(name: "office")
    private let own = IPAddress.list("192.0.2.1")

    private func fixture(_ network: NetworkIdentity?, publicHosts: [String] = []) throws -> ResolverFixture {
        let fixture = try ResolverFixture(
            servers: 1, publicHosts: publicHosts, rules: ["off.example": .off, "system.example": .systemFirst])
        fixture.loader.set(
            [.a("a.example", "192.0.2.1"), .a("b.example", "192.0.2.1", timeToLive: 100)],
            zone: .soa("example", minimum: 60))
        fixture.system.set(own, of: "system.example")
        fixture.resolver.changeNetwork(to: network)
        return fixture
    }

    @Test("A change of the network drops answers, and they come back with the network")
    func change() async throws {
        let fixture = try fixture(home)
        let resolver = fixture.resolver
        _ = try await resolver.addresses(of: "a.example")
        _ = try await resolver.addresses(of: "system.example")
        resolver.changeNetwork(to: home)
        #expect(resolver.knownAddresses(of: "a.example") == own)
        resolver.changeNetwork(to: office)
        #expect(resolver.knownAddresses(of: "a.example") == nil)
        resolver.changeNetwork(to: home)
        #expect(resolver.knownAddresses(of: "a.example") == own)
        #expect(resolver.knownAddresses(of: "system.example") == nil)
        // Two unknown networks can be different.
        resolver.changeNetwork(to: nil)
        _ = try await resolver.addresses(of: "a.example")
        resolver.changeNetwork(to: nil)
        #expect(resolver.knownAddresses(of: "a.example") == nil)
    }

    @Test("The answer of a look-up that began in another network is not stored, and not shared")
    func lookUpsUnderWay() async throws {
        let fixture = try fixture(home)
        fixture.loader.gate.close()
        let first = Task { try await fixture.resolver.addresses(of: "a.example") }
        try await until { fixture.loader.requests.count == 2 }
        fixture.resolver.changeNetwork(to: office)
        let second = Task { try await fixture.resolver.addresses(of: "a.example") }
        try await until { fixture.loader.requests.count == 4 }
        fixture.resolver.removeAll()
        fixture.loader.gate.open()
        #expect(try await first.value == own)
        #expect(try await second.value == own)
        #expect(fixture.resolver.knownAddresses(of: "a.example") == nil)
    }

    @Test("Results of connections are those of a network")
    func results() async throws {
        let fixture = try fixture(home)
        _ = try await fixture.resolver.addresses(of: "a.example")
        fixture.resolver.record(.failed, of: own[0], for: "a.example")
        #expect(fixture.resolver.knownAddresses(of: "a.example") == nil)
        fixture.resolver.changeNetwork(to: office)
        #expect(try await fixture.resolver.answer(for: "a.example").source == .doh)
        #expect(fixture.resolver.knownAddresses(of: "a.example") == own)
    }

    @Test("Stored answers are used in the same network only, without those of the system and negative ones")
    func restore() async throws {
        let fixture = try fixture(home)
        for host in ["a.example", "b.example", "system.example", "missing.example"] {
            _ = try await fixture.resolver.addresses(of: host)
        }
        fixture.clock.advance(by: .seconds(150))
        let document = try #require(fixture.resolver.storedAnswers())
        let text = String(decoding: document, as: UTF8.self)
        #expect(text.contains("a.example") && !text.contains("system.example") && !text.contains("missing.example"))

        let same = try self.fixture(home)
        same.clock.advance(by: .seconds(150))
        try same.resolver.restore(document)
        let answer = try await same.resolver.answer(for: "a.example")
        #expect(answer.addresses.map(\.address) == own && answer.cacheState == .fresh && answer.timeToLive == 150)
        #expect(try await same.resolver.answer(for: "b.example").cacheState == .stale)
        #expect(same.resolver.counters.lookUps == 1)

        for network in [office, nil] {
            let other = try self.fixture(network)
            other.clock.advance(by: .seconds(150))
            try other.resolver.restore(document)
            #expect(other.resolver.knownAddresses(of: "a.example") == nil)
            // The answers wait for their network.
            other.resolver.changeNetwork(to: home)
            #expect(other.resolver.knownAddresses(of: "a.example") == own)
            other.resolver.removeAll()
            #expect(other.resolver.knownAddresses(of: "a.example") == nil && other.resolver.storedAnswers() == nil)
        }
    }

    @Test("At most four networks are stored, the most recently used ones")
    func networks() async throws {
        let fixture = try fixture(NetworkIdentity(name: "n0"))
        for number in 0..<6 {
            fixture.resolver.changeNetwork(to: NetworkIdentity(name: "n\(number)"))
            _ = try await fixture.resolver.addresses(of: "a.example")
        }
        let stored = try #require(fixture.resolver.storedAnswers())
        let document = try StoredNetworks(json: stored)
        #expect(document.networks.map(\.network.name) == ["n5", "n4", "n3", "n2"])
    }

    @Test("Stored answers that the rules do not permit are ignored")
    func rules() throws {
        let answers = [("a.example", "192.0.2.1"), ("off.example", "192.0.2.1"), ("public.example", "127.0.0.1")].map {
            StoredAnswers.Answer(host: $0, addresses: [$1], lifetime: 100, source: .doh)
        }
        let system = StoredAnswers.Answer(host: "s.example", addresses: ["192.0.2.1"], lifetime: 100, source: .system)
        let document = StoredNetworks([StoredAnswers(network: home, time: 1_000_000, answers: answers + [system])])
        let fixture = try fixture(home, publicHosts: ["public.example"])
        let json = try #require(document.json())
        try fixture.resolver.restore(json)
        #expect(fixture.resolver.knownAddresses(of: "a.example") == own)
        for host in ["off.example", "public.example", "s.example"] {
            #expect(fixture.resolver.knownAddresses(of: host) == nil, "\(host)")
        }
        #expect(!fixture.resolver.resolves("off.example"))
    }

    @Test(
        "A hostile document changes nothing",
        arguments: [
            "", "[]", "{}", "{\"networks\":1}", "{\"networks\":[1]}",
            String(repeating: "[", count: 10_000), "{\"networks\":[],\"networks\":[]}", "{\"networks\":[]} x",
        ])
    func hostile(text: String) throws {
        let fixture = try fixture(home)
        let error = #expect(throws: NameResolutionError.self) { try fixture.resolver.restore(Data(text.utf8)) }
        #expect(error?.code == .badMessage)
        #expect(fixture.resolver.storedAnswers() == nil)
    }

    @Test("Hostile answers of a document are ignored, and a long document is refused")
    func hostileAnswers() throws {
        let fixture = try fixture(home)
        let template = """
            {"networks":[{"answers":[
            {"addresses":["192.0.2.1"],"host":"late.example","lifetime":-9223372036854775808,"source":"doh"},
            {"addresses":["192.0.2.1"],"host":"long.example","lifetime":9223372036854775807,"source":"doh"},
            {"addresses":["x","999.1.1.1"],"host":"text.example","lifetime":100,"source":"doh"},
            {"addresses":["192.0.2.1"],"host":"a b","lifetime":100,"source":"doh"},
            {"addresses":["192.0.2.1"],"host":"good.example","lifetime":100,"source":"doh"}
            ],"network":{"name":"home"},"time":TIME,"version":1}]}
            """
        for time in ["9223372036854775807", "-9223372036854775808", "1000001"] {
            try fixture.resolver.restore(Data(template.replacing("TIME", with: time).utf8))
            #expect(fixture.resolver.knownAddresses(of: "good.example") == nil, "\(time)")
            fixture.resolver.removeAll()
        }
        try fixture.resolver.restore(Data(template.replacing("TIME", with: "1000000").utf8))
        #expect(fixture.resolver.knownAddresses(of: "good.example") == own)
        for host in ["late.example", "long.example", "text.example", "a b"] {
            #expect(fixture.resolver.knownAddresses(of: host) == nil, "\(host)")
        }
        let long = template + String(repeating: " ", count: StoredNetworks.maxBytes)
        let error = #expect(throws: NameResolutionError.self) { try fixture.resolver.restore(Data(long.utf8)) }
        #expect(error?.code == .tooLarge)
    }

    @Test("The document keeps its limits, and the newest answers")
    func limits() throws {
        let networks = (0..<6).map { network in
            StoredAnswers(
                network: NetworkIdentity(name: "n\(network)"), time: 0,
                answers: (0..<1_500).map { number in
                    .init(
                        host: "a-rather-long-name-\(number).cdn.shop.example",
                        addresses: ["192.0.2.1", "2001:db8::1", "2001:db8::2"], lifetime: 100, source: .doh)
                })
        }
        let document = StoredNetworks(networks)
        let json = try #require(document.json())
        #expect(json.count <= StoredNetworks.maxBytes && json.count > StoredNetworks.maxBytes / 2)
        #expect(document.networks.first?.answers.count == 1_000 && document.networks.count <= 4)
        #expect(document.networks.allSatisfy { $0.answers.first?.host.contains("-0.") == true })
        #expect(try StoredNetworks(json: json) == document)
    }
}
