// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContentDigest
import Foundation
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage
@testable import ResourceStore

/// Tests of installs with the slices of a manifest, compared with the default reader.
@Suite(.timeLimit(.minutes(2)))
struct SlicedInstallTests {
    private let fixture: Fixture
    private let archive: String
    private let manifest: PackageManifest
    private let site = everything

    init() throws {
        fixture = try Fixture()
        archive = fixture.directory.path + "/shop.zip"
        manifest = try Self.pack(site, into: archive, version: "1")
    }

    /// Files of many kinds: empty, one byte, around the sizes of a row and of a piece, noise, text; some are equal.
    private static let everything: [String: Data] = {
        var site: [String: Data] = [
            "index.html": Data("home".utf8), "empty.txt": Data(), "again.html": Data("home".utf8),
        ]
        var state: UInt64 = 1
        for (index, size) in [1, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 900_000].enumerated() {
            let noise = Data(
                (0..<size).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(state >> 56)
                })
            site["noise/\(index).bin"] = noise
            site["text/\(index).js"] = Data((0..<size).map { UInt8(ascii: "a") + UInt8($0 * $0 % 23) })
        }
        for index in 0..<300 { site["lab/\(index % 7)/ü\(index).js"] = Data("script \(index)".utf8) }
        return site
    }()

    /// Writes a zip and returns a manifest with its slices.
    private static func pack(_ site: [String: Data], into path: String, version: String) throws -> PackageManifest {
        try? FileManager.default.removeItem(atPath: path)
        try ZipWriter().write(to: path) { archive in
            for (name, data) in site.sorted(by: { $0.key < $1.key }) {
                let method = name.hasSuffix("bin") || data.isEmpty ? ZipMethod.stored : .deflated
                try archive.begin(ArchivePath(name), size: Int64(data.count), method: method)
                if !data.isEmpty { try archive.append(data) }
            }
        }
        let bytes = try Data(contentsOf: URL(filePath: path))
        return try PackageManifest(
            id: PackageID("shop"), version: PackageVersion(version), baseURL: PackageBaseURL("https://shop.example/"),
            files: site.map { name, data in
                PackageManifest.File(
                    path: try ArchivePath(name), size: Int64(data.count), sha256: SHA256Digest(of: data),
                    mediaType: "text/javascript")
            }
        ).locating(
            files: ZipValidator().validate(bytes), in: .init(size: Int64(bytes.count), sha256: SHA256Digest(of: bytes)))
    }

    private func path(of manifest: PackageManifest) throws -> String {
        let path = "\(fixture.directory.path)/\(UUID().uuidString).json"
        try manifest.encoded().write(to: URL(filePath: path))
        return path
    }

    @discardableResult
    private func install(_ manifest: PackageManifest? = nil, _ library: PackageLibrary? = nil) async throws
        -> InstalledPackage
    {
        try await (library ?? fixture.library).install(archive: archive, manifest: path(of: manifest ?? self.manifest))
    }

    private func answers(_ library: PackageLibrary) async throws -> [String: Data] {
        var answers: [String: Data] = [:]
        for name in site.keys {
            let response = try await PackageLoader(library).load(
                .init(request("https://shop.example/\(name.replacing("ü", with: "%C3%BC"))")))
            answers[name] = try await response?.body.collect(upTo: 1 << 20)
        }
        return answers
    }

    @Test func servesSameFilesAsDefaultReader() async throws {
        try await install()
        // The fixture's in-memory archives are not read.
        #expect(fixture.archives.reads == 0)
        #expect(try await answers(fixture.library) == site)

        let other = try PackageLibrary(store: BlobStore(directory: fixture.directory.path + "/other"))
        try await install(manifest.withoutSlices(), other)
        #expect(try await answers(other) == site)
        let active = try #require(fixture.library.installed.first), twin = try #require(other.installed.first)
        #expect(
            try fixture.store.entries(of: active.generation.number) == other.store.entries(of: twin.generation.number))
        #expect(Set(try fixture.store.rows.all().map(\.id)) == Set(try other.store.rows.all().map(\.id)))
    }

    @Test func readsOnlyMissingFiles() async throws {
        try await install()
        var changed = site
        changed["index.html"] = Data("new home".utf8)
        let next = try Self.pack(changed, into: archive, version: "2")
        // All other bytes of the archive are wrong now.
        let home = try #require(next.files.first { $0.path.description == "index.html" }?.slice)
        var bytes = try Data(contentsOf: URL(filePath: archive))
        for index in bytes.indices where !(home.offset..<home.end).contains(Int64(index)) { bytes[index] ^= 0xFF }
        try bytes.write(to: URL(filePath: archive))
        try await install(next)
        #expect(try await answers(fixture.library) == changed)
    }

    @Test func rejectsEveryWrongFile() async throws {
        let bytes = try Data(contentsOf: URL(filePath: archive))
        for file in manifest.files.prefix(40) + manifest.files.suffix(20) where file.size > 0 {
            // The file has the same bytes as `again.html`, which precedes it.
            if file.path.description == "index.html" { continue }
            let slice = try #require(file.slice)
            var broken = bytes
            broken[Int(slice.offset + slice.size / 2)] ^= 0x10
            try broken.write(to: URL(filePath: archive))
            let error = await #expect(throws: PackageError.self) { try await install() }
            #expect(error?.code == .digestMismatch || error?.code == .damaged, "\(file.path)")
        }
        #expect(fixture.library.installed == [])
        #expect(try fixture.store.generations(in: .staged) == [])
        #expect(try fixture.directory.files(in: "store/staging") == [])
        try await fixture.library.sweep()
        #expect(try fixture.store.rows.all().isEmpty)
        try bytes.write(to: URL(filePath: archive))
        try await install()
        #expect(try await answers(fixture.library) == site)
    }

    @Test func rejectsOtherArchives() async throws {
        let bytes = try Data(contentsOf: URL(filePath: archive))
        for other in [bytes.dropLast(), bytes + [0], Data()] {
            try other.write(to: URL(filePath: archive))
            #expect(await #expect(throws: PackageError.self) { try await install() }?.code == .mismatch)
        }
        try FileManager.default.removeItem(atPath: archive)
        #expect(await #expect(throws: PackageError.self) { try await install() }?.code == .noInput)
        #expect(fixture.library.installed == [])
    }

    @Test func equalDigestsMustHaveEqualSizes() async throws {
        var odd = manifest.withoutSlices()
        let again = try #require(odd.files.firstIndex { $0.path.description == "again.html" })
        odd.files[again].size += 1
        #expect(await #expect(throws: PackageError.self) { try await install(odd) }?.code == .badManifest)
    }

    @Test func appliesLimits() async throws {
        for limits in [ArchiveLimits(maxTotalBytes: 1_000), ArchiveLimits(maxPathBytes: 5), ArchiveLimits(maxDepth: 1)]
        {
            let library = try PackageLibrary(store: fixture.store, configuration: .init(archiveLimits: limits))
            #expect(await #expect(throws: PackageError.self) { try await install(nil, library) }?.code == .tooLarge)
        }
        let library = try PackageLibrary(
            store: fixture.store, configuration: .init(archiveLimits: ArchiveLimits(maxEntries: 100)))
        #expect(await #expect(throws: PackageError.self) { try await install(nil, library) }?.code == .tooMany)
        try await fixture.library.sweep()
        #expect(try fixture.store.rows.all().isEmpty)
    }

    @Test(arguments: [true, false])
    func rejectsPackageOverBudgetBeforeWriting(_ isSliced: Bool) async throws {
        let steps = Mutex<[StoreStep]>([])
        let store = try BlobStore(
            directory: fixture.directory.path + "/small", configuration: .init(packageBudget: 1_000_000)
        ) { step in steps.withLock { $0.append(step) } }
        let library = try PackageLibrary(store: store)
        let error = await #expect(throws: StoreError.self) {
            try await install(isSliced ? manifest : manifest.withoutSlices(), library)
        }
        #expect(error?.code == .overBudget)
        #expect(steps.withLock { $0 }.allSatisfy { $0 == .generationsRemoved })
        #expect(try store.rows.all().isEmpty)
    }

    @Test func reportsProgress() async throws {
        let reports = Mutex<[InstallProgress]>([])
        func install(_ manifest: PackageManifest) async throws -> [InstallProgress] {
            reports.withLock { $0 = [] }
            _ = try await fixture.library.install(archive: archive, manifest: path(of: manifest)) { report in
                reports.withLock { $0.append(report) }
            }
            return reports.withLock { $0 }
        }
        let bytes = site.values.reduce(0) { $0 + Int64($1.count) }
        let first = try await install(manifest)
        // Of two equal files only one is read.
        #expect(first.map(\.completedFiles) == Array(2...site.count))
        #expect(
            first.last
                == .init(completedFiles: site.count, totalFiles: site.count, completedBytes: bytes, totalBytes: bytes))
        #expect(zip(first, first.dropFirst()).allSatisfy { $0.completedBytes <= $1.completedBytes })
        var changed = site
        changed["index.html"] = Data("new home".utf8)
        let second = try await install(Self.pack(changed, into: archive, version: "2"))
        #expect(second.map(\.completedFiles) == [site.count])
    }

    @Test func cancellationStopsBetweenFiles() async throws {
        let files = Mutex(0)
        let started = Mutex<Task<Void, any Error>?>(nil)
        let gate = DispatchSemaphore(value: 0)
        let store = try BlobStore(directory: fixture.directory.path + "/stopped") { step in
            guard step == .blobWritten else { return }
            // The other thread waits for the mutex until the task is cancelled.
            files.withLock { files in
                files += 1
                guard files == 1 else { return }
                gate.wait()
                started.withLock { $0?.cancel() }
            }
        }
        let library = try PackageLibrary(store: store)
        let path = try path(of: manifest)
        let archive = archive
        let task = Task { _ = try await library.install(archive: archive, manifest: path) }
        started.withLock { $0 = task }
        gate.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The other thread may have completed one more file.
        #expect(files.withLock { $0 } <= 2)
        #expect(library.installed == [])
        #expect(try fixture.directory.files(in: "stopped/staging") == [])
        try await library.sweep()
        #expect(try store.rows.all().isEmpty)
    }

    @Test func concurrentInstallsRunSerially() async throws {
        let library = fixture.library
        var manifests: [String] = []
        for index in 0..<8 {
            var twin = manifest
            twin.id = try PackageID("shop-\(index)")
            twin.baseURL = try PackageBaseURL("https://shop-\(index).example/")
            manifests.append(try path(of: twin))
        }
        try await withThrowingTaskGroup { group in
            for path in manifests { group.addTask { try await library.install(archive: archive, manifest: path) } }
            try await group.waitForAll()
        }
        #expect(library.installed.count == 8)
        #expect(try fixture.store.generations(in: .active).count == 8)
    }
}
