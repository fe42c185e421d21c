// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension Reconciliation {
    /// What a reconciliation keeps at most.
    struct Limits: Sendable, Hashable {
        /// Cookies, deletions that are still to be written included. Default: 6,000. A new one beyond is not taken over
        /// from the store that has it, and counted.
        var identities = 6_000
        /// Deletions that are still to be written. Default: 1,000; for one more the oldest is forgotten, and counted.
        var tombstones = 1_000
        /// How long a deletion waits for a store, in seconds. Default: 3,600. A store that still has the cookie afterwards
        /// brings it back.
        var tombstoneLife = 3_600.0
        /// How often a write, a read or a clearing is tried in a row. Default: 4.
        var attempts = 4
        /// Writes under way at one store. Default: 8.
        var writes = 8

        init() {}
    }
}
