// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation

/// The rules that keep any number of cookie stores synchronized, as a value that receives events and returns effects.
///
/// **The last writer wins.** A change of a store is received when a read that shows the change ends. So if a store
/// changes while an older write to it is in progress, the change wins over the write. The only exception is the first
/// read of each store, because the differences between stores have no order then. A cookie that only one store has is
/// adopted. If two stores differ, the first store in the list wins. If they differ in attributes only, the stricter
/// attributes win, because a store may have lost some. A store that distinguishes `SameSite=None` from an unspecified
/// SameSite decides between these two.
///
/// A signal of a store only requests a read. For each cookie and store, the value records the states that a read may
/// show without a change: the previous states and the states of its own writes. Any other state is a change of the
/// store. A read that overlaps with a write may be inconclusive, and is then repeated. So echoes, duplicate signals,
/// and reads from before a write cause no writes. Each change is written at most once to each other store, apart from
/// retries and stores that changed at the same moment.
@_spi(Facade) public struct Reconciliation: Sendable {
    /// A store to synchronize.
    struct Member: Sendable {
        /// The name, which is unique among the members.
        var id: CookieStoreID
        /// The properties of a cookie that the store can represent.
        var representation: CookieRepresentation

        init(_ id: CookieStoreID, _ representation: CookieRepresentation = .whole) {
            self.id = id
            self.representation = representation
        }
    }

    let limits: Limits
    var lanes: [Lane]
    var entries: [Cookie.Identity: Entry] = [:]
    /// The cookies whose desired state is not certain to be in all stores.
    var unsynchronized: Set<Cookie.Identity> = []
    /// The deletions that some store may not have applied, with the times at which they were received.
    var tombstones: [Cookie.Identity: Date] = [:]
    /// The version of the last change.
    var version: UInt64 = 0
    /// A counter that orders the starts of reads and the ends of writes.
    var tick: UInt64 = 0
    /// A counter that numbers entries, so that the order of effects does not depend on the order of a dictionary.
    var serial: UInt64 = 0
    var now = Date.distantPast
    var outbox: [Effect] = []

    /// The counters since the value was created.
    var counters = ReconciliationCounters()

    /// Creates the rules for a list of stores.
    /// - Parameters:
    ///   - members: the stores. If the first reads differ, the store that comes first wins.
    ///   - limits: the limits on cookies, deletions, attempts and writes.
    init(_ members: [Member], limits: Limits = Limits()) {
        self.limits = limits
        lanes = members.map { Lane(id: $0.id, representation: $0.representation) }
    }

    // MARK: Events

    /// Starts the synchronization: requests a read of all stores.
    mutating func start(now: Date) -> [Effect] {
        step(now) { for lane in $0.lanes.indices { $0.lanes[lane].wantsRead = true } }
    }

    /// Records deletions that were made before the start. They win over the first reads.
    mutating func delete(_ identities: [Cookie.Identity], now: Date) -> [Effect] {
        step(now) { state in
            for identity in identities {
                guard var entry = state.entries[identity] ?? state.makeEntry() else { continue }
                state.adopt(nil, into: &entry, from: .caller)
                state.entries[identity] = entry
                state.plan(identity)
            }
        }
    }

    /// Records a change signal of a store. It also resets the failures of the store, so that its operations are tried
    /// again.
    mutating func signalled(_ store: CookieStoreID, now: Date) -> [Effect] {
        step(now) { state in
            guard let lane = state.index(of: store) else { return }
            state.lanes[lane].wantsRead = true
            state.lanes[lane].resetFailures()
        }
    }

    /// Ends the pause of a store after a failure.
    mutating func resumed(_ store: CookieStoreID, now: Date) -> [Effect] {
        step(now) { state in
            guard let lane = state.index(of: store) else { return }
            state.lanes[lane].isPaused = false
            state.planUnsynchronized()
        }
    }

    // MARK: Steps

    /// Changes the state at a time, and returns the resulting effects.
    mutating func step(_ now: Date, _ body: (inout Self) -> Void) -> [Effect] {
        self.now = now
        body(&self)
        pump()
        defer { outbox = [] }
        return outbox
    }

    func index(of store: CookieStoreID) -> Int? {
        lanes.firstIndex { $0.id == store }
    }

    /// Returns the cookie, or `nil` if it has expired.
    func live(_ cookie: Cookie?) -> Cookie? {
        guard let cookie, cookie.expires.map({ $0 > now }) ?? true else { return nil }
        return cookie
    }

    /// Returns a new entry for an unknown identity.
    /// - Returns: `nil` if the limit is reached. The cookie is then counted as dropped.
    mutating func makeEntry() -> Entry? {
        guard entries.count < limits.identities else {
            counters.dropped += 1
            return nil
        }
        serial += 1
        return Entry(serial: serial, slots: lanes.map { Slot(possible: $0.hasBeenRead ? [nil] : []) })
    }

    /// Sets a new version of an entry.
    mutating func adopt(_ cookie: Cookie?, into entry: inout Entry, from origin: Entry.Origin) {
        version += 1
        entry.version = version
        entry.origin = origin
        entry.desired = cookie
        for lane in entry.slots.indices {
            entry.slots[lane].verdict = nil
            entry.slots[lane].attempts = 0
        }
    }
}

/// A change of one cookie in a store.
enum CookieUpdate: Sendable, Hashable {
    /// The cookie is to be stored.
    case set(Cookie)
    /// The cookie is to be removed.
    case remove(Cookie.Identity)

    /// The identity of the cookie.
    var identity: Cookie.Identity {
        switch self {
        case .set(let cookie): cookie.identity
        case .remove(let identity): identity
        }
    }
}
