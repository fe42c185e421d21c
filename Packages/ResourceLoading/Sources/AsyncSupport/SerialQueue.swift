// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Dispatch

/// A serial queue for work that blocks, such as file access.
///
/// Swift's cooperative pool has only one thread per core, so a job that blocks a thread of the pool delays other tasks.
/// ``withPreference(isolation:_:)`` is for tasks that block between their suspensions.
public final class SerialQueue: Sendable {
    /// The quality of service of a queue's jobs.
    public enum Priority: Sendable {
        /// Work that the user waits for.
        case userInitiated
        /// Background work.
        case utility
        /// The quality of service of the code that adds the job.
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
    ///   - priority: the quality of service of its jobs.
    public init(_ label: String, priority: Priority = .utility) {
        queue = DispatchQueue(label: label, qos: priority.qos)
    }

    /// Runs a job after the jobs before it, and returns its result.
    ///
    /// The job is added before the caller suspends, so that the calls of one actor run in order. The job and
    /// everything that it captures are released before this method returns. Cancellation is ignored.
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

    /// Adds a job without waiting for it.
    public func enqueue(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Adds a job after a delay without waiting for it. Jobs that are added in the meantime run before it.
    public func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = delay.components
        queue.asyncAfter(deadline: .now() + max(0, Double(seconds) + Double(attoseconds) / 1e18), execute: work)
    }

    /// Calls an operation whose parts without isolation run on the queue.
    ///
    /// Before iOS 18 and macOS 15, which lack task executors, they run on the threads of the cooperative pool. The
    /// parts of several operations can then run at the same time, also during jobs of the queue. Parts that share state
    /// therefore need a ``Mutex`` on all systems, or ``run(_:)`` instead of this method.
    /// - Throws: the error of the operation.
    public func withPreference<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if #available(iOS 18, macOS 15, *) {
            return try await withTaskExecutorPreference(self, isolation: isolation, operation: operation)
        }
        return try await operation()
    }

    /// Runs a job after the jobs before it, and blocks the caller until it has ended. A job of the same queue must not
    /// call this method.
    /// - Throws: the error of the job.
    public func runBlocking<Value>(_ work: () throws -> Value) rethrows -> Value {
        try queue.sync(execute: work)
    }

    /// A job that releases its closure before its caller resumes.
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

@available(iOS 18, macOS 15, *)
extension SerialQueue: TaskExecutor {
    /// Adds one job of a task. The job runs until the next suspension of the task.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        // The unowned executor stays valid because the task retains its executor until it ends.
        queue.async { job.runSynchronously(on: executor) }
    }
}
