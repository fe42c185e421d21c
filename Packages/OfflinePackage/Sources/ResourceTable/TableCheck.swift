// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// When to ask for the table, and whom: the update policy as a value, without any I/O.
///
/// A check begins with ``begin(_:at:hasMirror:)``, asks who it is told to, and reports each answer to
/// ``finish(_:with:)``, which says whom to ask next, if anyone. One check runs at a time.
///
/// - Five errors in a row on the primary make the next check ask the mirror. Errors of the mirror count nothing.
/// - A success on the primary sets the count to zero and ends the time on the mirror.
/// - On the mirror, the first check after a launch and one every 30 minutes ask the primary first, and the mirror in the
///   same check where that fails.
/// - A trigger less than 30 seconds after the start of the last check is dropped, across launches too.
/// - What a device does offline counts nothing: neither as an error nor as a check.
///
/// Times are those of the wall clock, since they outlive the process; a time that lies ahead, because the clock was
/// set back, holds nothing up.
@_spi(Facade) public struct TableCheck: Sendable, Hashable {
    /// A question that was asked. Only the latest one can be answered.
    @_spi(Facade) public struct Attempt: Sendable, Hashable {
        public let source: TableSource
        fileprivate let number: Int
    }

    /// How a question ended.
    @_spi(Facade) public enum Outcome: Sendable, Hashable {
        /// An answer that could be decoded, with a new table or without.
        case success
        /// No answer, an HTTP error status, a code other than 200, or no table in it.
        case failure
        /// The device has no network, or the check was stopped: nothing is known of the source.
        case nothing
    }

    /// What becomes of a trigger.
    @_spi(Facade) public enum Decision: Sendable, Hashable {
        case ask(Attempt)
        /// The last check began less than ``TableCheck/minimumInterval`` ago.
        case tooSoon
        /// A check is under way.
        case underWay
    }

    /// The errors in a row that lead to the mirror.
    public static let errorLimit = 5
    /// The shortest time between two checks, in seconds.
    public static let minimumInterval: TimeInterval = 30
    /// The time on the mirror after which the primary is tried again, in seconds.
    public static let primaryInterval: TimeInterval = 30 * 60

    /// Errors of the primary in a row. Counts no further than ``errorLimit``.
    public private(set) var errors = 0
    /// When the last check began that counts.
    public private(set) var lastCheck: Date?
    /// When the primary was last asked, in a check that counts.
    public private(set) var lastPrimary: Date?
    /// Whether the app was launched since the primary was last asked.
    private var isLaunched = false
    private var running: Running?
    private var lastNumber = 0

    private struct Running: Hashable {
        var attempt: Attempt
        var began: Date
        var hasMirror: Bool
        /// What to go back to where the check turns out to count nothing.
        var previousCheck: Date?
    }

    /// Before the first check of an app.
    public init() {}

    init(errors: Int, lastCheck: Date?, lastPrimary: Date?) {
        self.errors = min(max(errors, 0), Self.errorLimit)
        self.lastCheck = lastCheck
        self.lastPrimary = lastPrimary
    }

    /// Whether the mirror is asked instead of the primary, where there is one.
    public var isOnMirror: Bool { errors >= Self.errorLimit }

    /// Takes a trigger.
    /// - Parameters:
    ///   - trigger: the event that asks for a check.
    ///   - now: the time of the wall clock.
    ///   - hasMirror: whether a mirror is configured; without one the primary is always asked.
    public mutating func begin(_ trigger: TableTrigger, at now: Date, hasMirror: Bool = true) -> Decision {
        if trigger == .launch { isLaunched = true }
        guard running == nil else { return .underWay }
        if let lastCheck, Self.isLess(now, after: lastCheck, than: Self.minimumInterval) { return .tooSoon }
        let isPrimaryDue =
            isLaunched || lastPrimary.map { !Self.isLess(now, after: $0, than: Self.primaryInterval) } ?? true
        let source: TableSource = isOnMirror && hasMirror && !isPrimaryDue ? .mirror : .primary
        let attempt = makeAttempt(source)
        running = Running(attempt: attempt, began: now, hasMirror: hasMirror, previousCheck: lastCheck)
        lastCheck = now
        return .ask(attempt)
    }

    /// Takes the end of a question.
    ///
    /// An answer to any but the latest question is ignored.
    /// - Returns: whom to ask next in the same check; `nil` where the check is over.
    public mutating func finish(_ attempt: Attempt, with outcome: Outcome) -> Attempt? {
        guard let check = running, check.attempt == attempt else { return nil }
        running = nil
        if attempt.source == .primary, outcome != .nothing {
            lastPrimary = check.began
            isLaunched = false
        }
        switch (attempt.source, outcome) {
        case (.primary, .success): errors = 0
        case (.primary, .failure):
            let wasOnMirror = isOnMirror
            errors = min(errors + 1, Self.errorLimit)
            guard wasOnMirror, check.hasMirror else { break }
            let next = makeAttempt(.mirror)
            running = check
            running?.attempt = next
            // The primary was asked, whatever the mirror brings.
            running?.previousCheck = check.began
            return next
        case (.mirror, .success), (.mirror, .failure): break
        case (_, .nothing): lastCheck = check.previousCheck
        }
        return nil
    }

    private mutating func makeAttempt(_ source: TableSource) -> Attempt {
        lastNumber += 1
        return Attempt(source: source, number: lastNumber)
    }

    private static func isLess(_ now: Date, after then: Date, than interval: TimeInterval) -> Bool {
        let passed = now.timeIntervalSince(then)
        return passed >= 0 && passed < interval
    }
}

/// What survives a restart: the count of errors and the times. A check that was under way died with its process.
@_spi(Facade) extension TableCheck: Codable {
    private enum CodingKeys: String, CodingKey {
        case errors, lastCheck, lastPrimary
    }

    /// Takes a count out of range for the nearest that is in it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            errors: try container.decode(Int.self, forKey: .errors),
            lastCheck: try container.decodeIfPresent(Date.self, forKey: .lastCheck),
            lastPrimary: try container.decodeIfPresent(Date.self, forKey: .lastPrimary))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(errors, forKey: .errors)
        try container.encodeIfPresent(lastCheck, forKey: .lastCheck)
        try container.encodeIfPresent(lastPrimary, forKey: .lastPrimary)
    }
}

/// What came of a trigger.
public enum TableCheckResult: Sendable {
    /// Nobody was asked: the last check is less than 30 seconds ago, or still under way.
    case dropped
    /// The device has no network.
    case offline
    /// The table stays: the source has no other, or the mirror only has an older one.
    case unchanged(TableSource)
    /// The source's table is now the local one.
    case replaced(TableSource, TableDiff)
    /// Whoever was asked failed; the error is that of the last one.
    case failed(TableError)
}

/// Who is asked for the table.
public enum TableSource: String, Sendable, Hashable, Codable {
    /// The server that makes the tables.
    case primary
    /// The copy on a CDN, asked while the server fails.
    case mirror
}
