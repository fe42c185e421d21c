// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import ResourceLoading
import Testing

@testable import OfflinePackage
@testable import ResourceStore

/// Tests of the responses to a page after a kill at any step of an update.
@Suite(.timeLimit(.minutes(2)))
struct CrashTests {
    struct Picture: Sendable {
        let step: StoreStep
        let directory: TemporaryFolder
    }

    @Test func everyCrashLeavesOldOrNewVersion() async throws {
        // The text is larger than a row of the store.
        let large = String(repeating: "x", count: 100_000)
        let old = ["index.html": "old home", "app.js": "same", "gone.js": "gone", "large.js": large]
        let new = ["index.html": "new home", "app.js": "same", "added.js": "added", "large.js": large + "y"]
        let pictures = Mutex<[Picture]?>(nil)
        let source = Mutex<String?>(nil)
        let fixture = try Fixture { step in
            guard let path = source.withLock({ $0 }) else { return }
            let copy = try TemporaryFolder()
            try FileManager.default.copyItem(atPath: path, toPath: copy.path + "/store")
            pictures.withLock { $0 = ($0 ?? []) + [Picture(step: step, directory: copy)] }
        }
        try await fixture.install(old, version: "1")
        source.withLock { $0 = fixture.store.directory }
        try await fixture.install(new, version: "2")
        try await fixture.library.sweep()

        let taken = try #require(pictures.withLock { $0 })
        #expect(
            Set(taken.map(\.step))
                == Set(StoreStep.allCases).subtracting([
                    .resourcesWritten, .resourcesCommitted, .documentWritten, .documentPlaced,
                ]))
        let activation = try #require(taken.firstIndex { $0.step == .generationActivated })
        for (index, picture) in taken.enumerated() {
            let library = try PackageLibrary(
                store: BlobStore(directory: picture.directory.path + "/store"), archives: fixture.archives)
            var answers: Site = [:]
            for name in Set(old.keys).union(new.keys) {
                let response = try await PackageLoader(library).load(.init(request("https://shop.example/\(name)")))
                answers[name] = try await response?.body.collect(upTo: 1 << 20).map { String(UnicodeScalar($0)) }
                    .joined()
            }
            #expect(answers == (index < activation ? old : new), "after \(picture.step)")
            #expect(library.unreadableFiles == 0)
        }
    }
}
