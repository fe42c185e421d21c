// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The queue of background downloads, in order of insertion, each file once.
struct TableQueue {
    /// The maximum number of background attempts for a file. After that the file is fetched on first use.
    static let maxAttempts = 3

    /// A file to fetch.
    struct Item {
        var entry: TableEntry
        /// A Boolean value that indicates whether the file is fetched even if the store has a file with this MD5.
        var isForced: Bool
        var attempts = 0
    }

    private var items: [Item] = []
    /// The index of the next item. Items before it were removed.
    private var next = 0
    private var keys: Set<TableURL> = []

    var count: Int { items.count - next }

    /// The waiting items.
    var waiting: ArraySlice<Item> { items[next...] }

    /// Adds a file unless its key is already in the queue.
    mutating func add(_ item: Item) {
        guard keys.insert(item.entry.download).inserted else { return }
        items.append(item)
    }

    mutating func dequeue() -> Item? {
        guard next < items.count else { return nil }
        let item = items[next]
        next += 1
        keys.remove(item.entry.download)
        if next > 64, next * 2 > items.count {
            items.removeFirst(next)
            next = 0
        }
        return item
    }
}
