// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport

@testable import ResourceStore

/// A hook for the steps of a store that delays or fails a step.
final class StepHook: Sendable {
    private struct Hook {
        let step: StoreStep
        let action: @Sendable () throws -> Void
    }

    private let hook = Mutex<Hook?>(nil)

    /// Runs the action once before the next occurrence of the step, on a thread of the library.
    func once(at step: StoreStep, do action: @escaping @Sendable () throws -> Void) {
        hook.withLock { $0 = Hook(step: step, action: action) }
    }

    /// Handles a step of the store.
    func pass(_ step: StoreStep) throws {
        let action = hook.withLock { hook -> (@Sendable () throws -> Void)? in
            guard let due = hook, due.step == step else { return nil }
            hook = nil
            return due.action
        }
        try action?()
    }
}
