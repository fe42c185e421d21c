// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension WebViewPool {
    /// What a pool has done so far. Views that were made and not discarded are warm, lent, or just being prepared.
    public struct Counters: Sendable, Hashable {
        /// Views created.
        public var made = 0
        /// Loans of a view that was warm.
        public var warmCheckOuts = 0
        /// Loans of a view that had to be created.
        public var coldCheckOuts = 0
        /// Views cleaned and kept for the next loan.
        public var recycled = 0
        /// Views ended: dead, not to be warmed or cleaned, drained, or beyond the capacity.
        public var discarded = 0
    }
}
