// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// A coalescer of concurrent requests for the same work.
///
/// A cancelled caller returns immediately. When all callers are cancelled, the work is cancelled. The work runs at
/// the priority of the first caller.
///
/// Isolation: any. The mutex is not held while work runs.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Flight {
        let number: UInt64
        var task: Task<Void, Never>?
        var waiters: [UInt64: CheckedContinuation<Value, any Error>] = [:]
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var lastNumber: UInt64 = 0

        mutating func makeNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Mutex(State())

    /// Returns the number of callers that wait for a key.
    func waiters(for key: Key) -> Int {
        state.withLock { $0.flights[key]?.waiters.count ?? 0 }
    }

    /// Waits for the running work of a key, or starts it.
    /// - Throws: the error of the work, or `CancellationError` if the calling task is cancelled.
    func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let waiter = state.withLock { $0.makeNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    // The cancellation handler takes the same lock. A cancellation is detected by this check or finds
                    // the waiter in the list.
                    if Task.isCancelled { return true }
                    join(key, as: waiter, continuation, &state, work)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            removeWaiter(key, as: waiter)
        }
    }

    private func join(
        _ key: Key, as waiter: UInt64, _ continuation: CheckedContinuation<Value, any Error>, _ state: inout State,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        if state.flights[key] == nil {
            let number = state.makeNumber()
            var flight = Flight(number: number)
            // The task cannot end before it is in the list, because `end` takes the lock.
            flight.task = Task(priority: Task.currentPriority) { [self] in
                let result: Result<Value, any Error>
                do { result = .success(try await work()) } catch { result = .failure(error) }
                end(key, number, with: result)
            }
            state.flights[key] = flight
        }
        state.flights[key]?.waiters[waiter] = continuation
    }

    private func end(_ key: Key, _ number: UInt64, with result: Result<Value, any Error>) {
        let waiters = state.withLock { state -> [CheckedContinuation<Value, any Error>] in
            guard let flight = state.flights[key], flight.number == number else { return [] }
            state.flights[key] = nil
            return Array(flight.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    private func removeWaiter(_ key: Key, as waiter: UInt64) {
        let (continuation, task) = state.withLock {
            state -> (CheckedContinuation<Value, any Error>?, Task<Void, Never>?) in
            guard let continuation = state.flights[key]?.waiters.removeValue(forKey: waiter) else { return (nil, nil) }
            guard state.flights[key]?.waiters.isEmpty == true else { return (continuation, nil) }
            return (continuation, state.flights.removeValue(forKey: key)?.task)
        }
        task?.cancel()
        continuation?.resume(throwing: CancellationError())
    }
}
