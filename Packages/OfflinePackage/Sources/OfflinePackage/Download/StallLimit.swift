// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Ends work that makes no progress.
struct StallLimit: Sendable {
    let limit: Duration
    let clock: any Clock<Duration>
    /// What the error says, before the limit.
    var reason = "nothing came for"
    /// What was waited for: a URL.
    var location: String?

    /// Runs `body`, and cancels it where it does not call its argument for as long as the limit.
    /// - Throws: ``DeliveryError`` with code `stalled`, or what `body` throws.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ alive: @escaping @Sendable () -> Void) async throws -> Value
    ) async throws -> Value {
        try await run(on: clock, body)
    }

    private func run<C: Clock, Value: Sendable>(
        on clock: C, _ body: @escaping @Sendable (_ alive: @escaping @Sendable () -> Void) async throws -> Value
    ) async throws -> Value where C.Duration == Duration {
        let pulse = Pulse(clock.now)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await body { pulse.last.withLock { $0 = clock.now } }
            }
            group.addTask {
                while true {
                    let due = pulse.last.withLock { $0 }.advanced(by: limit)
                    guard due > clock.now else { return nil }
                    try await clock.sleep(until: due, tolerance: nil)
                }
            }
            defer { group.cancelAll() }
            // Whoever is done first: the body with its value or its error, or the watch with nothing.
            guard let first = try await group.next(), let value = first else {
                throw DeliveryError(.stalled, "\(reason) \(limit)", at: location)
            }
            return value
        }
    }

    private final class Pulse<Instant: InstantProtocol>: Sendable {
        let last: Mutex<Instant>

        init(_ now: Instant) {
            last = Mutex(now)
        }
    }
}
