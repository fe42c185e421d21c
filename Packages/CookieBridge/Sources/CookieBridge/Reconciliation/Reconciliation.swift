// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar
internal import Foundation

/// Keeps any number of cookie stores the same, as a value: events go in, what is to be done comes out.
///
/// **Who writes last wins**, and last means last heard: a change that is handed over is heard when
/// `apply(_:by:now:)` is called, a change that a store made is heard when a read that shows it ends. So a
/// change that a store made while an older write of ours was on its way there wins over that write: it is news. The
/// only exception is the first reading of stores, whose differences have no order: a cookie that one of them has is
/// taken, and where two differ the store that is named first wins.
///
/// A signal of a store says nothing but that it is worth reading. For each cookie and store this value knows which states a
/// read may show without there being news: what was there, and what our writes put there. All else is a change of the store's
/// own. A read during which a write ended, or was on its way, decides less than one by itself, and is done again where that
/// matters. So echoes, doubled signals and readings that were taken before a write landed cause no writes, and each change
/// is written at most once to each other store, but for retries, and for stores that changed at the same moment.
@_spi(Facade) public struct Reconciliation: Sendable {
    /// A store that takes part.
    struct Member: Sendable {
        /// Its name, unlike that of every other.
        var id: CookieStoreID
        /// What it can say of a cookie.
        var representation: CookieRepresentation

        init(_ id: CookieStoreID, _ representation: CookieRepresentation = .whole) {
            self.id = id
            self.representation = representation
        }
    }

    let limits: Limits
    var lanes: [Lane]
    var entries: [Cookie.Identity: Entry] = [:]
    /// The cookies that some store does not have yet, or may not have.
    var unsynchronized: Set<Cookie.Identity> = []
    /// Deletions that some store may not have seen, and when they were heard.
    var tombstones: [Cookie.Identity: Date] = [:]
    /// The version of the last change heard.
    var version: UInt64 = 0
    /// Orders the beginnings of reads and the ends of writes.
    var tick: UInt64 = 0
    /// Numbers entries, so that the order of effects does not hang on that of a dictionary.
    var serial: UInt64 = 0
    var now = Date.distantPast
    var outbox: [Effect] = []

    /// What happened so far.
    var counters = ReconciliationCounters()

    /// - Parameters:
    ///   - members: the stores. Where the first readings differ, one that stands earlier wins.
    ///   - limits: the limits on cookies, deletions, attempts and writes.
    init(_ members: [Member], limits: Limits = Limits()) {
        self.limits = limits
        lanes = members.map { Lane(id: $0.id, representation: $0.representation) }
    }

    /// Whether nothing is under way or to be done: all stores are the same, as far as is known.
    var isQuiet: Bool {
        unsynchronized.isEmpty
            && lanes.allSatisfy { lane in
                lane.reading == nil && !lane.wantsRead && lane.hasBeenRead && lane.writes == 0 && lane.owed == nil
                    && lane.clearing == nil
            }
    }

    /// The number of deletions that some store may not have seen.
    var tombstoneCount: Int { tombstones.count }

    /// What the stores are to hold of one identity; `nil` where it is to be absent, or is unknown.
    func cookie(_ identity: Cookie.Identity) -> Cookie? {
        entries[identity].flatMap { live($0.desired) }
    }

    // MARK: Events

    /// Begins: all stores are to be read.
    mutating func start(now: Date) -> [Effect] {
        step(now) { for lane in $0.lanes.indices { $0.lanes[lane].wantsRead = true } }
    }

    /// A store says that something in it has changed. Also gives a store another chance that failed too often.
    mutating func signalled(_ store: CookieStoreID, now: Date) -> [Effect] {
        step(now) { state in
            guard let lane = state.index(of: store) else { return }
            state.lanes[lane].wantsRead = true
            state.lanes[lane].giveAnotherChance()
        }
    }

    /// Takes a change that no store holds yet.
    /// - Parameters:
    ///   - change: the cookie to set, or the identity to remove.
    ///   - author: the author of the change; a script does not change HttpOnly cookies.
    ///   - now: the current time, by which cookies expire.
    mutating func apply(_ change: CookieUpdate, by author: CookieUpdate.Author, now: Date) -> [Effect] {
        step(now) { $0.accept(change, by: author) }
    }

    /// The wait after a failure is over.
    mutating func resumed(_ store: CookieStoreID, now: Date) -> [Effect] {
        step(now) { state in
            guard let lane = state.index(of: store) else { return }
            state.lanes[lane].isPaused = false
            state.planUnsynchronized()
        }
    }

    // MARK: Steps

    /// Does something at a time, and what follows from it.
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

    /// A cookie unless it has expired.
    func live(_ cookie: Cookie?) -> Cookie? {
        guard let cookie, cookie.expires.map({ $0 > now }) ?? true else { return nil }
        return cookie
    }

    private mutating func accept(_ change: CookieUpdate, by author: CookieUpdate.Author) {
        let identity = change.identity
        var cookie: Cookie?
        if case .set(let set) = change { cookie = live(set) }
        let known = entries[identity].flatMap { live($0.desired) }
        // Scripts neither see nor touch what is HttpOnly (RFC 6265bis, section 5.7, steps 10 and 23).
        if author == .script, cookie?.isHTTPOnly == true || known?.isHTTPOnly == true {
            counters.rejectedScriptChanges += 1
            return
        }
        guard var entry = entries[identity] ?? makeEntry() else { return }
        // Where the same is said twice nothing is new.
        if entry.version > 0, CookieRepresentation(expirySlack: 0).isSame(known, cookie) {
            counters.duplicates += 1
        } else {
            cookie = cookie.map { CookieRepresentation(expirySlack: 0).restored($0, over: known) }
            counters.applied += 1
            adopt(cookie, into: &entry, from: .caller)
        }
        entries[identity] = entry
        plan(identity)
    }

    /// An entry for an identity that none is known of.
    /// - Returns: `nil` where there is no room for one more cookie; it is counted as dropped.
    mutating func makeEntry() -> Entry? {
        guard entries.count < limits.identities else {
            counters.dropped += 1
            return nil
        }
        serial += 1
        return Entry(serial: serial, slots: lanes.map { Slot(possible: $0.hasBeenRead ? [nil] : []) })
    }

    /// Gives the entry a new version.
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

/// A change that no store holds yet.
@_spi(Facade) public enum CookieUpdate: Sendable, Hashable {
    /// The cookie is to be stored; one that has expired is to be removed.
    case set(Cookie)
    /// The cookie is to be gone.
    case remove(Cookie.Identity)

    /// Which cookie is meant.
    public var identity: Cookie.Identity {
        switch self {
        case .set(let cookie): cookie.identity
        case .remove(let identity): identity
        }
    }

    /// Who makes a change.
    @_spi(Facade) public enum Author: Sendable, Hashable {
        /// The app, or an answer's `Set-Cookie`.
        case host
        /// A page's script, which neither makes nor changes HttpOnly cookies (RFC 6265bis, section 5.7).
        case script
    }
}
