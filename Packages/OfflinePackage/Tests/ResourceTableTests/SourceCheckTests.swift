// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@_spi(Facade) @testable import ResourceTable

/// Tests of the update policy, step by step and in any order.
@Suite("Update policy", .timeLimit(.minutes(1)))
struct SourceCheckTests {
    private var check = SourceCheck()
    private var now = Date(timeIntervalSince1970: 1_000_000)

    private mutating func beginCheck(_ trigger: TableTrigger = .open, after seconds: TimeInterval = 30) -> SourceCheck
        .Attempt?
    {
        now += seconds
        guard case .query(let attempt) = begin(trigger, at: now) else { return nil }
        return attempt
    }

    private mutating func begin(
        _ trigger: TableTrigger, at now: Date, hasMirror: Bool = true
    ) -> SourceCheck.Decision {
        check.begin(isLaunch: trigger == .launch, at: now, hasMirror: hasMirror)
    }

    private mutating func finish(
        _ attempt: SourceCheck.Attempt, with outcome: SourceCheck.Outcome
    ) -> SourceCheck.Attempt? {
        check.finish(attempt, with: outcome)
    }

    /// Runs a check to its end and returns the requested sources in order.
    private mutating func run(
        _ outcomes: SourceCheck.Outcome..., on trigger: TableTrigger = .open, after seconds: TimeInterval = 30
    ) -> [TableSource] {
        var asked: [TableSource] = []
        var next = beginCheck(trigger, after: seconds)
        for outcome in outcomes {
            guard let attempt = next else { break }
            asked.append(attempt.source)
            next = finish(attempt, with: outcome)
        }
        #expect(next == nil)
        return asked
    }

    private mutating func moveToMirror() {
        for _ in 0..<5 { _ = run(.failure) }
        #expect(check.isOnMirror)
    }

    @Test("Five consecutive errors, but not four, select the mirror")
    mutating func fiveErrors() {
        for count in 1...5 {
            #expect(!check.isOnMirror)
            #expect(run(.failure) == [.primary])
            #expect(check.errors == count)
        }
        #expect(check.isOnMirror)
        #expect(run(.success) == [.mirror])
        #expect(run(.failure) == [.mirror])
        #expect(check.errors == 5)
    }

    @Test("A success resets the count")
    mutating func consecutive() {
        for _ in 0..<4 { _ = run(.failure) }
        _ = run(.success)
        #expect(check.errors == 0)
        for _ in 0..<4 { _ = run(.failure) }
        #expect(!check.isOnMirror)
    }

