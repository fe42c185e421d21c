// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import Prefetch

/// Tests of random sequences of steps, with requests, readers and sources in any state.
@Suite(.timeLimit(.minutes(2)))
struct PrefetchStateTests {
    @Test("No order of steps loses or duplicates a response, mixes accounts, or misses a wake-up", arguments: 0..<8)
    func walks(_ seed: UInt64) throws {
        var outcomes = PrefetchCounters()
        for walk in 0..<50 {
            var world = World(seed: seed * 1_000 + UInt64(walk))
            for _ in 0..<120 { try world.step() }
            try world.finish()
            outcomes.hits += world.state.counters.hits
            outcomes.joins += world.state.counters.joins
            outcomes.wasted += world.state.counters.wasted
            outcomes.failures += world.state.counters.failures
            outcomes.abandoned += world.state.counters.abandoned
            outcomes.mismatches += world.state.counters.mismatches
            outcomes.skipped += world.state.counters.skipped
        }
        // The walks reach all outcomes.
        for count in [
            outcomes.hits, outcomes.joins, outcomes.wasted, outcomes.failures, outcomes.abandoned, outcomes.mismatches,
            outcomes.skipped,
        ] {
            #expect(count > 10)
        }
    }
}

private struct Broken: Error, CustomStringConvertible {
    let description: String
}

/// A model of the state and its users, which checks the invariants.
private struct World {
    struct Source {
        let number: UInt64
        let page: PageID
        let identity: RequestIdentity
        var account: Int?
        var isAnswered = false
        var appended = 0
        var isDone = false
        var isForgotten = false
        var claimant: Int?
        var owner: Int?
        var startedAt: Duration
        var answeredAt: Duration?
    }

    enum Phase: Equatable {
        case joining(UInt64)
        case reading(UInt64, got: Int)
        case over
    }

    struct Requester {
        let own: OwnRequest
        let account: Int
        var tried: Set<UInt64> = []
        var phase = Phase.over
    }

    var state: PrefetchState
    var generator: SeededGenerator
    var now = Duration.zero
    var sources: [UInt64: Source] = [:]
    var requesters: [Requester] = []
    var pages = (0..<3).map { PageID(rawValue: $0) }
    /// The requests whose last step had no result and that have not been notified of a change since.
    var asleep: Set<UInt64> = []

    static let configuration: PrefetchLoader.Configuration = {
        var configuration = PrefetchLoader.Configuration()
        configuration.maxCount = 5
        configuration.maxBytes = 40
        configuration.maxAnswerBytes = 16
        configuration.readAhead = 8
        return configuration
    }()

    init(seed: UInt64) {
        state = PrefetchState(Self.configuration)
        generator = SeededGenerator(seed: seed)
    }

