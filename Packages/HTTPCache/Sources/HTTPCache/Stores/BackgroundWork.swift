// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// A limited set of background tasks. The tasks are cancelled when this object is released.
final class BackgroundWork: Sendable {
    private struct State {
        var last: UInt64 = 0
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    /// The maximum number of running tasks.
    private static let limit = 8

    deinit {
        close()
    }

    /// Starts a task, unless the limit is reached or the object is closed.
    func run(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard state.tasks.count < Self.limit, !state.isClosed else { return }
            state.last += 1
            let number = state.last
            let work = OneTimeWork(work)
            // The task removes itself under the same mutex, so it cannot finish before it is in the table.
            state.tasks[number] = Task { [weak self] in
                await work.run()
                _ = self?.state.withLock { $0.tasks.removeValue(forKey: number) }
            }
        }
    }

    /// Cancels the running tasks and rejects new ones.
    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Waits until no task is running.
    func waitUntilIdle() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }
}

/// A serial queue for blocking jobs on its own thread. Blocking jobs must not occupy the threads of Swift's
/// concurrency pool, which has one thread per core.
final class BlockingQueue: Sendable {
    private let queue: SerialQueue
    /// The lock of the short job that runs on its caller's thread.
    private let place = Mutex(())

    /// Creates a queue.
    /// - Parameter name: The last part of the queue's label.
    init(_ name: String) {
        queue = SerialQueue("container.http-cache.\(name)", priority: .userInitiated)
    }

    /// Runs a job. When this function returns, the job and all objects that it captures are released.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await queue.run(work)
    }

    /// Runs a short job, without an order relative to the other jobs. The job runs on its caller's thread if no other
    /// short job does, because waking a thread takes longer than the job. If the disk hangs, at most one thread of the
    /// concurrency pool is blocked.
    func runShort<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        if let value = place.withLockIfAvailable({ _ in work() }) { return value }
        return await run(work)
    }

    /// Runs a job and blocks until it has finished. A job of this queue must not call this function.
    func runBlocking<Value>(_ work: () throws -> Value) rethrows -> Value {
        try queue.runBlocking(work)
    }
}

/// Work that runs once and is released when ``run()`` returns. The caller of ``run()`` may then hold the last reference
/// to the store, and close the store by releasing it.
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
