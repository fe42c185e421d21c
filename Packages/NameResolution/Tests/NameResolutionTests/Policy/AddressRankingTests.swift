// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@testable import NameResolution

/// The order of addresses (RFC 8305, section 4).
@Suite(.timeLimit(.minutes(1)))
final class AddressRankingTests {
    private let addresses = IPAddress.list("192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "2001:db8::3")
    private var ranking = AddressRanking()

    private func order(at seconds: Int = 0, of addresses: [IPAddress]? = nil) -> [String] {
        ranking.ranked(addresses ?? self.addresses, for: "host.example", now: .seconds(seconds)).map(\.description)
    }

    private func parse(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test("The families alternate, IPv6 first, in the order of the answer")
    func interleaving() {
        #expect(order() == ["2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "2001:db8::3"])
        #expect(order(of: IPAddress.list("192.0.2.2", "192.0.2.1")) == ["192.0.2.2", "192.0.2.1"])
        #expect(order(of: IPAddress.list("2001:db8::1")) == ["2001:db8::1"])
        #expect(order(of: []) == [])
    }

    @Test("The last good address is first, if the answer has it")
    func lastGood() throws {
        ranking.recordSuccess(of: try parse("192.0.2.2"), for: "host.example")
        #expect(order() == ["192.0.2.2", "2001:db8::1", "192.0.2.1", "2001:db8::2", "2001:db8::3"])
        ranking.recordSuccess(of: try parse("2001:db8::3"), for: "host.example")
        #expect(order() == ["2001:db8::3", "192.0.2.1", "2001:db8::1", "192.0.2.2", "2001:db8::2"])
        #expect(order(of: IPAddress.list("192.0.2.1", "2001:db8::1")) == ["2001:db8::1", "192.0.2.1"])
        #expect(ranking.ranked(addresses, for: "other.example", now: .zero).first?.description == "2001:db8::1")
        ranking.removeAll()
        #expect(order().first == "2001:db8::1")
    }

    @Test("A failed address comes last for a minute")
    func failures() throws {
        ranking.recordFailure(of: try parse("2001:db8::1"), for: "host.example", now: .zero)
        ranking.recordFailure(of: try parse("192.0.2.1"), for: "host.example", now: .seconds(-10))
        let setAside = ["2001:db8::2", "192.0.2.2", "2001:db8::3", "192.0.2.1", "2001:db8::1"]
        #expect(order(at: 0) == setAside)
        #expect(order(at: 49) == setAside)
        #expect(order(at: 50) == ["2001:db8::2", "192.0.2.1", "2001:db8::3", "192.0.2.2", "2001:db8::1"])
        #expect(order(at: 60).first == "2001:db8::1")
        // All addresses that have failed are still tried.
        for address in addresses { ranking.recordFailure(of: address, for: "host.example", now: .seconds(60)) }
        #expect(Set(order(at: 61)) == Set(addresses.map(\.description)))
    }

    @Test("A failure ends the preference of an address, and a success ends its failure")
    func changes() throws {
        let address = try parse("192.0.2.2")
        ranking.recordSuccess(of: address, for: "host.example")
        ranking.recordFailure(of: address, for: "host.example", now: .zero)
        #expect(order().last == "192.0.2.2")
        ranking.recordSuccess(of: address, for: "host.example")
        #expect(order().first == "192.0.2.2")
    }

    @Test("The number of remembered failures and hosts is limited")
    func limits() throws {
        for number in 0..<100 {
            let address = try parse("198.51.100.\(number)")
            ranking.recordFailure(of: address, for: "host.example", now: .zero)
        }
        let addresses = try (0..<100).map { try parse("198.51.100.\($0)") }
        #expect(order(of: addresses).first == "198.51.100.\(AddressRanking.maxFailures)")
        for number in 0..<AddressRanking.maxHosts {
            ranking.recordSuccess(of: addresses[1], for: "\(number).example")
        }
        #expect(order(of: addresses).first == "198.51.100.0")
    }
}
