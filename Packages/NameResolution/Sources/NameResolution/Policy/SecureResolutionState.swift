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

    /// The reason for which the secure resolvers are off.
    enum OffReason: String, Sendable {
        /// Repeated failures in this launch.
        case repeatedFailures
        /// The switch of the app or of the remote configuration.
        case turnedOff
    }

    private var failures: [Duration] = []
    private var hasFailed = false
    private var isSwitchedOn = true

    /// The reason for which the secure resolvers are off; `nil` if they are on.
    var offReason: OffReason? {
        if !isSwitchedOn { return .turnedOff }
        return hasFailed ? .repeatedFailures : nil
    }

    /// Turns the secure resolvers on or off. Repeated failures keep them off until the next launch.
    mutating func set(isOn: Bool) { isSwitchedOn = isOn }

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
            guard !hasFailed else { return false }
            failures = failures.filter { now - $0 < Self.failureWindow } + [now]
            hasFailed = failures.count >= Self.maxFailures
            return hasFailed
        }
    }
}
