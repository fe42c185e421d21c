// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Dispatch
internal import Foundation

/// The delay of a suspension by `ProcessInfo.performExpiringActivity(withReason:using:)`, which app extensions can use
/// too. On Linux, which does not suspend apps, requests have no effect.
struct SystemSuspensionDelay: SuspensionDelaying {
    func begin(expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let activity = ExpiringActivity(expired)
        #if canImport(Darwin)
            ProcessInfo.processInfo.performExpiringActivity(
                withReason: "ContainerKit writes its state", using: activity.run)
        #endif
        return activity.end
    }
}

/// The two calls that the system makes for an activity: one with `false` that lasts as long as the activity, and one
/// with `true` when the time is over, or instead of the first if the system grants no time.
///
/// Isolation: any; the system calls it on threads of its own, which may block.
final class ExpiringActivity: Sendable {
    private enum State {
        case active, expired, ended
    }

    private let state = Mutex(State.active)
    private let ending = DispatchSemaphore(value: 0)
    private let expired: @Sendable () -> Void

    init(_ expired: @escaping @Sendable () -> Void) {
        self.expired = expired
    }

    /// Handles a call of the system.
    func run(isExpired: Bool) {
        guard isExpired else {
            ending.wait()
            // Another call of the system may wait too.
            ending.signal()
            return
        }
        let isFirst = state.withLock { state in
            defer { if state == .active { state = .expired } }
            return state == .active
        }
        if isFirst { expired() }
    }

    /// Ends the activity.
    @Sendable func end() {
        state.withLock { $0 = .ended }
        ending.signal()
    }
}
