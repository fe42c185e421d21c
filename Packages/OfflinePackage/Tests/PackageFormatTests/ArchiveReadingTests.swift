// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
@_spi(Packaging) import PackageFormat
import Testing

/// Tests of bytes, checksums and tar formats.
@Suite("Reading archives", .timeLimit(.minutes(2)))
struct ArchiveReadingTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("Files are read with their bytes, for any order and script of their names")
    func zip() throws {
        var maker = ZipMaker("b", "a", "Kätilöt/日本語.html", "empty")
        maker.entries[3] = ZipMaker.Entry("empty", "")
        maker.entries[0].stream(signature: true, wide: false)
        let archive = try folder.write("a.zip", maker.bytes())
        let hello = Data("hello".utf8)
        #expect(try contents(of: archive) == ["b": hello, "a": hello, "Kätilöt/日本語.html": hello, "empty": Data()])
    }

    @Test("A wrong checksum is an error, even if the entry is not read")
    func checksum() throws {
        var maker = ZipMaker("a", "b")
        maker.entries[0].data[0] ^= 1
        let archive = try folder.write("a.zip", maker.bytes())
        expectRefusal(.damaged) { try contents(of: archive) }
        expectRefusal(.damaged) { try ArchiveReader().read(archive, limits: .default) { _, _ in } }
    }

    @Test("A reader throws after its entry's visit has ended")
    func staleReader() throws {
        let archive = try folder.write("a.zip", ZipMaker("a", "b").bytes())
        var kept: (any ArchiveEntryReading)?
        try ArchiveReader().read(archive, limits: .default) { _, reader in
            if var kept { expectRefusal(.io) { try kept.next() } }
            kept = reader
        }
        #expect(kept != nil)
    }

    @Test("An error of the visitor ends reading")
    func visitorThrows() throws {
        struct Stop: Error {}
        let archive = try folder.write("a.zip", ZipMaker("a", "b").bytes())
        var count = 0
        #expect(throws: Stop.self) {
            try ArchiveReader().read(archive, limits: .default) { _, _ in
                count += 1
                throw Stop()
            }
        }
        #expect(count == 1)
    }

    @Test("Cancellation of the task stops reading")
    func cancellation() async throws {
        let archive = try folder.write("a.zip", ZipMaker("a").bytes())
        let target = "\(folder.path)/out"
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try Unpacker(isDurable: false).unpack(archive, into: target)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try folder.names() == ["a.zip"])
    }

    @Test(
        "Files that are not archives are rejected",
        arguments: ["", "P", "PK", "hello, world", "<!doctype html>", "\u{1F}\u{8B}"])
    func noArchive(_ content: String) throws {
        let file = try folder.write("a.zip", content.utf8)
        expectRefusal(.notAnArchive) { try contents(of: file) }
    }

    @Test("A missing file, a folder and a pipe are rejected without waiting")
    func noFile() throws {
        expectRefusal(.noInput) { try contents(of: "\(folder.path)/missing.zip") }
        expectRefusal(.notAnArchive) { try contents(of: folder.path) }
        try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        expectRefusal(.notAnArchive) { try contents(of: "\(folder.path)/pipe") }
    }

    @Test("The process's locale is not changed")
    func locale() throws {
        func current() -> String { setlocale(LC_CTYPE, nil).map { String(cString: $0) } ?? "" }
        let before = current()
        let archive = try folder.write("a.tgz", TarMaker("ä").bytes(.gzip))
        // libarchive needs another locale for names, but only in the current thread.
        try ArchiveReader().read(archive, limits: .default) { _, _ in #expect(current() == before) }
        #expect(current() == before)
    }

    // MARK: Tar

    /// Packs `names` of the temporary folder with the system's tar.
    private func tar(_ options: String..., names: [String], to archive: String) throws -> String {
        try run("tar", options + ["-C", folder.path, "-cf", "\(folder.path)/\(archive)"] + names)
        return "\(folder.path)/\(archive)"
    }

    @Test("tar.gz and tar.zst are read", arguments: [("--gzip", "a.tgz"), ("--zstd", "a.tar.zst")])
    func tar(option: String, name: String) throws {
        try folder.write("site/index.html", "hello".utf8)
        try folder.write("site/ä/日本語.txt", [UInt8](repeating: 7, count: 700_000))
        let expected = ["index.html": Data("hello".utf8), "ä/日本語.txt": Data(repeating: 7, count: 700_000)]
        let archive = try tar(option, "--format=pax", names: ["site"], to: name)
        #expect(try contents(of: archive) == Dictionary(uniqueKeysWithValues: expected.map { ("site/\($0)", $1) }))
        // Packing the folder itself gives names with a leading `./`.
        try run("tar", [option, "--format=gnu", "-C", "\(folder.path)/site", "-cf", "\(folder.path)/dot-\(name)", "."])
        #expect(try contents(of: "\(folder.path)/dot-\(name)") == expected)
        // A truncation at any position is an error.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        for length in stride(from: 4, to: bytes.count - 1, by: max(1, bytes.count / 50)) {
            let cut = try folder.write("cut", bytes.prefix(length))
            expectRefusal(.truncated, .damaged, .notAnArchive, comment: "\(length)") { try contents(of: cut) }
        }
    }

    @Test("Links in a tar are rejected, and no files remain")
    func tarLinks() throws {
        try folder.write("site/a", "hello".utf8)
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/site/s", withDestinationPath: "a")
        expectRefusal(.specialFile) {
            try Unpacker(isDurable: false).unpack(
                tar("--gzip", names: ["site"], to: "s.tgz"), into: "\(folder.path)/out")
        }
        try FileManager.default.removeItem(atPath: "\(folder.path)/site/s")
        try FileManager.default.linkItem(atPath: "\(folder.path)/site/a", toPath: "\(folder.path)/site/h")
        expectRefusal(.specialFile) {
            try Unpacker(isDurable: false).unpack(
                tar("--gzip", names: ["site"], to: "h.tgz"), into: "\(folder.path)/out")
        }
        try FileManager.default.removeItem(atPath: "\(folder.path)/site/h")
        try #require(mkfifo("\(folder.path)/site/p", 0o600) == 0)
        expectRefusal(.specialFile) {
            try Unpacker(isDurable: false).unpack(
                tar("--gzip", names: ["site"], to: "p.tgz"), into: "\(folder.path)/out")
        }
        #expect(try folder.names() == ["h.tgz", "p.tgz", "s.tgz", "site", "site/a", "site/p"])
    }

    @Test("The same rules apply to names in a tar")
    func tarNames() throws {
        try folder.write("a", "hello".utf8)
        try folder.write("A", "hello".utf8)
        expectRefusal(.duplicateEntry) {
            try contents(of: tar("--gzip", "--hard-dereference", names: ["a", "a"], to: "1.tgz"))
        }
        expectRefusal(.duplicateEntry) { try contents(of: tar("--gzip", names: ["a", "A"], to: "2.tgz")) }
        expectRefusal(.unsafePath) {
            try contents(of: tar("--gzip", "-P", "--transform=s,^,../,", names: ["a"], to: "3.tgz"))
        }
        expectRefusal(.unsafePath) {
            try contents(of: tar("--gzip", "-P", "--transform=s,^,/tmp/,", names: ["a"], to: "4.tgz"))
        }
    }

    @Test("Limits are enforced while the bytes of a tar are read")
    func tarLimits() throws {
        try folder.write("zeros", [UInt8](repeating: 0, count: 3 << 20))
        let archive = try tar("--gzip", names: ["zeros"], to: "z.tgz")
        expectRefusal(.tooLarge) { try contents(of: archive) }
        #expect(try contents(of: archive, limits: ArchiveLimits(maxRatio: 2_000))["zeros"]?.count == 3 << 20)
        expectRefusal(.tooLarge) {
            try contents(of: archive, limits: ArchiveLimits(maxTotalBytes: 1 << 20, maxRatio: 2_000))
        }
        expectRefusal(.tooMany) { try contents(of: archive, limits: ArchiveLimits(maxEntries: 0, maxRatio: 2_000)) }
        // The archive is compressed twice.
        try run("gzip", ["-k", archive])
        expectRefusal { try contents(of: archive + ".gz", limits: ArchiveLimits(maxRatio: 100_000)) }
    }
}

/// Runs a program of the system and waits for its end.
func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(program) \(arguments.joined(separator: " "))")
}
