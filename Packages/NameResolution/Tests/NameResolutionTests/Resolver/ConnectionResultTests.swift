// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ResourceLoading
import Testing
import WebSyntax

@testable import NameResolution

/// The results of connections, and the switches.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionResultTests {
    private let own = IPAddress.list("2001:db8::1", "192.0.2.1")
    private let others = IPAddress.list("192.0.2.100")

    private func fixture() throws -> ResolverFixture {
        let fixture = try ResolverFixture(servers: 1)
        let hosts = (0..<16).map { "h\($0).example" }
        fixture.loader.set(hosts.flatMap { [.a($0, "192.0.2.1"), .aaaa($0, "2001:db8::1")] })
        for host in hosts { fixture.system.set(others, of: host) }
        return fixture
    }

    @Test("A failed address is set aside, and the last good one is first")
    func ranking() async throws {
        let fixture = try fixture()
        let resolver = fixture.resolver
        #expect(try await resolver.addresses(of: "h0.example") == own)
        resolver.record(.failed, of: own[0], for: "h0.example")
        #expect(resolver.knownAddresses(of: "h0.example") == [own[1], own[0]])
        resolver.record(.connected, of: own[0], for: "h0.example")
        #expect(resolver.knownAddresses(of: "h0.example") == own)
        resolver.record(.connected, of: own[1], for: "h0.example")
        #expect(resolver.knownAddresses(of: "h0.example") == [own[1], own[0]])
        // The order is kept when the answer is refreshed.
        fixture.clock.advance(by: .seconds(301))
        _ = resolver.knownAddresses(of: "h0.example")
        try await until { resolver.counters.serverAnswers == 2 }
        #expect(resolver.knownAddresses(of: "h0.example") == [own[1], own[0]])
        #expect(resolver.counters.connectionFallbacks == 0 && fixture.system.hosts.isEmpty)
    }

    @Test("The system is asked after all addresses of the servers have failed")
    func fallback() async throws {
        let fixture = try fixture()
        let resolver = fixture.resolver
        _ = try await resolver.addresses(of: "h0.example")
        resolver.record(.failed, of: own[0], for: "h0.example")
        #expect(resolver.knownAddresses(of: "h0.example") != nil)
        resolver.record(.failed, of: own[1], for: "h0.example")
        #expect(resolver.knownAddresses(of: "h0.example") == nil && resolver.resolves("h0.example"))
        let answer = try await resolver.answer(for: "h0.example")
        #expect(answer.addresses.map(\.address) == others && answer.reason == .serversFailed)
        resolver.record(.connected, of: others[0], for: "h0.example")
        #expect(resolver.counters.connectionFallbacks == 1 && resolver.knownAddresses(of: "h0.example") == others)
        // A second connection is no second failure.
        resolver.record(.connected, of: others[0], for: "h0.example")
        #expect(resolver.counters.connectionFallbacks == 1 && fixture.events.isEmpty)
        // The servers are asked again after the system's answer.
        fixture.clock.advance(by: .seconds(60))
        #expect(try await resolver.answer(for: "h0.example").reason == .answeredByServer)
    }

    @Test("A refresh with the addresses that have failed does not end the fallback")
    func refreshedFailures() async throws {
        let fixture = try fixture()
        let resolver = fixture.resolver
        _ = try await resolver.addresses(of: "h0.example")
        fixture.clock.advance(by: .seconds(300))
        fixture.loader.gate.close()
        #expect(resolver.knownAddresses(of: "h0.example") == own)
        for address in own { resolver.record(.failed, of: address, for: "h0.example") }
        fixture.loader.gate.open()
        try await until { resolver.counters.serverAnswers == 2 && resolver.lookUpCount == 0 }
        #expect(try await resolver.addresses(of: "h0.example") == others)
    }

    @Test("Failures without a connection to an address of the system do not count")
    func offline() async throws {
        let fixture = try fixture()
        let resolver = fixture.resolver
        for number in 0..<6 {
            let host = "h\(number).example"
            if number.isMultiple(of: 2) { fixture.system.set(nil, of: host) }
            _ = try await resolver.addresses(of: host)
            for address in own { resolver.record(.failed, of: address, for: host) }
            if number.isMultiple(of: 2) {
                await #expect(throws: NameResolutionError.self) { try await resolver.addresses(of: host) }
                #expect(Set(resolver.knownAddresses(of: host) ?? []) == Set(own))
            } else {
                #expect(try await resolver.addresses(of: host) == others)
                resolver.record(.failed, of: others[0], for: host)
            }
        }
        #expect(fixture.events.isEmpty && resolver.resolves("h0.example"))
        #expect(resolver.counters.connectionFallbacks == 0)
    }

    @Test("Five failed connections switch the servers off with one event")
    func connections() async throws {
        let fixture = try fixture()
        let resolver = fixture.resolver
        for number in 0..<5 {
            let host = "h\(number).example"
            #expect(resolver.resolves(host) && fixture.events.isEmpty)
            _ = try await resolver.addresses(of: host)
            for address in own { resolver.record(.failed, of: address, for: host) }
            _ = try await resolver.addresses(of: host)
            resolver.record(.connected, of: others[0], for: host)
        }
        #expect(fixture.events == [.switchedOff(.connections)])
        #expect(!resolver.resolves("h0.example") && resolver.knownAddresses(of: "h0.example") == nil)
        // The switch of the app does not turn them on again.
        fixture.feature.set(false)
        fixture.feature.set(true)
        #expect(!resolver.resolves("h0.example"))
        let count = fixture.loader.requests.count
        #expect(try await resolver.answer(for: "h7.example").reason == .system)
        #expect(fixture.loader.requests.count == count)
    }

    @Test("Five failed look-ups, one after the other, switch the servers off with one event")
    func lookUps() async throws {
        let fixture = try fixture()
        fixture.loader.set(.status(500), of: ResolverFixture.first)
        fixture.system.gate.close()
        let tasks = (0..<8).map { number in
            Task { try await fixture.resolver.addresses(of: "h\(number).example") }
        }
        try await until { fixture.system.hosts.count == 8 }
        fixture.clock.advance(by: .milliseconds(1))
        fixture.system.gate.open()
        for task in tasks { #expect(try await task.value == others) }
        try await until { fixture.resolver.counters.serverFailures == 8 }
        #expect(fixture.events == [] && fixture.resolver.resolves("h0.example"))
        for number in 10..<16 { _ = try await fixture.resolver.addresses(of: "h\(number).example") }
        try await until { !fixture.events.isEmpty }
        #expect(fixture.events == [.switchedOff(.lookUps)])
        #expect(!fixture.resolver.resolves("h0.example"))
    }

    @Test("Failed look-ups do not count while the system fails too, and a success resets them")
    func unreachable() async throws {
        let fixture = try fixture()
        fixture.loader.set(.status(500), of: ResolverFixture.first)
        for number in 0..<8 { fixture.system.set(nil, of: "h\(number).example") }
        for number in 0..<8 {
            await #expect(throws: NameResolutionError.self) {
                try await fixture.resolver.addresses(of: "h\(number).example")
            }
        }
        #expect(fixture.resolver.counters.serverFailures == 8 && fixture.resolver.resolves("h0.example"))
        for number in 0..<8 { fixture.system.set(others, of: "h\(number).example") }
        for number in 0..<7 {
            fixture.loader.set(number == 3 ? .answers : .status(500), of: ResolverFixture.first)
            _ = try await fixture.resolver.addresses(of: "h\(number).example")
        }
        #expect(fixture.resolver.resolves("h0.example") && fixture.events.isEmpty)
    }

    @Test("The switch turns the servers off and on, and the cache stays")
    func remoteSwitch() async throws {
        let fixture = try fixture()
        let resolver = fixture.resolver
        _ = try await resolver.addresses(of: "h0.example")
        fixture.feature.set(false)
        #expect(!resolver.resolves("h0.example") && !resolver.resolves("h1.example"))
        #expect(resolver.knownAddresses(of: "h0.example") == nil)
        #expect(try await resolver.answer(for: "h1.example").reason == .system)
        fixture.feature.set(true)
        #expect(resolver.knownAddresses(of: "h0.example") == own)
        #expect(try await resolver.answer(for: "h1.example").reason == .answeredByServer)
        #expect(fixture.events.isEmpty)
    }
}
