// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage
@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct InstallTests {
    let fixture: Fixture
    let old = ["index.html": "old home", "app.js": "same code"]
    let new = ["index.html": "new home", "app.js": "same code", "more.js": "more code"]

    init() throws {
        fixture = try Fixture()
    }

    /// A defect of a package.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: PackageError.Code
        var editFiles: @Sendable (inout [MemoryArchives.File]) -> Void = { _ in }
        var editManifest: @Sendable (inout PackageManifest) -> Void = { _ in }
    }

    static let faults: [Fault] = [
        Fault(testDescription: "wrong digest", code: .digestMismatch) { $0[1].content = Data("new hone".utf8) },
        Fault(testDescription: "wrong digest of a file that the store has", code: .digestMismatch) {
            $0[0].content = Data("same c0de".utf8)
        },
        Fault(testDescription: "short file", code: .mismatch) { $0[1].content.removeLast() },
        Fault(testDescription: "long file", code: .mismatch) { $0[1].content.append(1) },
        Fault(testDescription: "short file that the store has", code: .mismatch) { $0[0].content.removeLast() },
        Fault(testDescription: "long file that the store has", code: .mismatch) { $0[0].content.append(1) },
        Fault(testDescription: "other size announced", code: .mismatch) { $0[2].announced = 8 },
        Fault(testDescription: "missing file", code: .mismatch) { $0.removeLast() },
        Fault(testDescription: "extra file", code: .mismatch) { $0.append(.init("extra.js", "x")) },
        Fault(testDescription: "file twice", code: .duplicateEntry) { $0.append($0[0]) },
        Fault(testDescription: "unsafe name", code: .unsafePath) { $0.append(.init("../x", "x")) },
        Fault(testDescription: "empty archive", code: .mismatch) { $0 = [] },
        Fault(testDescription: "smaller size in the manifest", code: .mismatch, editManifest: { $0.files[2].size = 3 }),
        Fault(testDescription: "other path in the manifest", code: .mismatch) { files in
            files[2].path = "More.js"
        },
        Fault(
            testDescription: "base path that is not valid UTF-8", code: .badManifest,
            editManifest: { manifest in
                if let base = try? PackageBaseURL("https://shop.example/%FF/") { manifest.baseURL = base }
            }),
    ]

    @Test(arguments: [false, true], faults)
    func failedInstallChangesNothing(_ isUpdate: Bool, _ fault: Fault) async throws {
        let before = isUpdate ? try await fixture.install(old, version: "1") : nil
        var files = new.sorted { $0.key < $1.key }.map { MemoryArchives.File($0.key, $0.value) }
        fault.editFiles(&files)
        fixture.archives.add("broken", files)
        let manifest = try fixture.manifest(new, version: "2", edit: fault.editManifest)
        let error = await #expect(throws: PackageError.self) {
            try await fixture.library.install(archive: "broken", manifest: manifest)
        }
        #expect(error?.code == fault.code)

        #expect(fixture.library.installed == (before.map { [$0] } ?? []))
        #expect(try fixture.store.activeGenerations().map(\.number) == (before.map { [$0.generation.number] } ?? []))
        #expect(try fixture.store.generations(in: .staged) == [])
        #expect(try await fixture.get("https://shop.example/") == (isUpdate ? "old home" : nil))
        #expect(try fixture.directory.files(in: "store/staging") == [])
        try await fixture.library.sweep()
        #expect(try fixture.store.rows.all().count == (isUpdate ? 2 : 0))
        // The correct package can still be installed.
        try await fixture.install(new, version: "2")
        #expect(try await fixture.get("https://shop.example/more.js") == "more code")
    }

    @Test func rejectsInvalidManifests() async throws {
        fixture.archives.add("shop", [])
        let path = fixture.directory.path + "/manifest.json"
        func code(_ manifest: String) async -> PackageError.Code? {
            await #expect(throws: PackageError.self) {
                try await fixture.library.install(archive: "shop", manifest: manifest)
            }?.code
        }
        #expect(await code(path) == .noInput)
        #expect(await code(fixture.directory.path) == .io)
        try Data("{".utf8).write(to: URL(filePath: path))
        #expect(await code(path) == .badManifest)
        var configuration = PackageLibrary.Configuration()
        configuration.manifestLimits.maxBytes = 10
        let library = try PackageLibrary(
            store: fixture.store, archives: fixture.archives, configuration: configuration)
        let manifest = try fixture.manifest(new, version: "1")
        let error = await #expect(throws: PackageError.self) {
            try await library.install(archive: "shop", manifest: manifest)
        }
        #expect(error?.code == .tooLarge)
        #expect(fixture.archives.reads == 0)
    }

    @Test func equalPackageIsUnchanged() async throws {
        let first = try await fixture.install(new, version: "1")
        let second = try await fixture.install(new, version: "1")
        #expect(first == second)
        #expect(fixture.archives.reads == 1)
    }

    @Test func otherFilesCreateGeneration() async throws {
        let first = try await fixture.install(old, version: "1")
        let second = try await fixture.install(new, version: "1")
        #expect(second.generation.number > first.generation.number)
        #expect(try await fixture.get("https://shop.example/") == "new home")
    }

    @Test func otherBaseURLCreatesGeneration() async throws {
        try await fixture.install(old, version: "1")
        try await fixture.install(old, version: "1", base: "https://other.example/")
        #expect(try await fixture.get("https://shop.example/") == nil)
        #expect(try await fixture.get("https://other.example/") == "old home")
    }

    @Test func reportsProgress() async throws {
        let reports = Mutex<[InstallProgress]>([])
        fixture.archives.add("shop", new.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
        try await fixture.library.install(archive: "shop", manifest: fixture.manifest(new, version: "1")) { report in
            reports.withLock { $0.append(report) }
        }
        let seen = reports.withLock { $0 }
        #expect(seen.map(\.completedFiles) == [1, 2, 3])
        #expect(seen.map(\.completedBytes) == [9, 17, 26])
        #expect(seen.allSatisfy { $0.totalFiles == 3 && $0.totalBytes == 26 })
    }

    @Test func stopsBetweenChunks() async throws {
        let chunks = Mutex(0)
        fixture.archives.onChunk {
            chunks.withLock { $0 += 1 }
            withUnsafeCurrentTask { $0?.cancel() }
        }
        let fixture = fixture
        let site = new
        let task = Task { try await fixture.install(site, version: "1") }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(chunks.withLock { $0 } == 1)
        fixture.archives.onChunk(nil)
        #expect(fixture.library.installed == [])
        #expect(try fixture.directory.files(in: "store/staging") == [])
    }

    @Test @MainActor func installDoesNotBlockCallersActor() async throws {
        // The install cannot end before the main actor has run other work.
        let isFree = DispatchSemaphore(value: 0)
        fixture.archives.onChunk { isFree.wait() }
        let fixture = fixture
        let site = ["index.html": "x"]
        async let installed = fixture.install(site, version: "1")
        await Task { @MainActor in _ = isFree.signal() }.value
        #expect(try await installed.version.description == "1")
    }

    @Test func remainsAfterReopening() async throws {
        let directory = try TemporaryFolder()
        let installed: InstalledPackage
        let archives = fixture.archives
        do {
            let library = try PackageLibrary(store: BlobStore(directory: directory.path), archives: archives)
            archives.add("shop", new.map { .init($0.key, $0.value) })
            installed = try await library.install(archive: "shop", manifest: fixture.manifest(new, version: "1"))
        }
        let library = try PackageLibrary(store: BlobStore(directory: directory.path), archives: archives)
        #expect(library.installed == [installed])
        let response = try await PackageLoader(library).load(.init(request("https://shop.example/more.js")))
        #expect(try await response?.body.collect(upTo: 100) == Data("more code".utf8))
        // An equal package is recognized without the archive.
        archives.add("shop", [])
        #expect(
            try await library.install(archive: "shop", manifest: fixture.manifest(new, version: "1")) == installed)
    }

    @Test func damagedRecordIsSkipped() async throws {
        try await fixture.install(old, version: "1")
        let staged = try fixture.store.stage(
            package: "odd", version: "1", metadata: Data("?".utf8), entries: [], from: fixture.store.makeBatch())
        try fixture.store.activate(staged.number)
        let library = try PackageLibrary(store: fixture.store, archives: fixture.archives)
        #expect(library.installed.map(\.id.description) == ["shop"])
    }

    @Test func stagedGenerationIsDiscarded() async throws {
        let staged = try fixture.store.stage(
            package: "odd", version: "1", metadata: Data(), entries: [], from: fixture.store.makeBatch())
        let library = try PackageLibrary(store: fixture.store, archives: fixture.archives)
        #expect(try await library.sweep().generations == [staged.number])
    }
}
