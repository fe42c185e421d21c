// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport

/// A gate that blocks tasks until it opens. A cancelled task stops waiting. The gate counts arrivals.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var lastID = 0
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var arrived = 0
        var watchers: [(count: Int, CheckedContinuation<Void, Never>)] = []
        var left = 0
    }

    private let state = Mutex(State())

    /// The number of tasks that were cancelled while they waited.
    var cancelled: Int { state.withLock { $0.left } }

    func wait() async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let (result, watchers) = state.withLock {
                    state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
                    state.arrived += 1
                    let due = state.watchers.filter { $0.count <= state.arrived }.map(\.1)
                    state.watchers.removeAll { $0.count <= state.arrived }
                    if Task.isCancelled {
                        state.left += 1
                        return (.failure(CancellationError()), due)
                    }
                    if state.isOpen { return (.success(()), due) }
                    state.waiting[id] = continuation
                    return (nil, due)
                }
                for watcher in watchers { watcher.resume() }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiting.removeValue(forKey: id)
                if waiter != nil { state.left += 1 }
                return waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Waits until a number of tasks have arrived at the gate.
    func arrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.arrived >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            let waiting = Array(state.waiting.values)
            state.waiting = [:]
            return waiting
        }
        for waiter in waiting { waiter.resume() }
    }
}
