// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import Testing

@testable import ResourceStore

/// Tests of the state after a kill at every step that reaches the disk.
@Suite(.timeLimit(.minutes(2)))
struct CrashTests {
    let old = ["a": "same", "b": "old", "d": "old, as a file"]
    let new = ["a": "same", "b": "new", "c": "more", "d": "new, as a file"]

    /// A copy of the store's directory, taken during an operation.
    struct Picture: Sendable {
        let step: StoreStep
        let directory: TemporaryFolder
    }

    /// A recorder of pictures that can be switched on.
    final class Camera: Sendable {
        let pictures = Mutex<[Picture]>([])
        let isOn = Mutex(false)
    }

    /// A configuration whose budget has space for one of the two resources.
    let configuration = BlobStore.Configuration(resourceBudget: 20, smallBlobLimit: 8)
    let resources = ["one": "resource one", "two": "resource two"]

    /// Fills the store before the operation under test.
    private func prepare(_ store: BlobStore) throws -> Int64 {
        try store.putResource("resource one", for: "one")
        try store.putDocument(Data("names one".utf8), as: "table")
        return try store.install(old, version: "1")
    }

    /// Installs, updates, sweeps and evicts.
    @discardableResult
    private func change(_ store: BlobStore) throws -> Int64 {
        let second = try store.install(new, version: "2")
        try store.sweep()
        try store.putResource("resource two", for: "two")
        try store.putDocument(Data("names two".utf8), as: "table")
        return second
    }

    @Test func crashAtAnyStepLeavesOldOrNewState() throws {
        let directory = try TemporaryFolder()
        let camera = Camera()
        let store = try BlobStore(directory: directory.path, configuration: configuration) { step in
            guard camera.isOn.withLock({ $0 }) else { return }
            let copy = try TemporaryFolder()
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                try FileManager.default.copyItem(atPath: "\(directory.path)/\(name)", toPath: "\(copy.path)/\(name)")
            }
            camera.pictures.withLock { $0.append(Picture(step: step, directory: copy)) }
        }
        let first = try prepare(store)
        camera.isOn.withLock { $0 = true }
        let second = try change(store)

        let pictures = camera.pictures.withLock { $0 }
        // Every step must be reached, because a step without a picture is not tested.
        #expect(Set(pictures.map(\.step)) == Set(StoreStep.allCases))
        let activation = try #require(pictures.firstIndex { $0.step == .generationActivated })
        let eviction = try #require(pictures.firstIndex { $0.step == .resourcesCommitted })
        let document = try #require(pictures.firstIndex { $0.step == .documentPlaced })
        for (index, picture) in pictures.enumerated() {
            let reopened = try BlobStore(directory: picture.directory.path, configuration: configuration)
            let active = try reopened.activeGenerations().map(\.number)
            #expect(active == [index < activation ? first : second], "after \(picture.step)")
            #expect(try reopened.read(active[0]) == (index < activation ? old : new), "after \(picture.step)")
            let key = index < eviction ? "one" : "two"
            #expect(try reopened.readResources() == [key: resources[key]], "after \(picture.step)")
            #expect(
                try reopened.document("table") == Data((index < document ? "names one" : "names two").utf8),
                "after \(picture.step)")
            var counters = StoreCounters()
            counters.memoryMisses = reopened.counters.memoryMisses
            counters.memoryBytes = reopened.counters.memoryBytes
            #expect(reopened.counters == counters)
            #expect(try picture.directory.files(in: "staging") == [])

            // Incomplete changes are removed, and the operation can be repeated.
            for number in try reopened.generations(in: .staged).map(\.number) { try reopened.retire(number) }
            try reopened.sweep()
            let site = index < activation ? old : new
            #expect(try reopened.blobsOnDisk() == blobs(site, ["": resources[key] ?? ""]))
            #expect(try reopened.read(change(reopened)) == new)
            #expect(try reopened.readResources() == ["two": resources["two"]])
        }
    }

    @Test(arguments: StoreStep.allCases)
    func failureLeavesStoreConsistent(_ failing: StoreStep) throws {
        struct Failure: Error {}
        let directory = try TemporaryFolder()
        let isArmed = Mutex(false)
        let store = try BlobStore(directory: directory.path, configuration: configuration) { step in
            if step == failing, isArmed.withLock({ $0 }) { throw Failure() }
        }
        let first = try prepare(store)
        isArmed.withLock { $0 = true }
        #expect(throws: Failure.self) { try change(store) }
        isArmed.withLock { $0 = false }
        let isSwept: Set<StoreStep> = [
            .generationsRemoved, .rowsRemoved, .blobRemoved, .resourcesWritten, .resourcesCommitted, .documentWritten,
            .documentPlaced,
        ]
        let isActivated = isSwept.union([.generationActivated]).contains(failing)
        let active = try #require(try store.activeGenerations().first).number
        #expect(try store.read(active) == (isActivated ? new : old))
        #expect((active == first) == !isActivated)
        let key = [.resourcesCommitted, .documentWritten, .documentPlaced].contains(failing) ? "two" : "one"
        #expect(
            try store.document("table") == Data((failing == .documentPlaced ? "names two" : "names one").utf8))
        #expect(try store.readResources() == [key: resources[key]])
        #expect(try directory.files(in: "staging") == [])
        #expect(store.state.withLock { $0.unwritten.isEmpty && $0.claims.isEmpty })
        // A committed removal is final, even if the sweep failed later.
        #expect(store.pin(first) == !isSwept.contains(failing))
        store.unpin(first)
        for number in try store.generations(in: .staged).map(\.number) { try store.retire(number) }
        try store.sweep()
        #expect(try store.blobsOnDisk() == blobs(isActivated ? new : old, ["": resources[key] ?? ""]))
        #expect(try store.read(change(store)) == new)
    }
}
