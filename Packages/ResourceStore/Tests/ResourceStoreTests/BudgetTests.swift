// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import GRDB
import Testing

@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct BudgetTests {
    let directory: TemporaryDirectory
    let store: ResourceStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try ResourceStore(
            directory: directory.path, configuration: .init(packageBudget: 100, smallBlobLimit: 20))
    }

    /// A site of one file.
    private func site(_ letter: Character, _ count: Int) -> Site { ["a": String(repeating: letter, count: count)] }

    @Test func takesWhatFits() throws {
        try store.install(site("a", 60), version: "1")
        try store.ensureRoom(for: 40)
        try store.install(site("b", 40), package: "other", version: "1")
        #expect(code { try store.ensureRoom(for: 1) } == .overBudget)
    }

    @Test func countsEachBlobOnce() throws {
        try store.install(site("a", 60), version: "1")
        try store.install(site("a", 60), package: "other", version: "1")
        try store.install(["a": String(repeating: "a", count: 60), "b": "more"], version: "2")
    }

    @Test func refusesAndChangesNothing() throws {
        let first = try store.install(site("a", 60), version: "1")
        #expect(code { try store.ensureRoom(for: 41) } == .overBudget)
        #expect(code { try store.install(site("b", 41), version: "2") } == .overBudget)
        #expect(try store.activeGenerations().map(\.number) == [first])
        #expect(try store.generations(in: .staged) == [])
        try store.sweep()
        #expect(try store.blobsOnDisk() == blobs(site("a", 60)))
    }

    @Test func sweepsWhatIsRetiredFirst() throws {
        try store.install(site("a", 50), version: "1")
        try store.install(site("b", 50), version: "2")
        try store.ensureRoom(for: 50)
        #expect(try store.blobsOnDisk() == blobs(site("b", 50)))
        // Staging sees to it by itself.
        for letter in ["c", "d", "e"] as [Character] {
            #expect(try store.read(store.install(site(letter, 50), version: "\(letter)")) == site(letter, 50))
        }
    }

    @Test func leavesWhatIsPinned() throws {
        let first = try store.install(site("a", 50), version: "1")
        store.pin(first)
        try store.install(site("b", 50), version: "2")
        #expect(code { try store.ensureRoom(for: 1) } == .overBudget)
        #expect(try store.read(first) == site("a", 50))
    }

    @Test(arguments: [6, 62, 63]) func aFlippedBitInASizeClosesNothing(_ bit: Int64) throws {
        let first = try store.install(["a": String(repeating: "a", count: 30), "b": "small"], version: "1")
        try store.index.database.write { database in
            try database.execute(
                sql: "UPDATE entry SET size = (size | ?1) - (size & ?1)",
                arguments: [Int64(bitPattern: 1 << UInt64(bit))])
        }
        #expect(code { _ = try store.entries(of: first) } == .damaged)
        try store.ensureRoom(for: 65)
        // What really is there still counts.
        if bit != 63 { #expect(code { try store.ensureRoom(for: 66) } == .overBudget) }
        let second = try store.install(site("b", 60), version: "2")
        #expect(try store.read(second) == site("b", 60))
    }

    @Test func resourcesHaveTheirOwn() throws {
        try store.putResource(String(repeating: "r", count: 100), for: "r")
        try store.install(site("a", 100), version: "1")
    }

    @Test func refusesWhatTheDeviceCannotHold() throws {
        let store = try ResourceStore(
            directory: directory.path + "/b", configuration: .init(packageBudget: .max))
        #expect(code { try store.ensureRoom(for: 1 << 60) } == .diskFull)
        #expect(code { try store.ensureRoom(for: .max) } == .diskFull)
        try store.ensureRoom(for: 1_000)
    }
}
