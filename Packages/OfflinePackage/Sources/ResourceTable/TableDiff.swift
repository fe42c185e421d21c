// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The differences between an old and a new table. Only tables are compared, not files.
public struct TableDiff: Sendable, Hashable {
    /// The entries of the new table whose URL is not in the old one.
    public private(set) var added: [TableEntry] = []
    /// The entries of the new table whose version or MD5 differs from the old one.
    public private(set) var changed: [TableEntry] = []
    /// The entries of the old table whose URL is not in the new one.
    public private(set) var removed: [TableEntry] = []
    /// The entries of the new table whose download URL alone differs from the old one. Their files are copied to the
    /// new keys and are not fetched.
    public private(set) var moved: [TableEntry] = []
    /// The keys of the files of ``moved`` in the old table, in the same order.
    private(set) var sources: [TableURL] = []
    /// The files of ``added`` and ``changed``, each key once, in the order of the new table.
    ///
    /// A missing file of an unchanged entry is not included; it is fetched on first use.
    public private(set) var downloads: [TableEntry] = []
    /// The number of entries of the new table that cannot be used and were left out.
    public private(set) var invalidCount = 0
    /// The keys of files that the old table names and the new one does not. The files are removed.
    public private(set) var unreferenced: [TableURL] = []

    /// A Boolean value that indicates whether the tables require no action.
    public var isEmpty: Bool { downloads.isEmpty && moved.isEmpty && removed.isEmpty && unreferenced.isEmpty }

    /// Compares two tables in time linear in the number of entries.
    /// - Parameters:
    ///   - old: the previous table, or `nil` if there was none.
    ///   - new: the table that replaces it.
    public init(from old: URLTable?, to new: URLTable) {
        invalidCount = new.invalidCount
        let oldEntries = old?.entries ?? []
        var found = 0
        var expected = 0
        var left: [TableURL] = []
        var queued: Set<TableURL> = []
        for entry in new.entries {
            // Servers keep the order of a table, so the next old entry usually has the same URL.
            let place =
                expected < oldEntries.count && oldEntries[expected].url == entry.url
                ? expected : old?.place(of: entry.url)
            if let place {
                found += 1
                expected = place + 1
                let previous = oldEntries[place]
                let isMoved = previous.download != entry.download
                if isMoved { left.append(previous.download) }
                guard previous.version != entry.version || previous.md5 != entry.md5 else {
                    if isMoved {
                        moved.append(entry)
                        sources.append(previous.download)
                    }
                    continue
                }
                changed.append(entry)
            } else {
                added.append(entry)
            }
            if queued.insert(entry.download).inserted { downloads.append(entry) }
        }
        // URLs are unique in a table, so equal counts mean that all old entries were found.
        if found < oldEntries.count {
            removed = oldEntries.filter { new.place(of: $0.url) == nil }
            left += removed.map(\.download)
        }
        guard !left.isEmpty else { return }
        var gone = Set(left)
        for entry in new.entries { gone.remove(entry.download) }
        unreferenced = left.filter { gone.remove($0) != nil }
    }
}
