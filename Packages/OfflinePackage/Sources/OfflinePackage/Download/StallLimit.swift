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
        let timer = InactivityTimer(clock)
        return try await timer.run(limit: limit) { [self] in
            DeliveryError(.stalled, "\(reason) \(limit)", at: location)
        } _: {
            try await body { timer.recordActivity() }
        }
    }
}
