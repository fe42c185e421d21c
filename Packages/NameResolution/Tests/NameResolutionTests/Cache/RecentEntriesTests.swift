// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing

@testable import NameResolution

@Suite(.timeLimit(.minutes(1)))
struct RecentEntriesTests {
    @Test("The least recently used entry is removed first")
    func order() {
        var entries = RecentEntries<String, Int>(maxCount: 3)
        for (value, key) in ["a", "b", "c"].enumerated() { entries.insert(value, for: key) }
        #expect(entries.use("a") == 0)
        #expect(entries.value(of: "b") == 1)
        entries.insert(3, for: "d")
        #expect(entries.entries.map(\.key) == ["d", "a", "c"])
        #expect(entries.use("b") == nil)
        entries.insert(9, for: "c")
        #expect(entries.entries.map(\.value) == [9, 3, 0] && entries.cost == 3)
    }

    @Test("A marked entry is kept once when it would be removed, also if all entries are marked")
    func marks() throws {
        var entries = RecentEntries<String, Int>(maxCount: 3)
        for (value, key) in ["a", "b", "c"].enumerated() { entries.insert(value, for: key) }
        let place = try #require(entries.index(of: "a"))
        #expect(entries[place] == 0)
        entries.markUsed(place)
        #expect(entries.entries.map(\.key) == ["a", "c", "b"])
        entries.insert(3, for: "d")
        #expect(Set(entries.entries.map(\.key)) == ["a", "c", "d"])
        for key in ["a", "c", "d"] { entries.markUsed(try #require(entries.index(of: key))) }
        entries.insert(4, for: "e")
        #expect(entries.contains("e") && entries.count == 3)
        #expect(!entries.contains("b") && entries.index(of: "b") == nil)
    }

    @Test("Entries are removed until the cost is within its limit")
    func cost() {
        var entries = RecentEntries<String, Int>(maxCount: 100, maxCost: 10)
        entries.insert(1, for: "a", cost: 4)
        entries.insert(2, for: "b", cost: 4)
        entries.insert(3, for: "c", cost: 6)
        #expect(entries.entries.map(\.key) == ["c", "b"] && entries.cost == 10)
        // An entry that cannot fit removes only an older value of its key.
        entries.insert(4, for: "c", cost: 11)
        #expect(entries.entries.map(\.key) == ["b"] && entries.cost == 4)
    }

    /// Compares the entries with a model, an array in the order of use.
    @Test("Random operations have the same result as a list", arguments: 0..<8 as Range<UInt64>)
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var entries = RecentEntries<Int, Int>(maxCount: 16, maxCost: 60)
        var model: [(key: Int, value: Int, cost: Int)] = []
        for step in 0..<2_000 {
            let key = Int.random(in: 0..<32, using: &generator)
            let place = model.firstIndex { $0.key == key }
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                let expected = place.map { model.remove(at: $0) }
                if let expected { model.insert(expected, at: 0) }
                #expect(entries.use(key) == expected?.value)
            case 1:
                if let place { model.remove(at: place) }
                entries.remove(key)
            default:
                if let place { model.remove(at: place) }
                let cost = Int.random(in: 1...9, using: &generator)
                model.insert((key, step, cost), at: 0)
                while model.count > 16 || model.map(\.cost).reduce(0, +) > 60 { model.removeLast() }
                entries.insert(step, for: key, cost: cost)
            }
            let isSame =
                entries.entries.map(\.key) == model.map(\.key) && entries.entries.map(\.value) == model.map(\.value)
                && entries.cost == model.map(\.cost).reduce(0, +) && entries.count == model.count
            #expect(isSame, "step \(step)")
            guard isSame else { return }
        }
    }
}
