// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing

@testable import OfflinePackage

@Suite(.timeLimit(.minutes(1)))
struct BackgroundTurnTests {
    private struct Failure: Error {}

    private let turn = BackgroundTurn(of: "https://packages.example/shop.json")

    /// Waits until the task is cancelled.
    private func waitForCancellation() async throws {
        try await until { false }
    }

    @Test("A turn returns the result of its download")
    func result() async throws {
        try await turn.run {}.get()
        let failing = BackgroundTurn(of: turn.manifestURL)
        await #expect(throws: Failure.self) { try await failing.run { throw Failure() }.get() }
    }

    @Test("A turn that ends before or during its download cancels it", arguments: [true, false])
    func end(isBefore: Bool) async throws {
        if isBefore { turn.end() }
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let running = Task {
            await turn.run {
                start.yield()
                try await waitForCancellation()
            }
        }
        for await _ in starts { break }
        turn.end()
        await #expect(throws: CancellationError.self) { try await running.value.get() }
    }

    @Test("Cancelling the task cancels the download")
    func cancellation() async throws {
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let running = Task {
            await turn.run {
                start.yield()
                try await waitForCancellation()
            }
        }
        for await _ in starts { break }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value.get() }
    }
}
