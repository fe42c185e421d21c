// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

/// The decisions of a pool about its views, as a value, so that each order of events can be tested without an engine.
/// The owner must discard a view as soon as ``views`` no longer contains its slot.
struct PoolState<Key: PoolKey>: Sendable {
    /// The identifier of a view in the pool. If a reset replaces the view, the replacement has the same identifier.
    typealias Slot = UInt64

    private(set) var capacity: PoolCapacity
    private(set) var counters = PoolCounters()
    /// The views that have not ended.
    private(set) var views: [Slot: PooledView<Key>] = [:]
    /// The warm views, in the order in which they became warm.
    private(set) var warm: [Slot] = []
    private let reuseLimit: Int
    private var lastSlot: Slot = 0

    init(capacity: PoolCapacity, reuseLimit: Int) {
        self.capacity = capacity
        self.reuseLimit = max(1, reuseLimit)
    }

    /// The number of views that are warm or will become warm.
    private var claimed: Int {
        views.values.count {
            $0.retirement == nil && ($0.state == .preparing || $0.state == .warm || $0.state == .cleaning)
        }
    }

    /// A Boolean value that indicates whether one more view may be prepared.
    var hasCapacity: Bool { claimed < capacity.current }

    // MARK: Preparing

    /// Adds a new view that is being prepared.
    mutating func beginPreparing(_ kind: Key.Kind) -> Slot {
        counters.created += 1
        return add(PooledView(preparing: kind))
    }

    /// Records that a view has loaded its blank page.
    /// - Returns: a Boolean value that indicates whether the view is in the pool; otherwise it has ended.
    mutating func prepared(_ slot: Slot) -> Bool {
        handle(.prepared, of: slot)
        return views[slot] != nil
    }

    // MARK: Checking out

    /// Checks out the most recently warmed view with the same key, or else the most recently warmed view of the key's
    /// kind that was never checked out.
    mutating func checkOut(_ key: Key) -> Slot? {
        let fit = warm.filter { views[$0]?.serves(key) == true }
        guard let slot = fit.last(where: { views[$0]?.key != nil }) ?? fit.last else { return nil }
        handle(.checkOut(key), of: slot)
        counters.warmCheckOuts += 1
        capacity.served(left: warm.count { views[$0]?.serves(key) == true })
        return slot
    }

    /// Adds a new view that is checked out immediately.
    mutating func checkOutNew(_ key: Key) -> Slot {
        counters.created += 1
        counters.coldCheckOuts += 1
        capacity.missed()
        return add(PooledView(checkedOutFor: key))
    }

    // MARK: Checking in

    /// Checks in a checked-out view.
    /// - Returns: a Boolean value that indicates whether the view must be reset; otherwise it has ended or was not
    ///   checked out.
    mutating func checkIn(_ slot: Slot, isAlive: Bool) -> Bool {
        guard views[slot]?.state == .checkedOut else { return false }
        if !isAlive {
            end(slot, .processEnded)
        } else if views[slot]?.retirement == nil, !hasCapacity {
            end(slot, .surplus)
        } else {
            handle(.checkedIn, of: slot)
        }
        return views[slot] != nil
    }

    /// Records that a view was reset and is clean.
    /// - Returns: a Boolean value that indicates whether the view is in the pool; otherwise it has ended.
    mutating func cleaned(_ slot: Slot) -> Bool {
        handle(.clean, of: slot)
        guard views[slot] != nil else { return false }
        counters.recycled += 1
        return true
    }

    // MARK: Ending

    mutating func end(_ slot: Slot, _ reason: DiscardReason) {
        handle(.end(reason), of: slot)
    }

    mutating func retire(_ slot: Slot, _ reason: DiscardReason) {
        handle(.retire(reason), of: slot)
    }

    /// Reviews the capacity, and ends the warm views that exceed it.
    mutating func review() {
        capacity.review()
        for slot in inOrderOfWorth.prefix(max(0, warm.count - capacity.current)) { end(slot, .surplus) }
    }

    mutating func trim(_ pressure: MemoryPressure) {
        switch pressure {
        case .warning:
            for slot in inOrderOfWorth.prefix((warm.count + 1) / 2) { end(slot, .trimmed) }
        case .critical:
            capacity.shrink()
            for (slot, view) in views where view.state != .checkedOut { retire(slot, .trimmed) }
        }
    }

    /// The warm views, least valuable first: used views, which serve only one key, then unused views, each by age.
    private var inOrderOfWorth: [Slot] {
        warm.filter { views[$0]?.key != nil } + warm.filter { views[$0]?.key == nil }
    }

    // MARK: Bookkeeping

    private mutating func add(_ view: PooledView<Key>) -> Slot {
        lastSlot += 1
        views[lastSlot] = view
        return lastSlot
    }

    private mutating func handle(_ event: PooledView<Key>.Event, of slot: Slot) {
        guard var view = views[slot], view.handle(event, reuseLimit: reuseLimit) else { return }
        warm.removeAll { $0 == slot }
        if case .ended(let reason) = view.state {
            views[slot] = nil
            counters.ended[reason, default: 0] += 1
            return
        }
        views[slot] = view
        if view.state == .warm { warm.append(slot) }
    }
}

/// The counters of a pool.
public struct PoolCounters: Sendable, Hashable {
    /// The number of views created, except views that replaced another view at a reset.
    public internal(set) var created = 0
    /// The number of checkouts of a warm view.
    public internal(set) var warmCheckOuts = 0
    /// The number of checkouts for which a view had to be created.
    public internal(set) var coldCheckOuts = 0
    /// The number of views that were reset and verified, and became warm again.
    public internal(set) var recycled = 0
    /// The number of views ended, by reason.
    public internal(set) var ended: [DiscardReason: Int] = [:]

    /// The total number of views ended.
    public var discarded: Int { ended.values.reduce(0, +) }
    /// The number of views ended because they were not verified to be clean.
    public var quarantined: Int { ended.reduce(0) { $0 + ($1.key.isQuarantine ? $1.value : 0) } }
    /// The number of views ended because they reached the maximum number of checkouts.
    public var reuseLimit: Int { ended[.reuseLimit] ?? 0 }
    /// The number of views ended because of memory pressure.
    public var trimmed: Int { ended[.trimmed] ?? 0 }

    /// Creates counters that are zero.
    public init() {}
}
