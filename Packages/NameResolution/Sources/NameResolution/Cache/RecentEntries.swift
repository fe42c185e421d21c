// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A dictionary that removes its least recently used entries when it exceeds its limits.
///
/// All operations on one entry take constant time. The entries are in one array, as a list linked by indexes. A use by
/// ``withUsed(_:_:)`` only marks its entry: the entry becomes the most recently used one when it would be removed.
struct RecentEntries<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Slot: Sendable {
        let key: Key
        var value: Value
        var cost: Int
        /// A Boolean value that indicates whether the entry was used since it got its place in the list.
        var isUsed = false
        /// The index of the next more recently used slot.
        var newer: Int?
        /// The index of the next less recently used slot.
        var older: Int?
    }

    /// The maximum number of entries.
    let maxCount: Int
    /// The maximum total cost.
    let maxCost: Int
    /// The total cost of all entries.
    private(set) var cost = 0

    private var slots: [Slot] = []
    private var places: [Key: Int] = [:]
    private var newest: Int?
    private var oldest: Int?

    /// Creates an empty dictionary.
    /// - Parameters:
    ///   - maxCount: the maximum number of entries, at least one.
    ///   - maxCost: the maximum total cost.
    init(maxCount: Int, maxCost: Int = .max) {
        self.maxCount = maxCount
        self.maxCost = maxCost
    }

    /// The number of entries.
    var count: Int { slots.count }

    /// The entries, the most recently used first; marked entries are before all others.
    var entries: [(key: Key, value: Value)] {
        var used: [(key: Key, value: Value)] = []
        var unused: [(key: Key, value: Value)] = []
        var place = newest
        while let index = place {
            let slot = slots[index]
            if slot.isUsed { used.append((slot.key, slot.value)) } else { unused.append((slot.key, slot.value)) }
            place = slot.older
        }
        return used + unused
    }

    /// Returns the value of a key without a change of the order.
    func value(of key: Key) -> Value? { places[key].map { slots[$0].value } }

    /// Returns the value of a key, which becomes the most recently used one.
    mutating func use(_ key: Key) -> Value? {
        guard let index = places[key] else { return nil }
        if newest != index {
            unlink(index)
            linkAsNewest(index)
        }
        return slots[index].value
    }

    /// Calls a closure with the value of a key, and marks the entry as used.
    /// - Returns: the result of the closure; `nil` without a value.
    mutating func withUsed<Result>(_ key: Key, _ body: (borrowing Value) -> Result?) -> Result? {
        guard let index = places[key] else { return nil }
        if !slots[index].isUsed { slots[index].isUsed = true }
        return body(slots[index].value)
    }

    /// Replaces the value of a key if there is one, without a change of the order and the cost.
    mutating func replace(_ value: Value, of key: Key) {
        if let index = places[key] { slots[index].value = value }
    }

    /// Inserts or replaces the value of a key, which becomes the most recently used one, and removes other entries so
    /// that the limits are met. A value that alone exceeds the limit is not stored.
    mutating func insert(_ value: Value, for key: Key, cost: Int = 1) {
        remove(key)
        guard cost <= maxCost, maxCount > 0 else { return }
        while count >= maxCount || self.cost > maxCost - cost, let oldest {
            if slots[oldest].isUsed {
                slots[oldest].isUsed = false
                unlink(oldest)
                linkAsNewest(oldest)
            } else {
                remove(slots[oldest].key)
            }
        }
        slots.append(Slot(key: key, value: value, cost: cost))
        places[key] = slots.count - 1
        linkAsNewest(slots.count - 1)
        self.cost += cost
    }

    /// Removes the entry of a key.
    mutating func remove(_ key: Key) {
        guard let index = places.removeValue(forKey: key) else { return }
        unlink(index)
        cost -= slots[index].cost
        // The last slot moves into the gap.
        let moved = slots.removeLast()
        guard index < slots.count else { return }
        slots[index] = moved
        places[moved.key] = index
        if let newer = moved.newer { slots[newer].older = index } else { newest = index }
        if let older = moved.older { slots[older].newer = index } else { oldest = index }
    }

    /// Removes all entries.
    mutating func removeAll() {
        slots = []
        places = [:]
        newest = nil
        oldest = nil
        cost = 0
    }

    private mutating func unlink(_ index: Int) {
        let (newer, older) = (slots[index].newer, slots[index].older)
        if let newer { slots[newer].older = older } else { newest = older }
        if let older { slots[older].newer = newer } else { oldest = newer }
    }

    private mutating func linkAsNewest(_ index: Int) {
        slots[index].newer = nil
        slots[index].older = newest
        if let newest { slots[newest].newer = index } else { oldest = index }
        newest = index
    }
}
