// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

/// What a pool knows of its views, and all that it decides; a value, so that each order of events can be tested without
/// an engine. Whoever holds the views ends those that are ended here, at once.
struct PoolState<Key: PoolKey>: Sendable {
    /// Names a view's place in the pool; it stays when a reset puts another view there.
    typealias Slot = UInt64

    private(set) var capacity: PoolCapacity
    private(set) var counters = PoolCounters()
    /// The views that have not ended.
    private(set) var views: [Slot: PooledView<Key>] = [:]
    /// The warm ones, in the order in which they became so.
    private(set) var warm: [Slot] = []
    private let reuseLimit: Int
    private var lastSlot: Slot = 0

    init(capacity: PoolCapacity, reuseLimit: Int) {
        self.capacity = capacity
        self.reuseLimit = max(1, reuseLimit)
    }

    /// Views that are warm or will be.
    private var claimed: Int {
        views.values.count {
            $0.retirement == nil && ($0.state == .preparing || $0.state == .warm || $0.state == .cleaning)
        }
    }

    /// Whether one more may be prepared.
    var hasCapacity: Bool { claimed < capacity.current }

    // MARK: Preparing

    /// A view was created, and is being prepared.
    mutating func beginPreparing(_ kind: Key.Kind) -> Slot {
        counters.made += 1
        return add(PooledView(preparing: kind))
    }

    /// Its blank page is there.
    /// - Returns: whether it is kept; it has ended where not.
    mutating func prepared(_ slot: Slot) -> Bool {
        handle(.prepared, of: slot)
        return views[slot] != nil
    }

    // MARK: Checking out

    /// Checks out a warm view: the one that became so last among those of the key, or else among those that were never
    /// checked out.
    mutating func checkOut(_ key: Key) -> Slot? {
        let fit = warm.filter { views[$0]?.serves(key) == true }
        guard let slot = fit.last(where: { views[$0]?.key != nil }) ?? fit.last else { return nil }
        handle(.checkOut(key), of: slot)
        counters.warmCheckOuts += 1
        capacity.served(left: warm.count { views[$0]?.serves(key) == true })
        return slot
    }

    /// Checks out a view that was created for it.
    mutating func checkOutNew(_ key: Key) -> Slot {
        counters.made += 1
        counters.coldCheckOuts += 1
        capacity.missed()
        return add(PooledView(checkedOutFor: key))
    }

    // MARK: Checking in

    /// A checked-out view comes back.
    /// - Returns: whether it is to be cleaned; it has ended where not, or was not checked out.
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

    /// A view was reset, and is clean.
    /// - Returns: whether it is kept; it has ended where not.
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

    /// The app is idle: the capacity is reviewed, and what is beyond it ends.
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

    /// The warm views, those first that serve only one key, and of these the oldest.
    private var inOrderOfWorth: [Slot] {
        warm.filter { views[$0]?.key != nil } + warm.filter { views[$0]?.key == nil }
    }

    // MARK: Book-keeping

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

/// What a pool has done so far.
public struct PoolCounters: Sendable, Hashable {
    /// Views created. Those that take another's place at a reset do not count.
    public internal(set) var made = 0
    /// Loans of a view that was warm.
    public internal(set) var warmCheckOuts = 0
    /// Loans of a view that had to be created.
    public internal(set) var coldCheckOuts = 0
    /// Views cleaned, found clean and kept for the next loan.
    public internal(set) var recycled = 0
    /// Views ended, by reason.
    public internal(set) var ended: [DiscardReason: Int] = [:]

    /// Views ended, for whatever reason.
    public var discarded: Int { ended.values.reduce(0, +) }
    /// Views ended because they could not be shown to be clean.
    public var quarantined: Int { ended.reduce(0) { $0 + ($1.key.isQuarantine ? $1.value : 0) } }
    /// Views ended because they were checked out as often as a view may be.
    public var reuseLimit: Int { ended[.reuseLimit] ?? 0 }
    /// Views ended because memory was short.
    public var trimmed: Int { ended[.trimmed] ?? 0 }

    /// Makes counters that are zero.
    public init() {}
}
