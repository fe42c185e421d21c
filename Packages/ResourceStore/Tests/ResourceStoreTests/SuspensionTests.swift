// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct SuspensionTests {
    let directory: TemporaryDirectory
    let store: ResourceStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try ResourceStore(directory: directory.path)
    }

    @Test func readsAndDoesNotWrite() throws {
        let number = try store.install(["a": "one"], version: "1")
        try store.suspend()
        #expect(try store.read(number) == ["a": "one"])
        #expect(code { try store.install(["a": "two"], version: "2") } == .suspended)
        #expect(code { try store.retire(number) } == .suspended)
        #expect(code { try store.sweep() } == .suspended)
        #expect(FileManager.default.fileExists(atPath: directory.path + "/clean"))
        try store.resume()
        #expect(try store.read(store.install(["a": "two"], version: "2")) == ["a": "two"])
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/clean"))
    }

    @Test func anInstallUnderWayFailsAndCanBeDoneAgain() throws {
        let batch = store.makeBatch()
        let entries = try store.write(["a": "one"], into: batch)
        try store.suspend()
        let failure = code {
            _ = try store.stage(package: "p", version: "1", metadata: Data(), entries: entries, from: batch)
        }
        #expect(failure == .suspended)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/clean"))
        try store.resume()
        _ = try store.stage(package: "p", version: "1", metadata: Data(), entries: entries, from: batch)
    }

    @Test func holdsNoLock() throws {
        try store.suspend()
        do {
            let other = try ResourceStore(directory: directory.path)
            #expect(code { try store.resume() } == .inUse)
            withExtendedLifetime(other) {}
        }
        try store.resume()
        #expect(code { _ = try ResourceStore(directory: directory.path) } == .inUse)
    }
}
