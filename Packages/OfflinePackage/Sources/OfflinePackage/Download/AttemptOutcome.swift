// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// What came of one request.
enum AttemptOutcome: Sendable {
    /// All that was asked for is there. Its digest was not looked at.
    case complete
    /// Another attempt may do better.
    case failed(RetryPlan.Failure, DeliveryError)

    /// - Throws: `CancellationError` where that is what the error means.
    init(_ error: ResourceError, at url: String) throws {
        guard error.code != .cancelled else { throw CancellationError() }
        self = .failed(.transport(error.code), DeliveryError(.network, error.message, at: url, cause: error))
    }
}

extension StallLimit {
    /// Makes one attempt; a stall is a failure that another attempt may do better than.
    func attempt(
        _ url: String,
        _ body: @escaping @Sendable (_ alive: @escaping @Sendable () -> Void) async throws -> AttemptOutcome
    ) async throws -> AttemptOutcome {
        do {
            return try await run(body)
        } catch let error as DeliveryError where error.code == .stalled {
            return .failed(.transport(.timedOut), DeliveryError(.stalled, error.message, at: url))
        }
    }
}
