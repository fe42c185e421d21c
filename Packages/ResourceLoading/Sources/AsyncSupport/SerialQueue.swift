// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Dispatch

/// A serial queue for work that blocks, such as file access.
///
/// The threads of Swift's concurrency are as few as cores, so that a job that blocks one of them delays all others. The
/// queue is also a task executor, for tasks that block between their suspensions; see `withTaskExecutorPreference(_:)`.
public final class SerialQueue: TaskExecutor {
    /// The importance of a queue's jobs.
    public enum Priority: Sendable {
        /// Work that a person waits for.
        case userInitiated
        /// Work in the background.
        case utility
        /// The importance of the code that adds the job.
        case inherited

        fileprivate var qos: DispatchQoS {
            switch self {
            case .userInitiated: .userInitiated
            case .utility: .utility
            case .inherited: .unspecified
            }
        }
    }

    private let queue: DispatchQueue

    /// Creates a queue.
    /// - Parameters:
    ///   - label: the queue's name in debuggers.
    ///   - priority: the importance of its jobs.
    public init(_ label: String, priority: Priority = .utility) {
        queue = DispatchQueue(label: label, qos: priority.qos)
    }

    /// Runs a job after those before it, and returns its result. The job is added before the caller suspends, so that
    /// the calls of one actor run in their order. The job and all that it captures are released before this returns. A
    /// cancellation is ignored.
    /// - Throws: the error of the job.
    public nonisolated(nonsending) func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            let job = Job(work, continuation)
            queue.async { job.run() }
        }
        return try result.get()
    }

    /// Adds a job and does not wait for it.
    public func enqueue(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Adds a job after a delay and does not wait for it. Jobs that are added meanwhile run before it.
    public func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = delay.components
        queue.asyncAfter(deadline: .now() + max(0, Double(seconds) + Double(attoseconds) / 1e18), execute: work)
    }

    /// Adds a part of a task, which runs up to its next suspension.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        // The task holds its executor until it ends.
        queue.async { job.runSynchronously(on: executor) }
    }

    /// Runs a job after those before it, and blocks the caller until it has ended. A job of the same queue must not
    /// call this.
    /// - Throws: the error of the job.
    public func runBlocking<Value>(_ work: () throws -> Value) rethrows -> Value {
        try queue.sync(execute: work)
    }

    /// A job, which is emptied before its caller goes on.
    private final class Job<Value: Sendable, Failure: Error>: Sendable {
        private let work: Mutex<(@Sendable () throws(Failure) -> Value)?>
        private let continuation: CheckedContinuation<Result<Value, Failure>, Never>

        init(
            _ work: @escaping @Sendable () throws(Failure) -> Value,
            _ continuation: CheckedContinuation<Result<Value, Failure>, Never>
        ) {
            self.work = Mutex(work)
            self.continuation = continuation
        }

        func run() {
            guard let result = perform() else { return }
            continuation.resume(returning: result)
        }

        private func perform() -> Result<Value, Failure>? {
            let work = work.withLock { work in
                defer { work = nil }
                return work
            }
            guard let work else { return nil }
            do { return .success(try work()) } catch { return .failure(error) }
        }
    }
}