    @Test("An offline check counts neither as an error nor as a check nor as a success")
    mutating func offline() {
        for _ in 0..<4 { _ = run(.failure) }
        for _ in 0..<10 { #expect(run(.nothing) == [.primary]) }
        #expect(check.errors == 4)
        // The offline check does not start the interval of 30 seconds either.
        #expect(run(.failure, after: 0) == [.primary])
        #expect(check.isOnMirror)
        #expect(run(.nothing) == [.mirror] && check.isOnMirror)
    }

    @Test("While the mirror is used, the primary is tried every 30 minutes, then the mirror in the same check")
    mutating func primaryAgain() {
        moveToMirror()
        #expect(run(.success, after: 29 * 60) == [.mirror])
        #expect(run(.success, after: 59) == [.mirror])
        #expect(run(.failure, .success, after: 31) == [.primary, .mirror])
        #expect(check.isOnMirror)
        #expect(run(.failure, after: 30 * 60 - 1) == [.mirror])
        #expect(run(.success, after: 30) == [.primary])
        #expect(!check.isOnMirror && check.errors == 0)
        #expect(run(.failure) == [.primary])
    }

    @Test("While the mirror is used, only the first check after a launch tries the primary first")
    mutating func launch() {
        moveToMirror()
        #expect(run(.failure, .failure, on: .launch) == [.primary, .mirror])
        #expect(run(.success) == [.mirror])
        #expect(run(.success, on: .launch) == [.primary])
        #expect(!check.isOnMirror)
    }

    @Test("After a dropped launch the next check tries the primary")
    mutating func droppedLaunch() {
        moveToMirror()
        now += 10
        #expect(begin(.launch, at: now) == .tooSoon)
        #expect(run(.failure, .success, after: 20) == [.primary, .mirror])
    }

    @Test("After an offline launch the next check tries the primary")
    mutating func launchOffline() {
        moveToMirror()
        #expect(run(.nothing, on: .launch) == [.primary])
        #expect(run(.failure, .nothing) == [.primary, .mirror])
        #expect(run(.success) == [.mirror])
    }

    @Test("Triggers less than 30 s after the last check are dropped", arguments: TableTrigger.allCases)
    mutating func fatigue(_ trigger: TableTrigger) {
        #expect(run(.success, on: trigger, after: 0) == [.primary])
        for _ in 0..<29 { #expect(beginCheck(trigger, after: 1) == nil) }
        #expect(beginCheck(trigger, after: 1) != nil)
    }

    @Test("A running check drops triggers, regardless of its duration")
    mutating func underWay() throws {
        let attempt = try #require(beginCheck())
        now += 3600
        #expect(begin(.foreground, at: now) == .underWay)
        #expect(finish(attempt, with: .success) == nil)
        #expect(beginCheck(after: 0) != nil)
    }

    @Test("The outcome of an earlier attempt is ignored")
    mutating func stale() throws {
        moveToMirror()
        let primary = try #require(beginCheck(.launch))
        let mirror = try #require(finish(primary, with: .failure))
        #expect(finish(primary, with: .success) == nil)
        #expect(check.isOnMirror && begin(.open, at: now + 60) == .underWay)
        #expect(finish(mirror, with: .success) == nil)
        #expect(finish(mirror, with: .failure) == nil)
        #expect(beginCheck() != nil)
    }

    @Test("Without a mirror the primary is always used")
    mutating func noMirror() {
        for _ in 0..<20 {
            now += 30
            guard case .query(let attempt) = begin(.open, at: now, hasMirror: false) else {
                Issue.record("dropped")
                return
            }
            #expect(attempt.source == .primary && finish(attempt, with: .failure) == nil)
        }
        #expect(check.errors == 5)
    }

    @Test("The state survives a restart, which ends a running check")
    mutating func restart() throws {
        moveToMirror()
        _ = beginCheck()
        check = try JSONDecoder().decode(SourceCheck.self, from: JSONEncoder().encode(check))
        #expect(check.isOnMirror)
        #expect(beginCheck(.open, after: 29) == nil)
        #expect(run(.success, after: 1) == [.mirror])
        check = try JSONDecoder().decode(SourceCheck.self, from: JSONEncoder().encode(check))
        #expect(run(.success, on: .launch) == [.primary])
    }

    @Test("A stored count out of range is clamped, and a clock that was set back causes no delay")
    mutating func hostileState() throws {
        func decode(_ json: String) throws -> SourceCheck {
            try JSONDecoder().decode(SourceCheck.self, from: Data(json.utf8))
        }
        #expect(try decode(#"{"errors":-3}"#).errors == 0)
        #expect(try decode(#"{"errors":9000000000}"#).errors == 5)
        #expect(throws: (any Error).self) { try decode(#"{"errors":"x"}"#) }
        check = try decode(#"{"errors":5,"lastCheck":9e18,"lastPrimary":9e18}"#)
        #expect(run(.failure, .success) == [.primary, .mirror])
    }

    @Test("The rules hold for any order of triggers, outcomes, launches and waits")
    mutating func interleavings() throws {
        var seed: UInt64 = 7
        func random(_ limit: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % limit
        }
        var open: SourceCheck.Attempt?
        var old: [SourceCheck.Attempt] = []
        var errors = 0
        var began: Date?
        var starts: [Date] = []
        var mirrors = 0
        for _ in 0..<50_000 {
            switch random(6) {
            case 0, 1:
                let trigger = TableTrigger.allCases[random(4)]
                let decision = begin(trigger, at: now)
                if open != nil {
                    #expect(decision == .underWay)
                } else if let last = starts.last, now.timeIntervalSince(last) < 30 {
                    #expect(decision == .tooSoon)
                } else if case .query(let attempt) = decision {
                    #expect(attempt.source == .primary || errors == 5)
                    open = attempt
                    began = now
                } else {
                    Issue.record("\(decision)")
                }
            case 2, 3:
                guard let attempt = open else { continue }
                let outcome: SourceCheck.Outcome = [.success, .failure, .failure, .failure, .nothing][random(5)]
                let wasOnMirror = errors == 5
                let next = finish(attempt, with: outcome)
                old.append(attempt)
                open = next
                let isPrimary = attempt.source == .primary
                if isPrimary, outcome == .success { errors = 0 }
                if isPrimary, outcome == .failure { errors = min(errors + 1, 5) }
                #expect((next != nil) == (isPrimary && wasOnMirror && outcome == .failure))
                if let next { #expect(next.source == .mirror) }
                if !isPrimary { mirrors += 1 }
                if outcome != .nothing, starts.last != began, let began { starts.append(began) }
            case 4:
                // A late outcome has no effect.
                guard let attempt = old.randomElement() else { continue }
                let before = check
                #expect(finish(attempt, with: .success) == nil)
                #expect(check == before)
            default: now += TimeInterval(random(90))
            }
            #expect(check.errors == errors)
        }
        #expect(mirrors > 100 && starts.count > 1000)
    }

    @Test(
        "Another remote version replaces the local one, unless it is a lower integer of the mirror",
        arguments: [
            ("2", .primary, "1", true), ("1", .primary, "2", true), ("1", .primary, "1", false),
            ("1", .mirror, "1", false), ("2", .mirror, "1", true), ("1", .mirror, "2", false),
            ("9", .mirror, "10", false), ("10", .mirror, "9", true), ("a", .mirror, "2", true),
            ("1", .mirror, "b", true), ("1", .mirror, nil, true), ("009", .mirror, "10", false),
            ("99999999999999999999998", .mirror, "99999999999999999999999", false),
            ("1.0", .mirror, "2", true), ("-1", .mirror, "2", true), ("", .mirror, "2", true),
            ("010", .mirror, "9", true),
        ] as [(String, TableSource, String?, Bool)])
    func versions(_ remote: String, _ source: TableSource, _ local: String?, _ replaces: Bool) {
        #expect(TableVersionRule.replaces(remote, from: source, local: local) == replaces)
    }
}
