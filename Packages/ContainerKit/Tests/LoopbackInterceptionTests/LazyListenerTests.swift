// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import LoopbackInterception

@MainActor
@Suite("Lazy listeners", .timeLimit(.minutes(1)))
struct LazyListenerTests {
    private struct Failure: Error {}

    @MainActor
    private final class Starts {
        var count = 0
        var fails = true
    }

    @Test("Concurrent callers share a start, and the next caller repeats a failed start")
    func starts() async throws {
        let starts = Starts()
        let listener = LazyListener { () async throws -> Int in
            starts.count += 1
            await Task.yield()
            if starts.fails { throw Failure() }
            return starts.count
        }
        await #expect(throws: Failure.self) { try await listener.started() }
        #expect(listener.listener == nil)
        starts.fails = false
        async let one = listener.started()
        async let other = listener.started()
        let numbers = try await [one, other]
        #expect(numbers == [2, 2])
        #expect(try await listener.started() == 2 && listener.listener == 2 && starts.count == 2)
        #expect(await listener.end() == 2)
    }

    @Test("No listener starts after the shutdown")
    func end() async {
        let listener = LazyListener { 1 }
        #expect(await listener.end() == nil)
        await #expect(throws: CancellationError.self) { try await listener.started() }
    }

    @Test("An end during a start returns the listener, and the caller of the start gets an error")
    func endDuringStart() async {
        let (started, startedEvent) = AsyncStream<Void>.makeStream()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let listener = LazyListener { () async throws -> Int in
            startedEvent.finish()
            for await _ in gate {}
            return 1
        }
        let caller = Task { try await listener.started() }
        for await _ in started {}
        // The start ends after the end was requested, because both run on the main actor.
        opening.finish()
        #expect(await listener.end() == 1)
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(listener.listener == nil)
    }
}
