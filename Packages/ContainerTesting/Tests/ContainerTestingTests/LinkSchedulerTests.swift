// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import ContainerTesting

@Suite("A link in virtual time", .timeLimit(.minutes(1)))
struct LinkSchedulerTests {
    private let a = LinkScheduler.ConnectionID(1)
    private let b = LinkScheduler.ConnectionID(2)
    private let c = LinkScheduler.ConnectionID(3)

    /// Returns all segments that a link delivers if it is checked only at `instants`.
    private func drain(_ link: inout LinkScheduler, at instants: [Duration]) -> [LinkScheduler.Segment] {
        instants.flatMap { link.arrivals(until: $0) }
    }

    private func bytes(_ segments: [LinkScheduler.Segment], of connection: LinkScheduler.ConnectionID) -> Int {
        segments.filter { $0.connection == connection }.reduce(0) { sum, segment in
            if case .bytes(let count) = segment.content { sum + count } else { sum }
        }
    }

    @Test("Bytes take exactly their time at the rate, plus the delay")
    func rate() throws {
        // 1.6 Mbit/s are 200 bytes per millisecond.
        var link = LinkScheduler(kilobitsPerSecond: 1_600, delay: .milliseconds(75))
        link.enqueue(.bytes(1_000_000), on: a, readyAt: .zero)
        let segments = drain(&link, at: [.seconds(10)])
        let last = try #require(segments.last)
        #expect(last.departs == .seconds(5))
        #expect(last.arrives == .milliseconds(5_075))
        #expect(link.busy == .seconds(5))
        #expect(bytes(segments, of: a) == 1_000_000)
        #expect(segments.first?.arrives == .microseconds(7_500 + 75_000))
    }

    @Test("The time of a check does not affect the result")
    func slop() {
        var early = LinkScheduler(kilobitsPerSecond: 750, delay: .milliseconds(75))
        var late = early
        for connection in [a, b] {
            early.enqueue(.bytes(40_000), on: connection, readyAt: .milliseconds(3))
            late.enqueue(.bytes(40_000), on: connection, readyAt: .milliseconds(3))
        }
        let often = drain(&early, at: (0...20_000).map { .microseconds($0 * 100) })
        let seldom = drain(&late, at: [.milliseconds(11), .milliseconds(417), .milliseconds(418), .seconds(2)])
        #expect(often == seldom)
        #expect(often.count == 54)
    }

    @Test("An idle link does not accumulate time")
    func idle() {
        var link = LinkScheduler(kilobitsPerSecond: 1_600, delay: .zero)
        link.enqueue(.bytes(200), on: a, readyAt: .zero)
        #expect(link.arrivals(until: .seconds(1)).map(\.arrives) == [.milliseconds(1)])
        link.enqueue(.bytes(400), on: a, readyAt: .seconds(1))
        #expect(link.arrivals(until: .seconds(2)).map(\.arrives) == [.milliseconds(1_002)])
        #expect(link.busy == .milliseconds(3))
    }

    @Test("Connections take turns, independent of their queues")
    func fairness() {
        var link = LinkScheduler(kilobitsPerSecond: 1_600, delay: .zero)
        link.enqueue(.bytes(1_000_000), on: a, readyAt: .zero)
        link.enqueue(.bytes(15_000), on: b, readyAt: .zero)
        link.enqueue(.bytes(15_000), on: c, readyAt: .zero)
        // 45,000 bytes leave in 225 ms: a third for each connection.
        let segments = drain(&link, at: [.milliseconds(225)])
        #expect(bytes(segments, of: a) == 15_000)
        #expect(bytes(segments, of: b) == 15_000)
        #expect(bytes(segments, of: c) == 15_000)
        #expect(segments.prefix(6).map(\.connection) == [a, b, c, a, b, c])
    }

