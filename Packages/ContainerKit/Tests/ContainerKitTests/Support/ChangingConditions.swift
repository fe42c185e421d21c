// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ResourceLoading

/// Conditions that a test sets.
final class ChangingConditions: HostConditioning {
    private struct State {
        var conditions: HostConditions
        var listeners: [AsyncStream<HostConditions>.Continuation] = []
    }

    private let state: Mutex<State>

    init(_ conditions: HostConditions) {
        state = Mutex(State(conditions: conditions))
    }

    var conditions: HostConditions { state.withLock(\.conditions) }

    func set(_ conditions: HostConditions) {
        let listeners = state.withLock { state in
            state.conditions = conditions
            return state.listeners
        }
        for listener in listeners { listener.yield(conditions) }
    }

    func changes() -> AsyncStream<HostConditions> {
        let (stream, listener) = AsyncStream.makeStream(of: HostConditions.self)
        state.withLock { $0.listeners.append(listener) }
        return stream
    }
}
