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

/// Runs what blocks on a thread of its own, one job after another: Swift's own threads are as few as cores.
final class BlockingQueue: Sendable {
    private let queue: SerialQueue
    /// Held while a short job runs on its caller's thread.
    private let place = Mutex(())

    /// - Parameter name: what its jobs are, for who looks at threads.
    init(_ name: String) {
        queue = SerialQueue("container.http-cache.\(name)", priority: .userInitiated)
    }

    /// Runs a job. When this returns, the job and all it holds are gone.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await queue.run(work)
    }

    /// Runs a job that is short where nothing goes wrong, beside the others and in no order with them: waking a thread
    /// takes longer than it does. One at a time runs on its caller's thread, so that a disk that hangs holds one of
    /// Swift's own at most.
    func runShort<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        if let value = place.withLockIfAvailable({ _ in work() }) { return value }
        return await run(work)
    }

    /// Runs a job, and blocks until it is done. Not to be called by a job.
    func runBlocking<Value>(_ work: () throws -> Value) rethrows -> Value {
        try queue.runBlocking(work)
    }
}

/// Work that is done once, and gone with all it holds when ``run()`` returns: whoever waits for it may then be the last
/// to hold the store, and close it.
final class OneTimeWork: Sendable {
    private let work: Mutex<(@Sendable () async -> Void)?>

    init(_ work: @escaping @Sendable () async -> Void) {
        self.work = Mutex(work)
    }

    func run() async {
        await removeWork()?()
    }

    private func removeWork() -> (@Sendable () async -> Void)? {
        work.withLock { work in
            defer { work = nil }
            return work
        }
    }
}
