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

    /// Forgets the failures of another network. Secure resolvers that are off stay off.
    mutating func forget() { failures = [] }

    /// Records the outcome of a look-up. Look-ups that run at the same time count as one failure, because they have one
    /// reason, such as a change of the network.
    /// - Parameters:
    ///   - start: the start of the look-up, as a duration since a moment that the caller fixes.
    ///   - now: the duration since the same moment.
    /// - Returns: `true` if this outcome turns the secure resolvers off, so that the caller reports it once.
    mutating func record(_ outcome: Outcome, since start: Duration, now: Duration) -> Bool {
        switch outcome {
        case .unreachable: return false
        case .answered:
            failures = []
            return false
        case .failed:
            guard !isOff, failures.last.map({ $0 <= start }) ?? true else { return false }
            failures = failures.filter { now - $0 < Self.failureWindow } + [now]
            isOff = failures.count >= Self.maxFailures
            return isOff
        }
    }
}
