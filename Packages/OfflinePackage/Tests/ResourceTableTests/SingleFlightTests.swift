// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import ResourceTable

@Suite("Single flight", .timeLimit(.minutes(1)))
struct SingleFlightTests {
    private let flights = SingleFlight<String, Int>()

    @Test("The work is cancelled only when its last caller is cancelled")
    func leaving() async throws {
        let gate = Gate()
        let work: @Sendable () async throws -> Int = {
            try await gate.wait()
            return 7
        }
        let first = Task { try await flights.value(for: "a", work) }
        await gate.arrivals(1)
        let second = Task { try await flights.value(for: "a") { 8 } }
        while flights.waiters(for: "a") < 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(gate.cancelled == 0 && flights.waiters(for: "a") == 1)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(flights.waiters(for: "a") == 0)
        // A later call starts new work.
        #expect(try await flights.value(for: "a") { 9 } == 9)
    }

    @Test("An error is passed to all callers and is not cached")
    func errors() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await flights.value(for: "a") { throw Failure() } }
        #expect(try await flights.value(for: "a") { 1 } == 1)
    }

    @Test("A caller that is already cancelled starts no work")
    func cancelledBefore() async throws {
        let gate = Gate()
        let task = Task {
            try? await gate.wait()
            return try await flights.value(for: "a") { 1 }
        }
        await gate.arrivals(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
