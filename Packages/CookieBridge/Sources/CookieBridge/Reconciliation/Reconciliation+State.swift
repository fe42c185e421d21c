// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar

extension Reconciliation {
    /// The state of one cookie, or of one deletion, in all stores.
    struct Entry: Sendable {
        /// The origin of the current version.
        enum Origin: Sendable, Hashable {
            case caller
            case store
            /// The first read of a store, with the index of the store.
            case found(Int)
        }

        let serial: UInt64
        /// The state that all stores should have; `nil` for a deletion.
        var desired: Cookie?
        /// The version of the last change; 0 before the first change.
        var version: UInt64 = 0
        var origin = Origin.caller
        /// The slots, one for each store.
        var slots: [Slot]
    }

    /// The state of one cookie in one store.
    struct Slot: Sendable {
        enum Verdict: Sendable, Hashable {
            case refused, abandoned
        }

        /// A write in progress.
        struct InFlight: Sendable {
            let state: Cookie?
            let version: UInt64
        }

        /// The states that the store may have now: one state if it is certain, no state before the first read of the
        /// store.
        var possible: [Cookie?]
        /// Further states that the read in progress may show.
        var window: [Cookie?] = []
        /// The states read while the write was in progress. Their order relative to the write is not known.
        var observed: [Cookie?] = []
        var inFlight: InFlight?
        /// The tick at which the last write or clear operation ended.
        var lastEnd: UInt64 = 0
        /// A Boolean value that indicates whether a read that overlapped with the write in progress was inconclusive.
        var recheck = false
        /// A Boolean value that indicates whether a write has succeeded and no read has shown it yet.
        var awaitsEcho = false
        /// A Boolean value that indicates whether the cookie is queued for a write.
        var isQueued = false
        /// The number of failed attempts to write the current version.
        var attempts = 0
        /// The reason that the current version is not written to the store; `nil` if it is or will be written.
        var verdict: Verdict?
        /// The first version that the store lacks; `nil` if the store is up to date.
        var dirtySince: UInt64?

        /// A Boolean value that indicates whether the store lacks a version that is still to be written.
        var isBehind: Bool { dirtySince != nil && verdict != .abandoned }

        /// Records that the store may have lost the cookie.
        mutating func lose() {
            if !possible.contains(where: { $0 == nil }) { possible.append(nil) }
            guard inFlight != nil else { return }
            // The write may have been applied before the loss or after it.
            observed.append(nil)
            recheck = true
        }
    }

    /// The state of one store.
    struct Lane: Sendable {
        struct Reading: Sendable {
            let number: UInt64
            /// The tick at which the read began.
            let start: UInt64
            /// The scope that is being cleared. The read may still show cookies of the scope, which are ignored.
            var ignored: CookieScope?
        }

        let id: CookieStoreID
        let representation: CookieRepresentation
        var hasBeenRead = false
        var wantsRead = false
        var reading: Reading?
        var readsStarted: UInt64 = 0
        /// The number of the last successful read.
        var readsEnded: UInt64 = 0
        var readFailures = 0
        /// A Boolean value that indicates whether reads have failed too many times.
        var isSilent = false
        /// The number of writes in progress.
        var writes = 0
        /// The cookies that are queued for a write.
        var backlog: [Cookie.Identity] = []
        /// The number of consecutive failures.
        var failures = 0
        var isPaused = false
        /// The scope that is still to be cleared.
        var owed: CookieScope?
        /// The scope of the clear operation in progress.
        var clearing: CookieScope?
        var clearsStarted: UInt64 = 0
        /// The number of the last successful clear operation.
        var clearsEnded: UInt64 = 0
        var clearFailures = 0
        /// A Boolean value that indicates whether clear operations have failed too many times.
        var isClearStuck = false

        /// Returns a Boolean value that indicates whether a cookie is to be cleared or is being cleared.
        func isClearing(_ identity: Cookie.Identity) -> Bool {
            owed?.contains(identity) == true || clearing?.contains(identity) == true
        }

        /// Resets the failures of reads and clear operations, so that these operations are tried again.
        mutating func resetFailures() {
            isSilent = false
            readFailures = 0
            isClearStuck = false
            clearFailures = 0
        }
    }
}

extension Reconciliation {
    /// The limits of a reconciliation.
    struct Limits: Sendable, Hashable {
        /// The maximum number of cookies, including pending deletions; 6,000 by default. A further cookie in a store is
        /// ignored and counted.
        var identities = 6_000
        /// The maximum number of pending deletions; 1,000 by default. A further deletion discards the oldest deletion,
        /// which is counted.
        var tombstones = 1_000
        /// The longest time that a deletion waits for a store, in seconds; 3,600 by default. A store that still has the
        /// cookie afterwards restores it.
        var tombstoneLife = 3_600.0
        /// The maximum number of consecutive attempts of a write, a read or a clear operation; 4 by default.
        var attempts = 4
        /// The maximum number of writes in progress in one store; 8 by default.
        var writes = 8

        init() {}
    }
}
