// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    /// A wait until the network process has handled all earlier messages. Concurrent callers share a round trip.
    ///
    /// The network process handles messages in order, so a reply to a later message proves that earlier messages were
    /// handled. A round trip counts only for callers that arrived before it started. A caller that arrives during a
    /// round trip waits for the next round trip and shares it with others. At most two round trips are pending.
    @MainActor
    final class NetworkBarrier {
        private let roundTrip: @MainActor () async throws -> Void
        /// The round trip that has started. New callers cannot use it.
        private var running: Task<Void, any Error>?
        /// The round trip that has not started. New callers join it.
        private var waiting: Task<Void, any Error>?

        /// Creates a barrier.
        /// - Parameter roundTrip: a closure that sends a message synchronously when it is called, and returns when the
        ///   reply arrives.
        init(_ roundTrip: @escaping @MainActor () async throws -> Void) {
            self.roundTrip = roundTrip
        }

        /// Returns when the network process has handled all messages that were sent before the call.
        /// - Throws: the error of the round trip.
        func pass() async throws {
            try await (waiting ?? next()).value
        }

        private func next() -> Task<Void, any Error> {
            let previous = running
            let task = Task { @MainActor in
                _ = await previous?.result
                // No other code runs on this actor between this line and the message.
                running = waiting
                waiting = nil
                try await roundTrip()
            }
            waiting = task
            return task
        }
    }
#endif
