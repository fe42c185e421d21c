// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@testable import NameResolution

/// Lifetimes, stale and negative answers, and networks (RFC 2308, section 5; RFC 8767, sections 4 and 5).
@Suite(.timeLimit(.minutes(1)))
final class AnswerCacheTests {
    private let home = NetworkIdentity(name: "192.0.2.254 eth0")
    private let addresses = IPAddress.list("192.0.2.1", "2001:db8::1")
    private var cache = AnswerCache(network: NetworkIdentity(name: "192.0.2.254 eth0"))

    private func insert(
        _ host: String = "host.example", _ addresses: [IPAddress]? = nil, lifetime: UInt32? = 100,
        at now: Duration = .zero
    ) {
        cache.insert(
            addresses ?? self.addresses, from: .doh, lifetime: lifetime, for: host, startedIn: cache.generation,
            now: now)
    }

    /// Returns the state of a look-up as a word.
    private func state(_ host: String = "host.example", at seconds: Int) -> String {
        switch cache.lookUp(host, now: .seconds(seconds)) {
        case .fresh: "fresh"
        case .stale(_, needsRefresh: true): "refresh"
        case .stale(_, needsRefresh: false): "stale"
        case .missing: "missing"
        }
    }

    @Test("An answer is fresh until its lifetime ends, and then stale for a day")
    func lifetime() throws {
        #expect(state(at: 0) == "missing")
        insert()
        guard case .fresh(let answer) = cache.lookUp("host.example", now: .zero) else {
            Issue.record("no fresh answer")
            return
        }
        #expect(answer.addresses == addresses && answer.source == .doh && answer.expiry == .seconds(100))
        #expect(state(at: 99) == "fresh")
        #expect(state(at: 100) == "refresh")
        #expect(state(at: 86_499) == "refresh")
        #expect(state(at: 86_500) == "missing")
        #expect(cache.count == 0 && cache.bytes == 0)
    }

    @Test("One caller refreshes a stale answer in each interval")
    func refreshes() {
        insert()
        #expect(
            [100, 101, 129, 130, 131, 160].map { state(at: $0) } == [
                "refresh", "stale", "stale", "refresh", "stale", "refresh",
            ])
        insert(at: .seconds(160))
        #expect(state(at: 259) == "fresh")
        #expect(state(at: 260) == "refresh")
    }

    @Test("A lifetime has a floor and a ceiling")
    func limits() {
        insert(lifetime: 0)
        #expect(state(at: 9) == "fresh")
        #expect(state(at: 10) == "refresh")
        insert(lifetime: .max)
        #expect(state(at: 604_799) == "fresh")
        #expect(state(at: 604_800) == "refresh")
    }

    @Test("A negative answer has a short lifetime, is never stale, and replaces an older answer")
    func negative() {
        insert()
        insert("host.example", [], lifetime: 3_600)
        #expect(state(at: 59) == "fresh")
        #expect(state(at: 60) == "missing")
        insert("host.example", [], lifetime: 1)
        #expect(state(at: 9) == "fresh")
    }

    @Test("An answer without a lifetime is not stored, and removes an older answer")
    func unstorable() {
        insert()
        insert(lifetime: nil)
        #expect(state(at: 0) == "missing")
    }

    @Test("Names are equal in either case and with a trailing dot, and invalid names are not stored")
    func names() {
        insert("HOST.Example.")
        #expect(state("host.example", at: 0) == "fresh")
        #expect(state("Host.example.", at: 0) == "fresh")
        for host in ["", "a b", "192.0.2.1", "é.example"] {
            insert(host)
            #expect(state(host, at: 0) == "missing", "\(host)")
        }
    }

    @Test("A change of the network removes all answers and those of look-ups under way")
    func networks() {
        insert()
        cache.changeNetwork(to: home)
        #expect(state(at: 0) == "fresh")
        let generation = cache.generation
        cache.changeNetwork(to: NetworkIdentity(name: "198.51.100.254 wlan0"))
        #expect(state(at: 0) == "missing")
        cache.insert(addresses, from: .doh, lifetime: 100, for: "host.example", startedIn: generation, now: .zero)
        #expect(state(at: 0) == "missing")
        insert()
        #expect(state(at: 0) == "fresh")
        // Two unknown networks can be different.
        cache.changeNetwork(to: nil)
        insert()
        cache.changeNetwork(to: nil)
        #expect(state(at: 0) == "missing")
    }

    @Test("10,000 names with four addresses need less than 8 MB, and the oldest are removed after them")
    func size() {
        let four = IPAddress.list("192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2")
        for number in 0..<10_010 { insert("a-rather-long-name-\(number).cdn.shop.example", four) }
        #expect(cache.count == 10_000 && cache.bytes <= 8 << 20)
        #expect(state("a-rather-long-name-9.cdn.shop.example", at: 0) == "missing")
        #expect(state("a-rather-long-name-10.cdn.shop.example", at: 0) == "fresh")
        let many = (0..<100).compactMap { IPAddress("192.0.2.\($0)") }
        insert("host.example", many)
        guard case .fresh(let answer) = cache.lookUp("host.example", now: .zero) else {
            Issue.record("no fresh answer")
            return
        }
        #expect(answer.addresses == Array(many.prefix(32)))
    }
}
