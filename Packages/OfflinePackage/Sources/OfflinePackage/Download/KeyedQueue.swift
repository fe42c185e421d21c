// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Synchronization

/// Admits so many jobs at a time, and one at a time for each key; the others wait in line, and the line has an end.
///
/// Isolation: any.
final class KeyedQueue: Sendable {
    private struct Waiter {
        let ticket: UInt64
        let key: String
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var running: Set<String> = []
        var waiting: [Waiter] = []
        var lastTicket: UInt64 = 0

        func admits(_ key: String, upTo limit: Int) -> Bool {
            running.count < limit && !running.contains(key)
        }
    }

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
    /// - Throws: ``DeliveryError`` with code `queue-full`, `CancellationError`, or what `body` throws.
    func run<Value>(
        _ key: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> sending Value
    ) async throws -> sending Value {
        try await enter(key)
        defer { leave(key) }
        return try await body()
    }

    private func enter(_ key: String) async throws {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    // A cancellation from here on finds the ticket in line; an earlier one is seen here.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.admits(key, upTo: atATime) {
                        state.running.insert(key)
                        return .success(())
                    }
                    guard state.waiting.count < inLine else {
                        return .failure(DeliveryError(.queueFull, "\(inLine) wait already"))
                    }
                    state.waiting.append(Waiter(ticket: ticket, key: key, continuation: continuation))
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

    private func leave(_ key: String) {
        let admitted = state.withLock { state in
            state.running.remove(key)
            var admitted: [Waiter] = []
            // In order, past those whose key another has.
            while let index = state.waiting.firstIndex(where: { state.admits($0.key, upTo: atATime) }) {
                let waiter = state.waiting.remove(at: index)
                state.running.insert(waiter.key)
                admitted.append(waiter)
            }
            return admitted
        }
        for waiter in admitted { waiter.continuation.resume() }
    }
}