    @Test("A later connection waits for one quantum, not for the whole queue of another connection")
    func latecomer() throws {
        var link = LinkScheduler(kilobitsPerSecond: 1_600, delay: .zero)
        link.enqueue(.bytes(1_000_000), on: a, readyAt: .zero)
        link.enqueue(.bytes(100), on: b, readyAt: .milliseconds(10))
        let first = try #require(drain(&link, at: [.seconds(1)]).first { $0.connection == b })
        // A quantum takes 7.5 ms. At 10 ms the second quantum of `a` is in progress. It ends at 15 ms, and the third
        // quantum of `a` may still precede the 0.5 ms of `b`.
        #expect(first.arrives <= .milliseconds(15) + .microseconds(7_500 + 500))
    }

    @Test("The bytes, end and reset of a connection keep their order")
    func order() {
        var link = LinkScheduler(kilobitsPerSecond: 8, delay: .milliseconds(5))
        link.enqueue(.bytes(2_000), on: a, readyAt: .milliseconds(50))
        // The second segment is ready before the first, but must wait for it.
        link.enqueue(.bytes(1_000), on: a, readyAt: .zero)
        link.enqueue(.end, on: a, readyAt: .zero)
        link.enqueue(.reset, on: a, readyAt: .zero)
        let segments = drain(&link, at: [.seconds(10)])
        #expect(segments.map(\.content) == [.bytes(1_500), .bytes(1_500), .end, .reset])
        #expect(segments.map(\.arrives) == [1_555, 3_055, 3_055, 3_055].map { .milliseconds($0) })
    }

    @Test("Without a rate only the delay applies")
    func unlimited() {
        var link = LinkScheduler(kilobitsPerSecond: nil, delay: .milliseconds(20))
        link.enqueue(.bytes(5_000_000), on: a, readyAt: .milliseconds(1))
        #expect(link.nextWake == .milliseconds(1))
        #expect(link.arrivals(until: .microseconds(20_999)).isEmpty)
        #expect(link.nextWake == .milliseconds(21))
        #expect(link.arrivals(until: .milliseconds(21)).map(\.content) == [.bytes(5_000_000)])
        #expect(link.nextWake == nil)
    }

    @Test("A removed connection frees its turns")
    func removal() {
        var link = LinkScheduler(kilobitsPerSecond: 1_600, delay: .milliseconds(1))
        link.enqueue(.bytes(3_000), on: a, readyAt: .zero)
        link.enqueue(.bytes(3_000), on: b, readyAt: .zero)
        #expect(link.arrivals(until: .zero).isEmpty)
        link.remove(a)
        let segments = drain(&link, at: [.seconds(1)])
        #expect(segments.allSatisfy { $0.connection == b })
        #expect(bytes(segments, of: b) == 3_000)
        // The first quantum of `a` was already sent, so the 3,000 bytes of `b` end after it.
        #expect(segments.last?.departs == .microseconds(22_500))
    }

    @Test("Profiles have the numbers of common tools, and invalid ones are refused")
    func profiles() throws {
        #expect(NetworkProfile(named: "slow-4g") == .slowFourG)
        #expect(NetworkProfile.slowFourG.downKilobits == 1_600)
        #expect(NetworkProfile.slowFourG.roundTrip == .milliseconds(150))
        #expect(NetworkProfile(named: "5g") == nil)
        #expect(NetworkProfile.presets.map(\.name) == ["none", "4g", "slow-4g", "3g", "offline"])
        #expect(NetworkProfile.none.isUnshaped)
        #expect(!NetworkProfile.offline.isUnshaped)
        #expect(throws: ContainerTestingError.self) { try NetworkProfile(downKilobits: 0) }
        #expect(throws: ContainerTestingError.self) { try NetworkProfile(upKilobits: .max) }
        #expect(throws: ContainerTestingError.self) { try NetworkProfile(roundTrip: .milliseconds(-1)) }
        #expect(throws: ContainerTestingError.self) { try NetworkProfile(roundTrip: .seconds(61)) }
    }
}
