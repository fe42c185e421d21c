// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar

extension Reconciliation {
    /// One cookie, or one that is to be gone.
    struct Entry: Sendable {
        /// Who made the present version.
        enum Origin: Sendable, Hashable {
            case caller
            case store
            /// The first reading of a store, by its place.
            case found(Int)
        }

        let serial: UInt64
        /// What all stores are to hold; `nil` for a deletion.
        var desired: Cookie?
        /// 0 before the first change.
        var version: UInt64 = 0
        var origin = Origin.caller
        /// One for each store.
        var slots: [Slot]
    }

    /// One cookie in one store.
    struct Slot: Sendable {
        enum Verdict: Sendable, Hashable {
            case refused, abandoned
        }

        /// A write that is under way.
        struct InFlight: Sendable {
            let state: Cookie?
            let version: UInt64
        }

        /// What the store may hold now: one state where that is certain, none before the store was read.
        var possible: [Cookie?]
        /// What the read that is under way may show besides.
        var window: [Cookie?] = []
        /// What was heard of the store while the write was under way: who came first there is not known.
        var observed: [Cookie?] = []
        var inFlight: InFlight?
        /// When the last write, or a clearing, ended, in ticks.
        var lastEnd: UInt64 = 0
        /// Whether a read that overlapped with the write that is under way left something open.
        var recheck = false
        /// Whether a write has been confirmed and not been seen yet.
        var awaitsEcho = false
        /// Whether it waits for its turn to be written.
        var isQueued = false
        /// Failed attempts to write the present version.
        var attempts = 0
        /// How the present version ended where it is not there.
        var verdict: Verdict?
        /// Since which version the store lags behind.
        var dirtySince: UInt64?

        /// The store may have lost it.
        mutating func lose() {
            if !possible.contains(where: { $0 == nil }) { possible.append(nil) }
            guard inFlight != nil else { return }
            // The write may have landed before the loss, or after.
            observed.append(nil)
            recheck = true
        }
    }

    /// One store.
    struct Lane: Sendable {
        struct Reading: Sendable {
            let number: UInt64
            /// When it began, in ticks.
            let start: UInt64
            /// What it may show though it is cleared.
            var ignored: CookieScope?
        }

        let id: CookieStoreID
        let representation: CookieRepresentation
        var hasBeenRead = false
        var wantsRead = false
        var reading: Reading?
        var readsStarted: UInt64 = 0
        /// The number of the last read that succeeded.
        var readsEnded: UInt64 = 0
        var readFailures = 0
        /// Whether reads have failed too often.
        var isSilent = false
        /// Writes under way.
        var writes = 0
        /// Cookies that wait for a write to end.
        var backlog: [Cookie.Identity] = []
        /// Failures in a row.
        var failures = 0
        var isPaused = false
        /// What is still to be cleared.
        var owed: CookieScope?
        /// What is being cleared.
        var clearing: CookieScope?
        var clearsStarted: UInt64 = 0
        /// The number of the last clearing that succeeded.
        var clearsEnded: UInt64 = 0
        var clearFailures = 0
        /// Whether clearings have failed too often.
        var isClearStuck = false

        /// Whether a cookie is to be cleared, or is being.
        func isClearing(_ identity: Cookie.Identity) -> Bool {
            owed?.contains(identity) == true || clearing?.contains(identity) == true
        }

        /// Forgets what failed too often.
        mutating func giveAnotherChance() {
            isSilent = false
            readFailures = 0
            isClearStuck = false
            clearFailures = 0
        }
    }
}

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
