// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import ResourceLoading
internal import WebSyntax

/// When a request that failed is sent again, and when it is given up. A value: it counts, and never waits itself.
///
/// The wait doubles with each failure in a row, and a random part of up to half of it is taken off, so that clients
/// that failed together do not come back together. What a server asks for in `Retry-After` is waited at least; a
/// server that asks for more than the limit is not asked again now. Bytes that arrived begin the row anew, but not
/// the count of all failures, so that a server that breaks off after each byte does not hold a client for ever.
public struct RetryPlan: Sendable, Hashable {
    /// The numbers of a plan.
    public struct Configuration: Sendable, Hashable {
        /// The most failures in a row, the first among them. Default: 5.
        public var failuresInARow = 5
        /// The most failures in all. Default: 30.
        public var failures = 30
        /// The wait after the first failure. Default: 1 s.
        public var firstWait: Duration = .seconds(1)
        /// The longest wait that doubling leads to. Default: 60 s.
        public var longestWait: Duration = .seconds(60)
        /// The longest `Retry-After` that is waited for. Default: 5 min.
        public var longestRetryAfter: Duration = .seconds(300)

        public init() {}
    }

    /// What went wrong.
    enum Failure: Sendable, Hashable {
        /// No answer, or a part of one.
        case transport(ResourceError.Code)
        /// An answer that says so.
        /// - retryAfter: the value of its `Retry-After` field.
        case status(Int, retryAfter: String?)
        /// The bytes are not what was announced.
        case damaged
    }

    /// What to do now.
    enum Decision: Sendable, Hashable {
        case retry(after: Duration)
        case giveUp
    }

    private let configuration: Configuration
    /// Failures since the last progress.
    private(set) var failuresInARow = 0
    /// Failures in all.
    private(set) var failures = 0

    init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Notes that bytes arrived that need not be asked for again.
    mutating func recordProgress() {
        failuresInARow = 0
    }

    /// Notes a failure.
    /// - Parameters:
    ///   - failure: the error, or the status and its `Retry-After`.
    ///   - now: what a date in `Retry-After` is held against.
    ///   - generator: where the random part comes from.
    mutating func decide(
        after failure: Failure, now: Date, using generator: inout some RandomNumberGenerator
    ) -> Decision {
        failures += 1
        failuresInARow += 1
        guard Self.isPassing(failure), failures < configuration.failures,
            failuresInARow < configuration.failuresInARow
        else { return .giveUp }
        var wait = configuration.firstWait
        for _ in 1..<max(failuresInARow, 1) where wait < configuration.longestWait { wait *= 2 }
        wait = min(wait, configuration.longestWait)
        wait -= wait * Double.random(in: 0...0.5, using: &generator)
        if case .status(_, let field?) = failure, let asked = RetryAfter(field, now: now)?.wait {
            guard asked <= configuration.longestRetryAfter else { return .giveUp }
            wait = max(wait, asked)
        }
        return .retry(after: wait)
    }

    /// Whether the same request may well succeed later.
    static func isPassing(_ failure: Failure) -> Bool {
        switch failure {
        case .transport(let code):
            // A phone between two networks is offline for a moment.
            [.offline, .unknownHost, .cannotConnect, .connectionLost, .timedOut].contains(code)
        // RFC 9110, sections 15.5.9 and 15.6; RFC 8470 (425); RFC 6585 (429).
        case .status(let code, _): [408, 425, 429, 500, 502, 503, 504].contains(code)
        case .damaged: true
        }
    }
}

/// A retry plan with what it needs to be followed: date, dice and clock.
struct Retries {
    private var plan: RetryPlan
    private var generator: any RandomNumberGenerator
    private let configuration: PackageDownloader.Configuration

    init(_ configuration: PackageDownloader.Configuration) {
        plan = RetryPlan(configuration.retry)
        generator = configuration.makeGenerator()
        self.configuration = configuration
    }

    mutating func recordProgress() {
        plan.recordProgress()
    }

    /// Waits until it is time for another attempt, and holds no turn meanwhile: a server that is down must not hold back
    /// what comes from others.
    /// - Throws: `error` where there shall be none, or `CancellationError`.
    mutating func wait(after failure: RetryPlan.Failure, _ error: DeliveryError) async throws {
        switch plan.decide(after: failure, now: configuration.now(), using: &generator) {
        case .giveUp: throw error
        case .retry(let wait):
            try await KeyedQueue.resting { try await configuration.clock.sleep(for: wait) }
        }
    }
}
