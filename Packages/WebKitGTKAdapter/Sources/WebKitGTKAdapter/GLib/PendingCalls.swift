// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    /// The pending calls to the engine that must end when their page or view ends.
    ///
    /// The engine may complete these calls late, and for a page in the back-forward cache never.
    @MainActor
    final class PendingCalls {
        private var ends: [UInt64: @MainActor (any Error) -> Void] = [:]
        private var lastID: UInt64 = 0

        /// Adds a call and returns its identifier. The caller removes the call when it completes.
        func add(_ end: @escaping @MainActor (any Error) -> Void) -> UInt64 {
            lastID += 1
            ends[lastID] = end
            return lastID
        }

        func remove(_ id: UInt64) {
            ends[id] = nil
        }

        /// Ends all pending calls with an error.
        func endAll(with error: any Error) {
            let ends = ends.values
            self.ends.removeAll()
            for end in ends { end(error) }
        }
    }
#endif
