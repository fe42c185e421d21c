// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ResourceLoading
import Synchronization

/// Conditions that a test sets.
final class ChangingConditions: HostConditioning {
    private let state: Mutex<HostConditions>

    init(_ conditions: HostConditions) {
        state = Mutex(conditions)
    }

    var conditions: HostConditions { state.withLock { $0 } }

    func set(_ conditions: HostConditions) {
        state.withLock { $0 = conditions }
    }

    /// Tells of none: what waits for better ones is not what is tested with these.
    func changes() -> AsyncStream<HostConditions> {
        AsyncStream { _ in }
    }
}
