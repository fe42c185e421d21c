// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport

/// A barrier that suspends tasks until it is opened. A cancelled task passes.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var lastTicket = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// The number of waiting tasks.
    var waiting: Int { state.withLock { $0.waiting.count } }

    func pass() async {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (passes, watchers) = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return (true, [CheckedContinuation<Void, Never>]()) }
                    state.waiting[ticket] = continuation
                    let count = state.waiting.count
                    let satisfied = state.watchers.filter { $0.count <= count }.map(\.continuation)
                    state.watchers.removeAll { $0.count <= count }
                    return (false, satisfied)
                }
                if passes { continuation.resume() }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
        }
    }

    /// Waits until at least the given number of tasks wait.
    func waiting(atLeast count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.waiting.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }
}
