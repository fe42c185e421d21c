// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import ResourceLoading
internal import WebSyntax

/// The policy that decides whether and when a failed request is sent again. It is a value and does not wait itself.
///
/// The wait doubles with each consecutive failure. It is reduced by a random part of up to half, so that clients that
/// failed together do not retry together. The wait is at least the value of `Retry-After`; if the field exceeds the
/// limit, the request is not retried. Received bytes reset the count of consecutive failures but not the total count.
/// Therefore a server that sends one byte per connection does not keep a client busy forever.
struct RetryPlan: Sendable, Hashable {
    /// The maximum `Retry-After` that is respected.
    private static let longestRetryAfter = Duration.seconds(300)

    /// The limits and waits of a plan.
    struct Configuration: Sendable, Hashable {
        /// The maximum number of consecutive failures, including the first one. Default: 5.
        var failuresInARow = 5
        /// The maximum total number of failures. Default: 30.
        var failures = 30
        /// The wait after the first failure. Default: 1 s.
        var firstWait: Duration = .seconds(1)
        /// The maximum wait after doubling. Default: 60 s.
        var longestWait: Duration = .seconds(60)
    }

    /// The failure of a request.
    enum Failure: Sendable, Hashable {
        /// The transfer failed before the response was complete.
        case transport(ResourceError.Code)
        /// The response has an error status.
        /// - retryAfter: the value of its `Retry-After` field.
        case status(Int, retryAfter: String?)
        /// The received bytes differ from the declared ones.
        case damaged
    }

    /// The decision after a failure.
    enum Decision: Sendable, Hashable {
        case retry(after: Duration)
        case fail
    }

    private let configuration: Configuration
    /// The number of failures since the last progress.
    private(set) var failuresInARow = 0
    /// The total number of failures.
    private(set) var failures = 0

    init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Records that bytes arrived that are not requested again.
    mutating func recordProgress() {
        failuresInARow = 0
    }

    /// Records a failure and returns the decision.
    /// - Parameters:
    ///   - failure: the error, or the status and its `Retry-After`.
    ///   - now: the current date, for a date in `Retry-After`.
    ///   - generator: the source of the random part.
    mutating func decide(
        after failure: Failure, now: Date, using generator: inout some RandomNumberGenerator
    ) -> Decision {
        failures += 1
        failuresInARow += 1
        guard Self.isPassing(failure), failures < configuration.failures,
            failuresInARow < configuration.failuresInARow
        else { return .fail }
        var wait = configuration.firstWait
        for _ in 1..<max(failuresInARow, 1) where wait < configuration.longestWait { wait *= 2 }
        wait = min(wait, configuration.longestWait)
        wait -= wait * Double.random(in: 0...0.5, using: &generator)
        if case .status(_, let field?) = failure, let requestedWait = RetryAfter(field, now: now)?.wait {
            guard requestedWait <= Self.longestRetryAfter else { return .fail }
            wait = max(wait, requestedWait)
        }
        return .retry(after: wait)
    }

    /// Returns a Boolean value that indicates whether the same request may succeed later.
    static func isPassing(_ failure: Failure) -> Bool {
        switch failure {
        case .transport(let code):
            // A phone that changes networks is offline for a moment.
            [.offline, .unknownHost, .cannotConnect, .connectionLost, .timedOut].contains(code)
        // RFC 9110, sections 15.5.9 and 15.6; RFC 8470 (425); RFC 6585 (429).
        case .status(let code, _): [408, 425, 429, 500, 502, 503, 504].contains(code)
        case .damaged: true
        }
    }
}

/// A retry plan with its date, random number generator and clock.
struct Retries {
    private var plan: RetryPlan
    private var generator = SystemRandomNumberGenerator()
    private let configuration: PackageUpdater.Configuration.Downloads

    init(_ configuration: PackageUpdater.Configuration.Downloads) {
        plan = RetryPlan(configuration.retry)
        self.configuration = configuration
    }

    mutating func recordProgress() {
        plan.recordProgress()
    }

    /// Waits until the next attempt. Releases the queue slot meanwhile, so that a failing server does not block other
    /// downloads.
    /// - Throws: `error` if there are no more attempts, or `CancellationError`.
    mutating func wait(after failure: RetryPlan.Failure, _ error: DeliveryError) async throws {
        switch plan.decide(after: failure, now: configuration.now(), using: &generator) {
        case .fail: throw error
        case .retry(let wait):
            try await KeyedQueue.resting { try await configuration.clock.sleep(for: wait) }
        }
    }
}