    private func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        guard condition else { throw Broken(description: message()) }
    }

    private mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    private func fields(_ account: Int) -> HTTPFields { [.cookie: "user=\(account)"] }

    private func isDue(_ source: Source) -> Bool {
        source.claimant == nil && source.owner == nil && (source.answeredAt ?? source.startedAt) + .seconds(30) <= now
    }

    /// Removes the sources that the state has dropped by itself.
    private mutating func drop(where condition: (Source) -> Bool) {
        for (number, source) in sources where source.owner == nil && condition(source) { sources[number] = nil }
    }

    private mutating func dropDue() {
        let due = Set(sources.values.filter(isDue).map(\.number))
        drop { due.contains($0.number) }
    }

    /// Removes the sources that were released and have expired, or whose page is closed.
    private mutating func dropForgotten() {
        dropDue()
        drop { $0.isForgotten && $0.claimant == nil }
    }

    mutating func step() throws {
        let before = state
        switch random(12) {
        case 0: try open()
        case 1, 2: try addRequester()
        case 3: try answer()
        case 4, 5: try append()
        case 6: try endOrFail()
        case 7: complete()
        case 8, 9: try go()
        case 10: try endReading()
        default: try rarely()
        }
        try check(since: before)
    }

    private mutating func open() throws {
        let page = pages[random(3)]
        let identities = (0..<3).map { index in
            RequestIdentity(method: "GET", url: "https://a.test/\(index)", body: .none, isDocument: false)
        }
        dropDue()
        let numbers = state.open(page, identities, at: now)
        for (number, identity) in zip(numbers, identities) {
            guard let number else { continue }
            try require(sources.values.allSatisfy { $0.page != page || $0.identity != identity }, "started twice")
            sources[number] = Source(number: number, page: page, identity: identity, startedAt: now)
        }
    }

    private mutating func complete() {
        guard let source = sources.values.filter({ $0.account == nil }).min(by: { $0.number < $1.number }) else {
            return
        }
        let account = random(2)
        guard state.complete(source.number, fields: fields(account)) else { return }
        sources[source.number]?.account = account
    }

    private mutating func pick(_ condition: (Source) -> Bool) -> Source? {
        let found = sources.values.filter(condition).sorted { $0.number < $1.number }
        return found.isEmpty ? nil : found[random(found.count)]
    }

    private mutating func answer() throws {
        guard let source = pick({ $0.account != nil && !$0.isAnswered && !$0.isDone }) else { return }
        let isError = random(8) == 0
        let answer = PrefetchState.Answer(
            head: HTTPResponse(status: isError ? .badGateway : .ok), provenance: Provenance(.network, reason: ""))
        let isWanted = state.answer(source.number, answer, body: nil, at: now)
        try require(isWanted != isError, "a head that is \(isWanted ? "" : "not ")wanted")
        if isError {
            drop { $0.number == source.number }
        } else {
            sources[source.number]?.isAnswered = true
            sources[source.number]?.answeredAt = now
        }
    }

    private mutating func append() throws {
        guard let source = pick({ $0.isAnswered && !$0.isDone }) else { return }
        guard let hasCapacity = state.hasCapacity(source.number) else {
            throw Broken(description: "a dropped source is still active")
        }
        guard hasCapacity else {
            asleep.insert(source.number)
            return
        }
        state.append(source.number, Data(repeating: UInt8(source.appended % 256), count: 5))
        sources[source.number]?.appended += 1
    }

    private mutating func endOrFail() throws {
        guard let source = pick({ !$0.isDone && $0.account != nil }) else { return }
        if source.isAnswered, random(4) > 0 {
            state.end(source.number, at: now)
            sources[source.number]?.isDone = true
        } else if random(3) == 0 {
            state.fail(source.number, Broken(description: "fails"))
            sources[source.number]?.isDone = true
            drop { $0.number == source.number }
        }
    }

    private mutating func addRequester() throws {
        let account = random(2)
        let page = PageReference(id: pages[random(3)], documentURL: "https://a.test/")
        let identity = RequestIdentity(
            method: "GET", url: "https://a.test/\(random(3))", body: .none, isDocument: false)
        let attribution = PageAttribution(page, confidence: random(4) == 0 ? .inferred : .exact)
        requesters.append(
            Requester(own: OwnRequest(identity: identity, fields: fields(account), page: attribution), account: account)
        )
        try claim(requesters.count - 1)
    }

    /// Claims a response. A request that continues alone must not have had a matching response.
    private mutating func claim(_ index: Int) throws {
        let requester = requesters[index]
        dropDue()
        let open = sources.values.filter { source in
            source.claimant == nil && source.owner == nil && source.identity == requester.own.identity
                && (requester.own.page.confidence == .inferred || source.page == requester.own.page.page.id)
                && !requester.tried.contains(source.number)
                && (source.account ?? requester.account) == requester.account
        }
        guard let number = state.claim(requester.own, beside: requester.tried, at: now) else {
            try require(open.isEmpty, "a matching prefetch request was not claimed")
            requesters[index].phase = .over
            return
        }
        try require(open.contains { $0.number == number }, "claimed a response of another account")
        sources[number]?.claimant = index
        requesters[index].phase = .joining(number)
    }

    /// Lets one waiting participant try again.
    private mutating func go() throws {
        let busy = requesters.indices.filter { requesters[$0].phase != .over }
        guard !busy.isEmpty else { return }
        let index = busy[random(busy.count)]
        switch requesters[index].phase {
        case .over: break
        case .joining(let number):
            switch state.transfer(number, at: now) {
            case nil:
                asleep.insert(number)
            case .unavailable:
                try require(sources[number] == nil, "reported as gone, but still present")
                try retry(index, number)
            case .mismatch:
                try require(sources[number]?.account != requesters[index].account, "a mismatch of the same account")
                sources[number]?.claimant = nil
                dropForgotten()
                try retry(index, number)
            case .streamed:
                try own(index, number)
            case .whole(_, let body):
                let source = sources[number]
                try own(index, number)
                let bytes: Data? = if case .bytes(let data) = body { data } else { nil }
                let expected = Data(
                    (0..<(source?.appended ?? 0)).flatMap { [UInt8](repeating: UInt8($0 % 256), count: 5) })
                try require((bytes ?? Data()) == expected && source?.isDone == true, "not a complete body")
                try closed(index, number)
            }
        case .reading(let number, let got):
            switch state.nextStep(number) {
            case nil: asleep.insert(number)
            case .piece(let piece):
                try require(piece == Data(repeating: UInt8(got % 256), count: 5), "a wrong piece")
                requesters[index].phase = .reading(number, got: got + 1)
            case .end, .failed:
                try require(sources[number]?.isDone == true && sources[number]?.appended == got, "a piece is lost")
                try closed(index, number)
            }
        }
    }

    private mutating func retry(_ index: Int, _ number: UInt64) throws {
        requesters[index].tried.insert(number)
        try claim(index)
    }

    private mutating func own(_ index: Int, _ number: UInt64) throws {
        let source = try #require(sources[number])
        try require(source.owner == nil, "handed over twice")
        try require(source.claimant == index, "handed over to the wrong claimant")
        try require(source.account == requesters[index].account, "handed over to another account")
        sources[number]?.owner = index
        requesters[index].phase = .reading(number, got: 0)
    }

    private mutating func closed(_ index: Int, _ number: UInt64) throws {
        requesters[index].phase = .over
        sources[number] = nil
        try require(state.hasCapacity(number) == nil, "a complete response was not removed")
    }

    private mutating func endReading() throws {
        let busy = requesters.indices.filter { requesters[$0].phase != .over }
        guard !busy.isEmpty, random(2) == 0 else { return }
        let index = busy[random(busy.count)]
        switch requesters[index].phase {
        case .over: break
        case .joining(let number):
            if random(2) == 0 {
                state.release(number, at: now)
                sources[number]?.claimant = nil
                requesters[index].phase = .over
                dropForgotten()
            } else if sources[number]?.isAnswered == false {
                state.abandon(number, claims: state.claims(of: number))
                drop { $0.number == number }
            }
        case .reading(let number, _):
            state.endReading(number)
            try closed(index, number)
        }
    }

    private mutating func rarely() throws {
        switch random(6) {
        case 0:
            let page = pages[random(3)]
            state.discardUnclaimed(page)
            drop { $0.page == page && $0.claimant == nil }
            for number in sources.keys where sources[number]?.page == page { sources[number]?.isForgotten = true }
            // The page gets a new identifier, because identifiers are not reused.
            pages = pages.map { $0 == page ? PageID(rawValue: page.rawValue + 3) : $0 }
        case 1 where random(4) == 0:
            state.removeAll()
            drop { _ in true }
        default:
            now += .seconds(random(12))
            state.expire(at: now)
            dropDue()
            try require((state.timeToExpiry(at: now) ?? .seconds(1)) > .zero, "an expired response was kept")
        }
    }

    private mutating func check(since before: PrefetchState) throws {
        let counters = state.counters
        let settled = counters.hits + counters.joins + counters.wasted + counters.failures + counters.abandoned
        try require(counters.started == settled + state.waitingCount, "the counters do not add up: \(counters)")
        try require(state.count == sources.count, "\(state.count) of \(sources.count)")
        try require(state.waitingCount <= 5 && state.held <= 40 + 5, "a limit is exceeded")
        asleep.subtract(state.touched)
        state.touched = []
        // A participant that is not notified must have nothing to do.
        for number in asleep {
            var copy = state
            guard let source = sources[number] else { throw Broken(description: "no notification of the removal") }
            if let owner = source.owner, case .reading(number, _) = requesters[owner].phase,
                before.hasCapacity(number) != nil
            {
                let mayRead = copy.nextStep(number) != nil
                let mayAppend = state.hasCapacity(number) == true && before.hasCapacity(number) == false
                try require(!mayRead || before.hasPiece(number), "a reader was not notified")
                try require(!mayAppend, "a source was not notified")
            } else if source.claimant != nil {
                let was = before.standing(number, at: now)
                try require(was || copy.transfer(number, at: now) == nil, "a claimant was not notified")
            } else {
                try require(
                    !(state.hasCapacity(number) == true && before.hasCapacity(number) == false), "source not notified")
            }
        }
    }

    /// Finishes all remaining participants, and checks that nothing is retained.
    mutating func finish() throws {
        for number in sources.keys.sorted() where sources[number]?.isDone == false {
            state.fail(number)
            sources[number]?.isDone = true
            drop { $0.number == number }
        }
        for _ in 0..<500 where requesters.contains(where: { $0.phase != .over }) { try go() }
        for _ in 0..<5_000 where requesters.contains(where: { $0.phase != .over }) { try go() }
        try require(requesters.allSatisfy { $0.phase == .over }, "a request waits forever")
        now += .seconds(31)
        state.expire(at: now)
        try require(state.count == 0 && state.held == 0, "\(state.count) answers, \(state.held) bytes are retained")
        try require(state.timeToExpiry(at: now) == nil, "the sweeper does not end")
    }
}

extension PrefetchState {
    /// Returns a Boolean value that indicates whether a claimant would get a result.
    fileprivate func standing(_ number: Number, at now: Duration) -> Bool {
        var copy = self
        return copy.transfer(number, at: now) != nil
    }

    /// Returns a Boolean value that indicates whether a reader would get a result.
    fileprivate func hasPiece(_ number: Number) -> Bool {
        var copy = self
        return copy.nextStep(number) != nil
    }
}
