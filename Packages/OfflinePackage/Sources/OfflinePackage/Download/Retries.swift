// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
