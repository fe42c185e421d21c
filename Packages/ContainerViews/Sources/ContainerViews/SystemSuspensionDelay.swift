// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Dispatch
internal import Foundation

/// The delay of a suspension by `ProcessInfo.performExpiringActivity(withReason:using:)` of iOS, which app extensions
/// can use too. On macOS and Linux, which do not suspend apps, requests have no effect.
struct SystemSuspensionDelay: SuspensionDelaying {
    func begin(expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let activity = ExpiringActivity(expired)
        #if os(iOS)
            ProcessInfo.processInfo.performExpiringActivity(
                withReason: "ContainerKit writes its state", using: activity.run)
        #endif
        return activity.end
    }
}

/// The two calls that the system makes for an activity: one with `false` that lasts as long as the activity, and one
/// with `true` when the time is over, or instead of the first if the system grants no time.
///
/// The process can be suspended as soon as the call with `true` returns. That call therefore waits for the end of the
/// activity too, up to a limit.
///
/// Isolation: any; the system calls it on threads of its own, which may block.
final class ExpiringActivity: Sendable {
    private enum State {
        case active, expired, ended
    }

    private let state = Mutex(State.active)
    private let ending = DispatchSemaphore(value: 0)
    private let limit: DispatchTimeInterval
    private let expired: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: the longest wait for the end of the activity after its time is over.
    ///   - expired: a closure that is called at most once, when the time is over before the activity has ended.
    init(limit: DispatchTimeInterval = .seconds(3), _ expired: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.expired = expired
    }

    /// Handles a call of the system.
    func run(isExpired: Bool) {
        if isExpired {
            let isFirst = state.withLock { state in
                defer { if state == .active { state = .expired } }
                return state == .active
            }
            if isFirst { expired() }
        }
        guard ending.wait(timeout: isExpired ? .now() + limit : .distantFuture) == .success else { return }
        // Another call of the system may wait too.
        ending.signal()
    }

    /// Ends the activity.
    @Sendable func end() {
        state.withLock { $0 = .ended }
        ending.signal()
    }
}
