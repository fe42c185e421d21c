// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import Testing

    @testable import WebKitGTKAdapter

    @Suite("Network barrier", .timeLimit(.minutes(1)))
    @MainActor
    struct NetworkBarrierTests {
        /// Round trips that end when the test ends them.
        @MainActor
        private final class Trips {
            struct Lost: Error {}

            private(set) var begun = 0
            private var ends: [CheckedContinuation<Void, any Error>] = []
            private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

            func make() async throws {
                begun += 1
                for watcher in watchers where watcher.count <= begun { watcher.continuation.resume() }
                watchers.removeAll { $0.count <= begun }
                try await withCheckedThrowingContinuation { ends.append($0) }
            }

            func begun(_ count: Int) async {
                if begun < count { await withCheckedContinuation { watchers.append((count, $0)) } }
            }

            func end(with result: Result<Void, any Error> = .success(())) {
                ends.removeFirst().resume(with: result)
            }
        }

        private let trips = Trips()

        @Test("Callers before the start of a round trip share it; later callers share the next one")
        func sharing() async throws {
            let trips = trips
            let barrier = NetworkBarrier { try await trips.make() }
            let early = (0..<100).map { _ in Task { try await barrier.pass() } }
            await trips.begun(1)
            let late = (0..<100).map { _ in Task { try await barrier.pass() } }
            // This task runs after the tasks of all callers, because tasks of one actor start in order.
            await Task { @MainActor in }.value
            #expect(trips.begun == 1)
            trips.end()
            for task in early { try await task.value }
            await trips.begun(2)
            trips.end()
            for task in late { try await task.value }
            #expect(trips.begun == 2)
            let last = Task { try await barrier.pass() }
            await trips.begun(3)
            trips.end()
            try await last.value
        }

        @Test("A failed round trip throws its error to its own callers only")
        func failure() async throws {
            let trips = trips
            let barrier = NetworkBarrier { try await trips.make() }
            let first = Task { try await barrier.pass() }
            await trips.begun(1)
            let second = Task { try await barrier.pass() }
            trips.end(with: .failure(Trips.Lost()))
            await #expect(throws: Trips.Lost.self) { try await first.value }
            await trips.begun(2)
            trips.end()
            try await second.value
        }
    }
#endif
