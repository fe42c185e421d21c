// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    /// Waits until the network process has taken in what it was told, with one round trip for all who wait.
    ///
    /// Messages to that process go one after the other, so an answer to a later one proves the earlier. Only a round trip
    /// that starts after a caller came counts for it: who comes while one is under way waits for the next, and shares
    /// that one with all who come meanwhile. So there are never more than two, however many wait.
    @MainActor
    final class NetworkBarrier {
        private let roundTrip: @MainActor () async throws -> Void
        /// Started: what is told from now on may be behind it.
        private var running: Task<Void, any Error>?
        /// Not started: may be joined.
        private var waiting: Task<Void, any Error>?

        /// - Parameter roundTrip: sends a message as soon as it is called, and returns with the answer.
        init(_ roundTrip: @escaping @MainActor () async throws -> Void) {
            self.roundTrip = roundTrip
        }

        /// Returns when all that was told before the call has been taken in.
        /// - Throws: what the round trip throws.
        func pass() async throws {
            try await (waiting ?? next()).value
        }

        private func next() -> Task<Void, any Error> {
            let previous = running
            let task = Task { @MainActor in
                _ = await previous?.result
                // From here to the message nothing else runs on this actor.
                running = waiting
                waiting = nil
                try await roundTrip()
            }
            waiting = task
            return task
        }
    }
#endif
