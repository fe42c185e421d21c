// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    /// Calls that wait for the engine, so that they can be ended when what they wait for is gone.
    ///
    /// The engine may answer such calls late or, for a page that it keeps for the way back, never.
    @MainActor
    final class PendingCalls {
        private var ends: [UInt64: @MainActor (any Error) -> Void] = [:]
        private var lastID: UInt64 = 0

        /// Adds a call, which must be removed once it has its answer.
        func add(_ end: @escaping @MainActor (any Error) -> Void) -> UInt64 {
            lastID += 1
            ends[lastID] = end
            return lastID
        }

        func remove(_ id: UInt64) {
            ends[id] = nil
        }

        /// Ends all calls that wait now.
        func endAll(with error: any Error) {
            let ends = ends.values
            self.ends.removeAll()
            for end in ends { end(error) }
        }
    }
#endif
