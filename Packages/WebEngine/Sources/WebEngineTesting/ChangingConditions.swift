// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import ResourceLoading

/// Host conditions that a test sets.
///
/// Isolation: any; all members may be called concurrently.
public final class ChangingConditions: HostConditioning {
    private struct State {
        var conditions: HostConditions
        var listeners: [AsyncStream<HostConditions>.Continuation] = []
    }

    private let state: Mutex<State>

    /// Creates conditions.
    /// - Parameter conditions: the initial value.
    public init(_ conditions: HostConditions) {
        state = Mutex(State(conditions: conditions))
    }

    public var conditions: HostConditions { state.withLock(\.conditions) }

    /// Sets the conditions and sends them to all listeners.
    public func set(_ conditions: HostConditions) {
        let listeners = state.withLock { state in
            state.conditions = conditions
            return state.listeners
        }
        for listener in listeners { listener.yield(conditions) }
    }

    public func changes() -> AsyncStream<HostConditions> {
        let (stream, listener) = AsyncStream.makeStream(of: HostConditions.self)
        state.withLock { $0.listeners.append(listener) }
        return stream
    }
}
