// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a new table means to one that has an old one. Tables are compared, never files.
public struct TableDiff: Sendable, Hashable {
    /// Entries of the new table whose URL the old one lacks.
    public private(set) var added: [TableEntry] = []
    /// Entries of the new table whose version or MD5 is another than in the old one.
    public private(set) var changed: [TableEntry] = []
    /// Entries of the old table whose URL the new one lacks.
    public private(set) var removed: [TableEntry] = []
    /// What to fetch: the files of ``added`` and ``changed``, each key once, in the order of the new table. A file that
    /// is missing for an unchanged entry is not among them; it is filled on first use.
    public private(set) var downloads: [TableEntry] = []
    /// Keys of files that the old table names and the new one does not: to be deleted.
    public private(set) var abandoned: [TableURL] = []

    public var isEmpty: Bool { downloads.isEmpty && removed.isEmpty && abandoned.isEmpty }

    /// Compares two tables, in time linear in the number of entries.
    /// - Parameters:
    ///   - old: the table before; `nil` where there was none.
    ///   - new: the table that takes its place.
    public init(from old: URLTable?, to new: URLTable) {
        let oldEntries = old?.entries ?? []
        var found = 0
        var expected = 0
        var left: [TableURL] = []
        var queued: Set<TableURL> = []
        for entry in new.entries {
            // Servers keep the order of a table, so that the next one is nearly always the one.
            let place =
                expected < oldEntries.count && oldEntries[expected].url == entry.url
                ? expected : old?.place(of: entry.url)
            if let place {
                found += 1
                expected = place + 1
                let previous = oldEntries[place]
                if previous.download != entry.download { left.append(previous.download) }
                guard previous.version != entry.version || previous.md5 != entry.md5 else { continue }
                changed.append(entry)
            } else {
                added.append(entry)
            }
            if queued.insert(entry.download).inserted { downloads.append(entry) }
        }
        // URLs are unique in a table, so that equal counts mean that all were found.
        if found < oldEntries.count {
            removed = oldEntries.filter { new.place(of: $0.url) == nil }
            left += removed.map(\.download)
        }
        guard !left.isEmpty else { return }
        var gone = Set(left)
        for entry in new.entries { gone.remove(entry.download) }
        abandoned = left.filter { gone.remove($0) != nil }
    }
}
