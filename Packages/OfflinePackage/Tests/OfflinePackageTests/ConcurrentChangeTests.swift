// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContentDigest
import Dispatch
import Foundation
import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage
@testable import ResourceStore

/// Tests of changes that run on two threads at the same time, as before iOS 18 and macOS 15, where the executor of the
/// library does not order them.
@Suite("Concurrent changes of a library", .timeLimit(.minutes(1)))
struct ConcurrentChangeTests {
    /// A job that begins on another thread when the store reaches a step for the first time.
    private final class Interruption: Sendable {
        private let job = Mutex<(step: StoreStep, body: @Sendable () throws -> Void)?>(nil)
        private let queue = SerialQueue("test.interruption")
        private let failures = Mutex<[String]>([])

        func set(at step: StoreStep, _ body: @escaping @Sendable () throws -> Void) {
            job.withLock { $0 = (step, body) }
        }

        /// Returns when the job has begun. It does not wait for its end, because the job may need the caller's lock.
        func reach(_ step: StoreStep) {
            let body = job.withLock { job -> (@Sendable () throws -> Void)? in
                guard let (awaited, body) = job, awaited == step else { return nil }
                job = nil
                return body
            }
            guard let body else { return }
            let hasBegun = DispatchSemaphore(value: 0)
            queue.enqueue { [self] in
                hasBegun.signal()
                do { try body() } catch { failures.withLock { $0.append("\(error)") } }
            }
            hasBegun.wait()
        }

        /// Waits for the end of the job and returns its errors.
        func end() async -> [String] {
            await queue.run {}
            #expect(job.withLock { $0 == nil }, "the step was not reached")
            return failures.withLock { $0 }
        }
    }

    private let interruption = Interruption()
    private let fixture: Fixture
    private let thread = SerialQueue("test.thread")

    init() throws {
        fixture = try Fixture { [interruption] in interruption.reach($0) }
    }

    private var activeInStore: [Int64] {
        get throws { try fixture.store.activeGenerations().map(\.number) }
    }

    private var activeInMemory: [Int64] { fixture.library.installed.map(\.generation.number) }

    /// Installs two versions and returns their generations. The second one is active.
    private func installTwo() async throws -> [PackageGeneration] {
        var generations: [PackageGeneration] = []
        for version in ["1", "2"] {
            let package = try await fixture.install(["index.html": "home \(version)"], version: version)
            generations.append(try #require(fixture.library.activeGeneration(of: package.id)))
        }
        return generations
    }

    @Test("A removal that begins during an activation removes the activated version", arguments: [true, false])
    func removalDuringActivation(beforeCommit: Bool) async throws {
        let former = try await installTwo()[0]
        let library = fixture.library
        interruption.set(at: beforeCommit ? .formerRetired : .generationActivated) {
            let wasActive = try library.deactivate(former.package.id)
            #expect(wasActive)
        }
        try await thread.run { try library.makeActive(former) }
        #expect(await interruption.end() == [])
        #expect(activeInMemory == [])
        #expect(try activeInStore == [])
        #expect(try await fixture.get("https://shop.example/") == nil)
    }

    @Test("Removals and activations in any order leave the same version active in memory and in the store")
    func anyOrder() async throws {
        let generations = try await installTwo()
        let library = fixture.library
        let other = SerialQueue("test.other")
        for round in 0..<50 {
            async let removal = other.run { try library.deactivate(generations[0].package.id) }
            try await thread.run { try library.makeActive(generations[round % 2]) }
            _ = try await removal
            #expect(try activeInStore == activeInMemory)
        }
    }

    @Test("Concurrent installs of two packages keep the sequence numbers of both")
    func twoSequences() async throws {
        let library = fixture.library
        let (first, second) = try (manifest("one", sequence: 3), manifest("two", sequence: 5))
        let digest = SHA256Digest(of: Data())
        interruption.set(at: .documentWritten) { try library.raiseMark(to: second, digest) }
        try await thread.run { try library.raiseMark(to: first, digest) }
        #expect(await interruption.end() == [])
        let marks = try SequenceDocument(fixture.store).load().packages.mapValues(\.sequence)
        #expect(marks == ["one": 3, "two": 5])
    }

    private func manifest(_ id: String, sequence: Int64) throws -> PackageManifest {
        var manifest = try PackageManifest(
            id: PackageID(id), version: PackageVersion("1"), baseURL: PackageBaseURL("https://\(id).example/"),
            files: [])
        manifest.sequence = sequence
        return manifest
    }
}
