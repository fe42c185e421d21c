// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Tasks that no request waits for, a few at a time; they end with this object.
final class BackgroundWork: Sendable {
    private struct State {
        var last: UInt64 = 0
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    deinit {
        close()
    }

    /// Does the work, unless there is too much of it already, or no more is wanted.
    func run(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard state.tasks.count < limit, !state.isClosed else { return }
            state.last += 1
            let number = state.last
            let work = OneTimeWork(work)
            // It takes the mutex last, so it cannot be through before it is in the table.
            state.tasks[number] = Task { [weak self] in
                await work.run()
                _ = self?.state.withLock { $0.tasks.removeValue(forKey: number) }
            }
        }
    }

    /// Cancels what is under way, and takes no more.
    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Waits until there is none.
    func waitUntilIdle() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }
}
