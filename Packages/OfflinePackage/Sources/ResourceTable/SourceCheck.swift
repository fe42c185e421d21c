// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The policy for requests of one document, a resource table or a package catalogue: a state machine that decides when
/// to request it and from which source.
///
/// A check begins with ``begin(isLaunch:at:hasMirror:)``, which returns the first attempt. ``finish(_:with:)`` receives
/// its outcome and returns the next attempt of the check, if any. One check runs at a time.
///
/// - After five consecutive errors of the primary, the next check uses the mirror. Errors of the mirror are not
///   counted.
/// - A success of the primary resets the count and ends the use of the mirror.
/// - While the mirror is in use, the first check after a launch and one every 30 minutes use the primary first. If the
///   primary fails, the same check uses the mirror.
/// - A trigger less than 30 seconds after the start of the last check is dropped, also across launches.
/// - A check without a network counts neither as an error nor as a check.
///
/// Times are those of the wall clock, because they are kept across processes. A time in the future means that the clock
/// was set back, and does not delay a check.
@_spi(Facade) public struct SourceCheck: Sendable, Hashable {
    /// A request to a source. Only the outcome of the latest attempt counts.
    @_spi(Facade) public struct Attempt: Sendable, Hashable {
        /// The source to request.
        public let source: TableSource
        fileprivate let number: Int
    }

    /// The outcome of an attempt.
    @_spi(Facade) public enum Outcome: Sendable, Hashable {
        /// A valid response, with or without a new document.
        case success
        /// No response, an HTTP error status, a code other than 200, or an invalid document.
        case failure
        /// The device has no network, or the check was stopped, so the state of the source is not known.
        case nothing
    }

    /// The decision about a trigger.
    @_spi(Facade) public enum Decision: Sendable, Hashable {
        /// The check begins with a request.
        case query(Attempt)
        /// The last check began less than ``SourceCheck/minimumInterval`` ago.
        case tooSoon
        /// A check is running.
        case underWay
    }

    /// The number of consecutive errors after which the mirror is used.
    static let errorLimit = 5
    /// The minimum time between two checks, in seconds.
    public static let minimumInterval: TimeInterval = 30
    /// The time on the mirror after which the primary is tried again, in seconds.
    static let primaryInterval: TimeInterval = 30 * 60

    /// The number of consecutive errors of the primary, at most ``errorLimit``.
    private(set) var errors = 0
    /// The start of the last counted check.
    private(set) var lastCheck: Date?
    /// The time of the last request to the primary in a counted check.
    private(set) var lastPrimary: Date?
    /// A Boolean value that indicates whether the app was launched since the last request to the primary.
    private var isLaunched = false
    private var running: Running?
    private var lastNumber = 0

    private struct Running: Hashable {
        var attempt: Attempt
        var began: Date
        var hasMirror: Bool
        /// The value of ``lastCheck`` to restore if the check is not counted.
        var previousCheck: Date?
    }

    /// Creates the state before the first check of an app.
    public init() {}

    init(errors: Int, lastCheck: Date?, lastPrimary: Date?) {
        self.errors = min(max(errors, 0), Self.errorLimit)
        self.lastCheck = lastCheck
        self.lastPrimary = lastPrimary
    }

    /// A Boolean value that indicates whether the mirror, if configured, is used instead of the primary.
    var isOnMirror: Bool { errors >= Self.errorLimit }

    /// Applies a trigger.
    /// - Parameters:
    ///   - isLaunch: whether the trigger is the launch of the app.
    ///   - now: the time of the wall clock.
    ///   - hasMirror: whether a mirror is configured; without one the primary is always used.
    public mutating func begin(isLaunch: Bool, at now: Date, hasMirror: Bool = true) -> Decision {
        if isLaunch { isLaunched = true }
        guard running == nil else { return .underWay }
        if let lastCheck, Self.isLess(now, after: lastCheck, than: Self.minimumInterval) { return .tooSoon }
        let isPrimaryDue =
            isLaunched || lastPrimary.map { !Self.isLess(now, after: $0, than: Self.primaryInterval) } ?? true
        let source: TableSource = isOnMirror && hasMirror && !isPrimaryDue ? .mirror : .primary
        let attempt = makeAttempt(source)
        running = Running(attempt: attempt, began: now, hasMirror: hasMirror, previousCheck: lastCheck)
        lastCheck = now
        return .query(attempt)
    }

    /// Applies the outcome of an attempt. Outcomes of earlier attempts are ignored.
    /// - Returns: the next attempt of the same check, or `nil` if the check is over.
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
            // The primary was requested, so the check counts whatever the outcome of the mirror is.
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

/// The persistent state: the error count and the times. A running check ends with its process.
extension SourceCheck: Codable {
    private enum CodingKeys: String, CodingKey {
        case errors, lastCheck, lastPrimary
    }

    /// Decodes the state. A count out of range is clamped.
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
