// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import ResourceTable

/// Tests of the comparison of tables and the lookup of entries.
@Suite("Comparing and matching tables", .timeLimit(.minutes(1)))
struct TableDiffTests {
    @Test("If a table grows from 200 to 201 entries, only the new file is fetched")
    func oneMore() throws {
        let diff = TableDiff(
            from: try TableMaker("1", count: 200).table(), to: try TableMaker("2", count: 201).table())
        #expect(diff.downloads.map(\.url.description) == ["https://cdn.example.com/e200.js"])
        #expect(
            diff.added == diff.downloads && diff.changed.isEmpty && diff.removed.isEmpty && diff.unreferenced.isEmpty)
    }

    @Test("Another order of the entries is no difference")
    func order() throws {
        let old = TableMaker("1", count: 50)
        var new = old
        new.items.reverse()
        new.items.swapAt(3, 17)
        #expect(TableDiff(from: try old.table(), to: try new.table()).isEmpty)
    }

    @Test("Another version or another MD5 is a change")
    func changes() throws {
        let old = TableMaker("1", count: 4)
        var new = old
        new.items[1].version = "2"
        new.items[2].content = "other"
        let diff = TableDiff(from: try old.table(), to: try new.table())
        #expect(diff.changed.map(\.url.description) == [new.items[1].url, new.items[2].url])
        #expect(diff.downloads == diff.changed && diff.added.isEmpty && diff.removed.isEmpty)
        // The key of the first entry contains the version and differs. The second entry keeps its key, so its file is
        // not removed.
        #expect(diff.unreferenced.map(\.description) == [old.items[1].key])
    }

    @Test("Entries that the new table lacks are removed, and their files if no other entry names them")
    func removals() throws {
        var old = TableMaker("1", count: 4)
        old.items[0].download = "https://cdn.example.com/shared"
        old.items[1].download = "https://cdn.example.com/shared"
        old.items[1].content = old.items[0].content
        var new = old
        new.items.removeSubrange(1...2)
        let diff = TableDiff(from: try old.table(), to: try new.table())
        #expect(diff.removed.map(\.url.description) == [old.items[1].url, old.items[2].url])
        #expect(diff.unreferenced.map(\.description) == [old.items[2].key] && diff.downloads.isEmpty)
    }

    @Test("An entry that differs in its download URL alone is moved and not downloaded")
    func moved() throws {
        var old = TableMaker("1", count: 4)
        // Two entries share a key.
        old.items[3].download = old.items[0].key
        old.items[3].content = old.items[0].content
        var new = old
        new.items[0].download = "https://other.example/e0.js"
        new.items[1].download = "https://other.example/e1.js"
        new.items[1].version = "2"
        new.items[2].download = "https://other.example/e2.js"
        new.items[2].content = "other"
        let diff = TableDiff(from: try old.table(), to: try new.table())
        #expect(diff.moved.map(\.download.description) == ["https://other.example/e0.js"])
        #expect(diff.sources.map(\.description) == [old.items[0].key] && !diff.isEmpty)
        // Another version or MD5 is downloaded. The shared key is still named.
        #expect(diff.changed.map(\.url.description) == [new.items[1].url, new.items[2].url])
        #expect(diff.downloads == diff.changed)
        #expect(diff.unreferenced.map(\.description) == [old.items[1].key, old.items[2].key])
    }

    @Test("An entry with another page URL is not moved, even if its MD5 is that of a removed entry")
    func renamedPage() throws {
        let old = TableMaker("1", count: 2)
        var new = old
        new.items[0].path = "renamed.js"
        new.items[0].download = "https://other.example/e0.js"
        let diff = TableDiff(from: try old.table(), to: try new.table())
        #expect(diff.moved.isEmpty && diff.added == diff.downloads && diff.added.count == 1)
        #expect(diff.removed.count == 1)
    }

    @Test("Without an old table all entries are new, and a file of two entries is fetched once")
    func first() throws {
        var new = TableMaker("1", count: 3)
        new.items[2].download = new.items[0].key
        new.items[2].content = new.items[0].content
        let diff = TableDiff(from: nil, to: try new.table())
        #expect(diff.added.count == 3 && diff.downloads.map(\.url.description) == [new.items[0].url, new.items[1].url])
    }

    @Test("The fragment of a page URL is ignored, the query is significant")
    func matching() throws {
        let maker = TableMaker(
            "1",
            ["p.html?a=1&b=2", "p.html", "q.html?", "ü.html?ä=|", "s'.html", ""].map { .init(path: $0, content: $0) })
        let table = try maker.table()
        let cases: [(String, Int?)] = [
            ("https://cdn.example.com/p.html?a=1&b=2", 0), ("https://cdn.example.com/p.html?a=1&b=2#x", 0),
            ("HTTPS://CDN.example.com:443/p.html?a=1&b=2#x?y", 0), ("https://cdn.example.com/p.html", 1),
            ("https://cdn.example.com/p.html#a=1", 1), ("https://cdn.example.com/p.html?", nil),
            ("https://cdn.example.com/p.html?b=2&a=1", nil), ("https://cdn.example.com/p.html?a=1", nil),
            ("https://cdn.example.com/P.html", nil), ("http://cdn.example.com/p.html", nil),
            ("https://cdn.example.com:8443/p.html", nil), ("https://cdn.example.com/q.html?", 2),
            ("https://cdn.example.com/q.html", nil), ("https://cdn.example.com/%C3%BC.html?%C3%A4=%7C", 3),
            ("https://cdn.example.com/ü.html?ä=|#ö", 3), ("https://cdn.example.com/s'.html", 4),
            ("https://cdn.example.com", 5), ("https://cdn.example.com/#top", 5), ("https://me@cdn.example.com/", nil),
            ("cdn.example.com/p.html", nil), ("", nil), ("#", nil), ("https://", nil), ("about:blank", nil),
        ]
        for (url, place) in cases {
            #expect(table.entry(answering: url)?.url == place.map { table.entries[$0].url }, "\(url)")
        }
    }
}
