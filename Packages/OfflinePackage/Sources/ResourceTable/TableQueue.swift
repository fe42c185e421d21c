// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The files to fetch in the background, each once, in the order in which they were asked for.
struct TableQueue {
    /// One file to fetch.
    struct Item {
        var entry: TableEntry
        /// Fetched even where the store has a file with this MD5: the table says that it changed.
        var isForced: Bool
        var attempts = 0
    }

    private var items: [Item] = []
    /// Where the next one is; what lies before was taken.
    private var next = 0
    private var keys: Set<TableURL> = []

    var count: Int { items.count - next }

    /// Those that wait.
    var waiting: ArraySlice<Item> { items[next...] }

    /// Adds a file, unless its key waits already.
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
