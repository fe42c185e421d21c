// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// A queue that runs a limited number of jobs concurrently, and one at a time for each key. The number of waiting
/// jobs is limited too.
///
/// A job that pauses calls ``resting(_:)``. Meanwhile it blocks only other jobs with its key.
///
/// Isolation: any.
final class KeyedQueue: Sendable {
    /// The slot of a running job.
    private struct Place {
        let queue: KeyedQueue
        let key: String
    }

    private struct Waiter {
        let ticket: UInt64
        let key: String
        /// A Boolean value that indicates whether the job has run before and is returning from ``resting(_:)``.
        let isBack: Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var running: Set<String> = []
        /// The keys of running jobs that do not count towards the limit at present.
        var resting: Set<String> = []
        var waiting: [Waiter] = []
        var lastTicket: UInt64 = 0

        func admits(_ key: String, isBack: Bool, upTo limit: Int) -> Bool {
            running.count - resting.count < limit && (isBack || !running.contains(key))
        }

        mutating func admit(_ key: String, isBack: Bool) {
            if isBack { resting.remove(key) } else { running.insert(key) }
        }

        /// Admits waiting jobs in order. Jobs whose key is in use are skipped.
        mutating func admitWaiting(upTo limit: Int) -> [Waiter] {
            var admitted: [Waiter] = []
            while let index = waiting.firstIndex(where: { admits($0.key, isBack: $0.isBack, upTo: limit) }) {
                let waiter = waiting.remove(at: index)
                admit(waiter.key, isBack: waiter.isBack)
                admitted.append(waiter)
            }
            return admitted
        }
    }

    /// The slots of this task's jobs, from the outermost to the innermost.
    @TaskLocal private static var places: [Place] = []

    private let maxConcurrent: Int
    private let maxWaiting: Int
    private let state = Mutex(State())

    init(maxConcurrent: Int, maxWaiting: Int) {
        self.maxConcurrent = max(1, maxConcurrent)
        self.maxWaiting = max(0, maxWaiting)
    }

    /// The number of waiting jobs.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` when its turn comes.
    ///
    /// The function is not inlined, to avoid a defect of Swift 6.3 (decision 0060). With optimization, the async
    /// contexts of two callers, whose errors live across executors, were 16 bytes too small. Memory was overwritten.
    /// - Throws: ``DeliveryError`` with code `queue-full`, `CancellationError`, or the error of `body`.
    @inline(never)
    func run<Value: Sendable>(
        _ key: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value {
        try await enter(key, isBack: false)
        defer { release(key) }
        return try await Self.$places.withValue(Self.places + [Place(queue: self, key: key)], operation: body)
    }

    /// Runs `wait` while the jobs of this task, in all queues, release their slots but keep their keys.
    ///
    /// The jobs then resume before jobs that have not run yet. If the function throws, the jobs have no slots and must
    /// end. Only one task of a job may call the function at a time.
    /// - Throws: `CancellationError`, or the error of `wait`.
    static func resting(_ wait: () async throws -> Void) async throws {
        for place in places { place.queue.rest(place.key) }
        try await wait()
        // Of nested queues, only the innermost may have a limit. A returning job keeps its keys in all queues. If an
        // outer queue had a limit, a job that waits for such a key could occupy the slot that the returning job needs.
        for place in places { try await place.queue.enter(place.key, isBack: true) }
    }

    private func enter(_ key: String, isBack: Bool) async throws {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    // A later cancellation finds the ticket in the queue; an earlier one is detected here.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.admits(key, isBack: isBack, upTo: maxConcurrent) {
                        state.admit(key, isBack: isBack)
                        return .success(())
                    }
                    let place = isBack ? state.waiting.firstIndex { !$0.isBack } : nil
                    guard isBack || state.waiting.count < maxWaiting else {
                        return .failure(DeliveryError(.queueFull, "\(maxWaiting) jobs are waiting already"))
                    }
                    state.waiting.insert(
                        Waiter(ticket: ticket, key: key, isBack: isBack, continuation: continuation),
                        at: place ?? state.waiting.endIndex)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func rest(_ key: String) {
        admitOthers { $0.resting.insert(key) }
    }

    private func release(_ key: String) {
        admitOthers {
            $0.running.remove(key)
            $0.resting.remove(key)
        }
    }

    private func admitOthers(after change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return state.admitWaiting(upTo: maxConcurrent)
        }
        for waiter in admitted { waiter.continuation.resume() }
    }
}
