// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A dictionary that removes its least recently used entries when it exceeds its limits.
///
/// All operations on one entry take constant time. The entries are in one array, as a list linked by indexes. A use by
/// ``markUsed(_:)`` only marks its entry: the entry becomes the most recently used one when it would be removed.
struct RecentEntries<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Slot: Sendable {
        // The fields that a use reads are beside each other, because slots are read in random order.
        /// A Boolean value that indicates whether the entry was used since it got its place in the list.
        var isUsed = false
        var value: Value
        let key: Key
        var cost: Int
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

    /// Returns a Boolean value that indicates whether there is a value for a key.
    func contains(_ key: Key) -> Bool { places[key] != nil }

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

    /// Returns the index of a key until the next insertion or removal.
    func index(of key: Key) -> Int? { places[key] }

    /// The value at an index.
    subscript(index: Int) -> Value { slots[index].value }

    /// Marks the entry at an index as used.
    mutating func markUsed(_ index: Int) {
        if !slots[index].isUsed { slots[index].isUsed = true }
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
        slots.append(Slot(value: value, key: key, cost: cost))
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
