// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing
import WebSyntax

@testable import NameResolution

/// Answers in a file.
@Suite(.timeLimit(.minutes(1)))
struct StoredAnswersTests {
    private let home = NetworkIdentity(name: "192.0.2.254 eth0")
    private let addresses = IPAddress.list("192.0.2.1", "2001:db8::1")

    private func filled() -> AnswerCache {
        var cache = AnswerCache(network: home)
        for (host, lifetime): (String, UInt32) in [("a.example", 100), ("b.example", 1_000), ("c.example", 50)] {
            cache.insert(
                addresses, from: .httpDNS, lifetime: lifetime, for: host, startedIn: cache.generation, now: .zero)
        }
        cache.insert([], from: .doh, lifetime: 60, for: "d.example", startedIn: cache.generation, now: .zero)
        return cache
    }

    @Test("Answers come back with the rest of their lifetime and in the order of their use")
    func roundTrip() throws {
        let json = try #require(filled().stored(now: .seconds(60), time: 1_000_000)).json()
        let stored = try StoredAnswers(json: json)
        #expect(stored.answers.map(\.host) == ["c.example", "b.example", "a.example"])
        #expect(stored.answers.map(\.lifetime) == [-10, 940, 40])

        var cache = AnswerCache(network: home)
        cache.restore(stored, now: .seconds(5), time: 1_000_030)
        #expect(cache.count == 3)
        guard case .fresh(let answer) = cache.lookUp("a.example", now: .seconds(5)) else {
            Issue.record("no fresh answer")
            return
        }
        #expect(answer.addresses == addresses && answer.source == .httpDNS && answer.expiry == .seconds(15))
        guard case .stale(_, needsRefresh: true) = cache.lookUp("c.example", now: .seconds(5)) else {
            Issue.record("no stale answer")
            return
        }
        #expect(
            cache.stored(now: .seconds(5), time: 1_000_030)?.answers.map(\.host) == [
                "c.example", "a.example", "b.example",
            ])
    }

    @Test("Answers of another or an unknown network and of a later time are not used")
    func otherNetworks() throws {
        let stored = try #require(filled().stored(now: .zero, time: 1_000_000))
        for (network, time) in [
            (NetworkIdentity(name: "other"), 1_000_000), (nil, 1_000_000), (home, 999_999), (home, Int64.min),
            (home, 1_000_000 + 100_000),
        ] as [(NetworkIdentity?, Int64)] {
            var cache = AnswerCache(network: network)
            cache.restore(stored, now: .zero, time: time)
            #expect(cache.count == 0, "\(String(describing: network)) \(time)")
        }
        #expect(AnswerCache().stored(now: .zero, time: 0) == nil)
    }

    @Test("An answer in the cache is newer than a stored one")
    func newerAnswers() throws {
        let stored = try #require(filled().stored(now: .zero, time: 0))
        var cache = AnswerCache(network: home)
        let newer = IPAddress.list("198.51.100.1")
        cache.insert(newer, from: .doh, lifetime: 10, for: "a.example", startedIn: cache.generation, now: .zero)
        cache.restore(stored, now: .zero, time: 0)
        guard case .fresh(let answer) = cache.lookUp("a.example", now: .zero) else {
            Issue.record("no fresh answer")
            return
        }
        #expect(answer.addresses == newer && cache.count == 3)
    }

    @Test("Invalid answers in a file are ignored")
    func invalidAnswers() {
        func answer(_ host: String, _ addresses: [String], _ lifetime: Int64) -> StoredAnswers.Answer {
            StoredAnswers.Answer(host: host, addresses: addresses, lifetime: lifetime, source: .doh)
        }
        let stored = StoredAnswers(
            network: home, time: 0,
            answers: [
                answer("a b", ["192.0.2.1"], 10), answer("192.0.2.1", ["192.0.2.1"], 10), answer("no.example", [], 10),
                answer("bad.example", ["x"], 10), answer("long.example", ["192.0.2.1"], 604_802),
                answer("old.example", ["192.0.2.1"], -86_400), answer("min.example", ["192.0.2.1"], .min),
                answer("good.example", ["192.0.2.1", "x"], 10), answer("GOOD.example", ["192.0.2.2"], 10),
            ])
        var cache = AnswerCache(network: home)
        cache.restore(stored, now: .zero, time: 1)
        #expect(cache.count == 1)
    }

    @Test(
        "Files that are too long or not of this form are rejected",
        arguments: [
            "", "[]", "{}", #"{"answers":[],"network":{"name":"a"},"time":0}"#,
            #"{"answers":[{}],"network":{"name":"a"},"time":0,"version":1}"#,
            #"{"answers":[],"network":{"name":"a"},"time":0,"version":1} x"#,
            #"{"answers":[],"answers":[],"network":{"name":"a"},"time":0,"version":1}"#,
            #"{"answers":[],"network":{"name":"a"},"time":1e300,"version":1}"#,
        ])
    func badFiles(text: String) {
        let error = #expect(throws: NameResolutionError.self) { try StoredAnswers(json: Data(text.utf8)) }
        #expect(error?.code == .badMessage)
    }

    @Test("The length of a file is limited, and another version is not used")
    func limits() throws {
        let long = Data(repeating: 0x20, count: StoredAnswers.maxBytes + 1)
        let error = #expect(throws: NameResolutionError.self) { try StoredAnswers(json: long) }
        #expect(error?.code == .tooLarge)
        let json = try #require(filled().stored(now: .zero, time: 0)).json()
        let text = String(decoding: json, as: UTF8.self)
        for (version, count) in [(1, 3), (2, 0)] {
            let changed = text.replacing(#""version":1"#, with: "\"version\":\(version)")
            var cache = AnswerCache(network: home)
            cache.restore(try StoredAnswers(json: Data(changed.utf8)), now: .zero, time: 0)
            #expect(cache.count == count)
        }
    }
}
