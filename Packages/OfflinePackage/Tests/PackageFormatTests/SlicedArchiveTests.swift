// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
import Testing

@_spi(Packaging) @testable import PackageFormat

/// Tests that the slices of a manifest give the same files as the archive's own headers.
@Suite("Sliced archive", .timeLimit(.minutes(3)))
struct SlicedArchiveTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Returns the files of an archive by its own headers, and a manifest with the offsets of the validator.
    private func manifest(of archive: String) throws -> (PackageManifest, [String: Data]) {
        let files = try contents(of: archive)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        let manifest = try PackageManifest(
            id: PackageID("a"), version: PackageVersion("1"), baseURL: PackageBaseURL("https://h.example/"),
            files: files.map { path, data in
                try .init(
                    path: ArchivePath(path), size: Int64(data.count), sha256: SHA256Digest(of: data), mediaType: "a/b")
            }
        ).locating(
            files: ZipValidator().validate(bytes), in: .init(size: Int64(bytes.count), sha256: SHA256Digest(of: bytes)))
        return (manifest, files)
    }

    /// Expects the same files from reading the whole archive, four shares, each file alone, and bytes as they arrive.
    private func expectSame(_ archive: String, _ seed: UInt64 = 1) throws {
        let (manifest, files) = try manifest(of: archive)
        var whole: [String: Data] = [:]
        try ArchiveSlices(manifest).read(archive, limits: .default) { entry, reader in
            var data = Data()
            while let piece = try reader.next() { data.append(piece) }
            #expect(entry.size == Int64(data.count))
            whole[entry.path.description] = data
        }
        #expect(whole == files)

        let sliced = try SlicedArchive(archive, manifest: manifest)
        let shares = sliced.shares(4)
        #expect(shares.count <= 4 && Array(shares.joined()) == sliced.files)
        var shared: [String: Data] = [:]
        for share in shares {
            try sliced.read(share) { file, reader in
                while let piece = try reader.next() { shared[file.path.description, default: Data()].append(piece) }
            }
        }
        #expect(shared == files.filter { !$0.value.isEmpty })

        var random = SeededGenerator(seed: seed)
        for file in sliced.files.shuffled(using: &random) {
            try sliced.read(CollectionOfOne(file)) { file, reader in
                let first = try reader.next() ?? Data()
                #expect(files[file.path.description]?.prefix(first.count) == first)
            }
        }

        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        for file in sliced.files {
            let slice = try #require(file.slice)
            var inflater = try SliceInflater(file)
            var rest = bytes[Int(slice.offset)..<Int(slice.end)]
            var data = Data()
            while !rest.isEmpty {
                let count = Int.random(in: 1...max(1, min(rest.count, 40_000)), using: &random)
                try inflater.append(rest.prefix(count)) { data.append($0) }
                rest = rest.dropFirst(count)
            }
            try inflater.finish()
            #expect(data == files[file.path.description], "\(file.path)")
        }
    }

    /// Fills `site` with a seeded tree and returns its names.
    @discardableResult
    private func tree(_ seed: UInt64, files count: Int = 60, named name: String = "ä") throws -> [String] {
        var random = SeededGenerator(seed: seed)
        return try (0..<count).map { index in
            let depth = Int.random(in: 0...3, using: &random)
            let parts = (0..<depth).map { _ in "d\(Int.random(in: 0...3, using: &random))" } + ["\(name)-\(index).txt"]
            let path = parts.joined(separator: "/")
            try folder.write("site/\(path)", bytes(&random))
            return path
        }
    }

    /// Returns text, noise, runs of one byte, or no bytes; some results are larger than a piece.
    private func bytes(_ random: inout SeededGenerator) -> Data {
        let sizes = [0, 1, 100, 5_000, 262_143, 262_144, 262_145, 700_000]
        let size = (sizes.randomElement(using: &random) ?? 0) + Int.random(in: 0...3, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0:
            var data = Data()
            while data.count < size { withUnsafeBytes(of: random.next()) { data.append(contentsOf: $0) } }
            return data.prefix(size)
        case 1: return Data(repeating: UInt8.random(in: 0...255, using: &random), count: size)
        default:
            let words = (0..<50).map { "word\($0 * $0) " }
            var text = ""
            while text.utf8.count < size { text += words.randomElement(using: &random) ?? "" }
            return Data(text.utf8.prefix(size))
        }
    }

    @Test("Zips of ZipWriter give the same files", arguments: 1...6 as ClosedRange<UInt64>)
    func ownWriter(seed: UInt64) throws {
        let names = try tree(seed)
        let archive = "\(folder.path)/a.zip"
        var random = SeededGenerator(seed: seed)
        try ZipWriter().write(to: archive) { writer in
            for name in names {
                let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/site/\(name)"))
                let method = ZipMethod.allCases.randomElement(using: &random) ?? .stored
                try writer.begin(ArchivePath(name), size: Int64(data.count), method: method)
                try writer.append(data)
            }
        }
        try expectSame(archive, seed)
    }

    /// Variants of zips written by Python's zipfile: the compression method, and how the archive is opened and
    /// written.
    enum Python: String, CaseIterable {
        case stored = "z.write(p, n, compress_type=zipfile.ZIP_STORED)"
        case deflated = "z.write(p, n, compress_type=zipfile.ZIP_DEFLATED, compresslevel=1 + i % 9)"
        case wide = "w(z.open(zipfile.ZipInfo(n), 'w', force_zip64=True), p)"
        case streamed = "z.write(p, n, compress_type=(0, 8)[i % 2]) # streamed"
    }

    @Test(
        "Zips of Python give the same files: stored, deflated, zip64, with data descriptors", arguments: Python.allCases
    )
    func python(_ variant: Python) throws {
        try tree(7)
        let archive = "\(folder.path)/a.zip"
        let script = """
            import os, sys, zipfile
            class Pipe:
                def __init__(self, file): self.file = file
                def write(self, data): return self.file.write(data)
                def flush(self): self.file.flush()
            def w(out, p):
                with out, open(p, 'rb') as f: out.write(f.read())
            root, path, way = sys.argv[1:]
            file = open(path, 'wb')
            z = zipfile.ZipFile(Pipe(file) if 'streamed' in way else file, 'w')
            names = sorted(os.path.relpath(os.path.join(d, f), root) for d, _, fs in os.walk(root) for f in fs)
            for i, n in enumerate(names):
                p = os.path.join(root, n)
                exec(way)
            z.close()
            """
        guard try runIfThere("python3", ["-c", script, "\(folder.path)/site", archive, variant.rawValue]) else {
            return
        }
        try expectSame(archive)
        let flags = try Data(contentsOf: URL(fileURLWithPath: archive))[6]
        #expect(flags & 8 == (variant == .streamed ? 8 : 0))
    }

    @Test("Zips of Info-ZIP give the same files, if written from files or from a pipe")
    func infoZip() throws {
        // Info-ZIP does not mark names as UTF-8.
        try tree(8, named: "a")
        guard
            try runIfThere(
                "sh",
                ["-c", "cd '\(folder.path)/site' && zip -qr -X ../a.zip . && zip -q -fz- - -r . | cat > ../b.zip"],
                needs: "zip")
        else { return }
        try expectSame("\(folder.path)/a.zip")
        try expectSame("\(folder.path)/b.zip")
    }

    @Test("Zips of bsdtar give the same files")
    func bsdtar() throws {
        try tree(9)
        guard
            try runIfThere("bsdtar", ["--format=zip", "-C", "\(folder.path)/site", "-cf", "\(folder.path)/a.zip", "."])
        else { return }
        // bsdtar writes names with a leading `./`, which the validator rejects.
        guard try runIfThere("sh", ["-c", "cd '\(folder.path)/site' && bsdtar --format=zip -cf ../b.zip *"]) else {
            return
        }
        try expectSame("\(folder.path)/b.zip")
    }

    @Test(
        "Every valid archive of the conformance data gives the same files",
        .enabled(if: ConformanceData.isThere, "skipped: ../shared/conformance/zip is not there"))
    func conformance() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(ConformanceData.root)/accepted")
            .filter { $0.hasSuffix(".zip") }
        try #require(names.count == 15)
        for name in names { try expectSame("\(ConformanceData.root)/accepted/\(name)") }
    }

    @Test("Shares can be read concurrently on separate threads")
    func parallel() async throws {
        try folder.write("a.zip", ZipMaker((0..<500).map { ZipMaker.Entry("f\($0)", "text \($0)") }).bytes())
        let (manifest, files) = try manifest(of: "\(folder.path)/a.zip")
        let archive = try SlicedArchive("\(folder.path)/a.zip", manifest: manifest)
        let read = try await withThrowingTaskGroup { group in
            for share in archive.shares(4) {
                group.addTask {
                    var count = 0
                    try archive.read(share) { file, reader in
                        var hasher = SHA256Hasher()
                        while let bytes = try reader.next() { hasher.update(bytes) }
                        guard hasher.finalize() == file.sha256 else {
                            throw PackageError(.digestMismatch, "wrong bytes", at: file.path.description)
                        }
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(read == files.count)
    }

    @Test("An archive of another size, a truncated one, and a manifest without slices are rejected")
    func refusals() throws {
        let archive = try folder.write("a.zip", ZipMaker("a", "b").bytes())
        let (manifest, _) = try manifest(of: archive)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        func read(_ archive: String, _ manifest: PackageManifest, limits: ArchiveLimits = .default) throws {
            try ArchiveSlices(manifest).read(archive, limits: limits) { _, _ in }
        }
        try read(archive, manifest)
        expectRefusal(.mismatch) { try read(folder.write("b.zip", bytes.dropLast()), manifest) }
        expectRefusal(.badManifest) { try read(archive, manifest.withoutSlices()) }
        expectRefusal(.noInput) { try read("\(folder.path)/missing.zip", manifest) }
        expectRefusal(.notAnArchive) { try read(folder.path, manifest) }
        expectRefusal(.tooMany) { try read(archive, manifest, limits: ArchiveLimits(maxEntries: 1)) }
        expectRefusal(.tooLarge) { try read(archive, manifest, limits: ArchiveLimits(maxTotalBytes: 9)) }
        expectRefusal(.tooLarge) { try read(archive, manifest, limits: ArchiveLimits(maxPathBytes: 0)) }
        var outside = manifest
        outside.files[0].slice?.offset = manifest.archive?.size ?? 0
        expectRefusal(.badManifest) { try read(archive, outside) }
    }

    @Test("Bytes that the visitor leaves unread are checked, and the reader is invalid after the visit")
    func unread() throws {
        var maker = ZipMaker("a", "b")
        maker.entries[0].method = 8
        maker.entries[0].data = [1, 5, 0, 0xFA, 0xFF] + Array("hello".utf8)
        maker.entries[0].compressedSize = 10
        let archive = try folder.write("a.zip", maker.bytes())
        let (manifest, _) = try manifest(of: archive)
        let sliced = try SlicedArchive(archive, manifest: manifest)
        var kept: (any ArchiveEntryReading)?
        try sliced.read(sliced.files) { _, reader in
            if var kept { expectRefusal(.io) { try kept.next() } }
            kept = reader
        }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        bytes[Int(try #require(sliced.files.first?.slice?.offset))] = 7
        let damaged = try SlicedArchive(folder.write("b.zip", bytes), manifest: manifest)
        expectRefusal(.damaged) { try damaged.read(damaged.files) { _, _ in } }
    }

    @Test("The verifier also detects a wrong digest when it reads with slices")
    func verifier() throws {
        let archive = try folder.write("a.zip", ZipMaker("a", "b").bytes())
        let (manifest, _) = try manifest(of: archive)
        let verifier = PackageVerifier(reader: ArchiveSlices(manifest))
        #expect(try verifier.verify(archive, against: manifest).files == 2)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        bytes[Int(try #require(manifest.files[1].slice?.offset))] ^= 1
        let flipped = try folder.write("b.zip", bytes)
        expectRefusal(.digestMismatch) { try verifier.verify(flipped, against: manifest.withoutSlices()) }
    }

    @Test(
        "Zips with zip64 fields give the same files",
        arguments: [
            Zip64Thresholds(largestSize: 0), Zip64Thresholds(offset: 1),
            Zip64Thresholds(largestSize: 5_000, offset: 0),
        ])
    func zip64(thresholds: Zip64Thresholds) throws {
        let archive = "\(folder.path)/a.zip"
        try ZipWriter(thresholds: thresholds).write(to: archive) { writer in
            for (index, name) in try tree(11).enumerated() {
                let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/site/\(name)"))
                let method: ZipMethod = index.isMultiple(of: 2) ? .stored : .deflated
                try writer.begin(ArchivePath(name), size: Int64(data.count), method: method)
                try writer.append(data)
            }
        }
        try expectSame(archive)
    }

    @Test("Shares have similar sizes and all files, and are no more than requested")
    func shares() throws {
        try tree(10, files: 200)
        let names = try folder.names(below: "site").filter { $0.hasSuffix(".txt") }
        let archive = "\(folder.path)/a.zip"
        try ZipWriter().write(to: archive) { writer in
            for name in names {
                let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/site/\(name)"))
                try writer.begin(ArchivePath(name), size: Int64(data.count), method: .deflated)
                try writer.append(data)
            }
        }
        let (manifest, _) = try manifest(of: archive)
        let sliced = try SlicedArchive(archive, manifest: manifest)
        for count in [1, 2, 3, 200, 1_000] {
            let shares = sliced.shares(count)
            #expect((1...count).contains(shares.count) && Array(shares.joined()) == sliced.files)
        }
        let costs = sliced.shares(2).map { $0.reduce(0) { $0 + $1.size + 65_536 } }
        #expect(costs.count == 2 && abs(costs[0] - costs[1]) < 2 << 20)
    }
}

/// Runs a program of the system if it is installed.
/// - Returns: `true` if it is installed; otherwise a message is printed.
func runIfThere(_ program: String, _ arguments: [String], needs needed: String? = nil) throws -> Bool {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    guard folders.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(needed ?? program)") }) else {
        print("skipped: \(needed ?? program) is not installed")
        return false
    }
    try run(program, arguments)
    return true
}
