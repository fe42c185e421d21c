// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The state that turns the secure resolvers off until the next launch after repeated failures.
///
/// A failure counts only if the system has resolved the same name. Otherwise the network itself can be the reason.
struct SecureResolutionState: Sendable, Hashable {
    /// The number of failures after which the secure resolvers are turned off.
    static let maxFailures = 5
    /// The time in which the failures occur. An older series of failures is forgotten.
    static let failureWindow = Duration.seconds(600)

    /// The result of a look-up by the secure resolvers.
    enum Outcome: Sendable, Hashable {
        /// A valid answer, also a negative one.
        case answered
        /// No valid answer from any server, for a name that the system has resolved.
        case failed
        /// No valid answer from any server, and none from the system.
        case unreachable
    }

    private var failures: [Duration] = []
    /// A Boolean value that indicates whether repeated failures have turned the secure resolvers off.
    private(set) var isOff = false

    /// Records the outcome of a look-up.
    /// - Parameter now: the duration since a moment that the caller fixes.
    /// - Returns: `true` if this outcome turns the secure resolvers off, so that the caller reports it once.
    mutating func record(_ outcome: Outcome, now: Duration) -> Bool {
        switch outcome {
        case .unreachable: return false
        case .answered:
            failures = []
            return false
        case .failed:
            guard !isOff else { return false }
            failures = failures.filter { now - $0 < Self.failureWindow } + [now]
            isOff = failures.count >= Self.maxFailures
            return isOff
        }
    }
}
