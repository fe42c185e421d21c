// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

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
