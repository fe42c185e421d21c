// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Synchronization
import Testing

@testable import ResourceStore

/// What a kill leaves, at every step that reaches the disk.
@Suite(.timeLimit(.minutes(2)))
struct CrashTests {
    let old = ["a": "same", "b": "old"]
    let new = ["a": "same", "b": "new", "c": "more"]

    /// A copy of the store's directory, taken in the middle of an operation.
    struct Picture: Sendable {
        let step: StoreStep
        let directory: TemporaryDirectory
    }

    /// Whether the pictures are taken, and those that were.
    final class Camera: Sendable {
        let pictures = Mutex<[Picture]>([])
        let isOn = Mutex(false)
    }

    @Test func everyInstantIsTheOldOrTheNew() throws {
        let directory = try TemporaryDirectory()
        let camera = Camera()
        let store = try ResourceStore(directory: directory.path) { step in
            guard camera.isOn.withLock({ $0 }) else { return }
            let copy = try TemporaryDirectory()
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                try FileManager.default.copyItem(atPath: "\(directory.path)/\(name)", toPath: "\(copy.path)/\(name)")
            }
            camera.pictures.withLock { $0.append(Picture(step: step, directory: copy)) }
        }
        let first = try store.install(old, version: "1")
        camera.isOn.withLock { $0 = true }
        let second = try store.install(new, version: "2")
        try store.sweep()

        let pictures = camera.pictures.withLock { $0 }
        // A step that is never reached is a step that is not tested.
        #expect(Set(pictures.map(\.step)) == Set(StoreStep.allCases))
        let activation = try #require(pictures.firstIndex { $0.step == .generationActivated })
        for (index, picture) in pictures.enumerated() {
            let reopened = try ResourceStore(directory: picture.directory.path)
            let active = try reopened.activeGenerations().map(\.number)
            #expect(active == [index < activation ? first : second], "after \(picture.step)")
            #expect(try reopened.read(active[0]) == (index < activation ? old : new), "after \(picture.step)")
            #expect(try picture.directory.files(in: "staging") == [])

            // What was half done goes, and doing it again works.
            for number in try reopened.generations(in: .staged).map(\.number) { try reopened.retire(number) }
            try reopened.sweep()
            #expect(try reopened.blobsOnDisk() == (index < activation ? blobs(old) : blobs(new)))
            #expect(try reopened.read(reopened.install(new, version: "2")) == new)
        }
    }

    @Test(arguments: StoreStep.allCases)
    func aFailureLeavesTheStoreInOrder(_ failing: StoreStep) throws {
        struct Failure: Error {}
        let directory = try TemporaryDirectory()
        let isArmed = Mutex(false)
        let store = try ResourceStore(directory: directory.path) { step in
            if step == failing, isArmed.withLock({ $0 }) { throw Failure() }
        }
        let first = try store.install(old, version: "1")
        isArmed.withLock { $0 = true }
        #expect(throws: Failure.self) {
            try store.install(new, version: "2")
            try store.sweep()
        }
        isArmed.withLock { $0 = false }
        let isDone: Set<StoreStep> = [.generationActivated, .generationsRemoved, .blobRemoved]
        let active = try #require(try store.activeGenerations().first).number
        #expect(try store.read(active) == (isDone.contains(failing) ? new : old))
        #expect((active == first) == !isDone.contains(failing))
        #expect(try directory.files(in: "staging") == [])
        // What was committed away is gone, also when the sweep failed later.
        #expect(store.pin(first) == ![.generationsRemoved, .blobRemoved].contains(failing))
        store.unpin(first)
        for number in try store.generations(in: .staged).map(\.number) { try store.retire(number) }
        try store.sweep()
        #expect(try store.blobsOnDisk() == (isDone.contains(failing) ? blobs(new) : blobs(old)))
        #expect(try store.read(store.install(new, version: "2")) == new)
    }
}
