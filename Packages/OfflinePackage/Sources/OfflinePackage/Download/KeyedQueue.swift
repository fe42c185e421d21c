// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Admits so many jobs at a time, and one at a time for each key; the others wait in line, and the line has an end.
///
/// A job that only waits for time to pass does so in ``resting(_:)``, so that it holds back nobody but its own key.
///
/// Isolation: any.
final class KeyedQueue: Sendable {
    /// What a job has while it runs.
    private struct Place {
        let queue: KeyedQueue
        let key: String
    }

    private struct Waiter {
        let ticket: UInt64
        let key: String
        /// Whether it has run before, and has rested since.
        let isBack: Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var running: Set<String> = []
        /// Of those that run, the ones that count for nothing now.
        var resting: Set<String> = []
        var waiting: [Waiter] = []
        var lastTicket: UInt64 = 0

        func admits(_ key: String, isBack: Bool, upTo limit: Int) -> Bool {
            running.count - resting.count < limit && (isBack || !running.contains(key))
        }

        mutating func admit(_ key: String, isBack: Bool) {
            if isBack { resting.remove(key) } else { running.insert(key) }
        }

        /// Admits whom it can: in order, past those whose key another has.
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

    /// The places of this task's jobs, the outermost first.
    @TaskLocal private static var places: [Place] = []

    private let atATime: Int
    private let inLine: Int
    private let state = Mutex(State())

    init(atATime: Int, inLine: Int) {
        self.atATime = max(1, atATime)
        self.inLine = max(0, inLine)
    }

    /// How many wait now.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` when it is its turn.
    ///
    /// Not inlined: Swift 6.3 with optimization gave two callers of it async contexts that were 16 bytes too small for the
    /// errors that they hold across executors, and they overwrote the memory behind it (decision 0060).
    /// - Throws: ``DeliveryError`` with code `queue-full`, `CancellationError`, or what `body` throws.
    @inline(never)
    func run<Value: Sendable>(
        _ key: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value {
        try await enter(key, isBack: false)
        defer { leave(key) }
        return try await Self.$places.withValue(Self.places + [Place(queue: self, key: key)], operation: body)
    }

    /// Runs `wait` while the jobs that this task is in, in whatever queues, make way for others. They keep their keys, and
    /// go on before those who have not run yet. A job must end where this throws: it has no turn then.
    ///
    /// Called from one task of a job at a time.
    /// - Throws: `CancellationError`, or what `wait` throws.
    static func resting(_ wait: () async throws -> Void) async throws {
        for place in places { place.queue.rest(place.key) }
        try await wait()
        // Of queues that are nested only the innermost may have a limit: who comes back holds the keys of all of them, and one
        // that waits for such a key would hold an outer place that this waits for.
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
                    // A cancellation from here on finds the ticket in line; an earlier one is seen here.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.admits(key, isBack: isBack, upTo: atATime) {
                        state.admit(key, isBack: isBack)
                        return .success(())
                    }
                    let place = isBack ? state.waiting.firstIndex { !$0.isBack } : nil
                    guard isBack || state.waiting.count < inLine else {
                        return .failure(DeliveryError(.queueFull, "\(inLine) wait already"))
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

    private func leave(_ key: String) {
        admitOthers {
            $0.running.remove(key)
            $0.resting.remove(key)
        }
    }

    private func admitOthers(after change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return state.admitWaiting(upTo: atATime)
        }
        for waiter in admitted { waiter.continuation.resume() }
    }
}
