// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ProgramTesting
import ResourceStore
import Testing

/// The progress output on a terminal, and the state after an interruption.
@Suite("h5 at a terminal", .timeLimit(.minutes(4)))
struct TerminalTests {
    private let folder: TemporaryFolder
    private static let pack = ["pack", "site", "--id", "big", "--version", "1", "--base-url", "https://h.example/"]

    init() throws {
        folder = try TemporaryFolder()
        // The site has a sparse file of 900 MB, so that the commands take long but need little disk space. The part
        // with data keeps the archive below the limit of the compression ratio.
        try folder.write("site/big.bin", [])
        try folder.write("site/index.html", "<!doctype html>".utf8)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(folder.path)/site/big.bin"))
        defer { try? file.close() }
        try file.truncate(atOffset: 900_000_000)
        var generator = SystemRandomNumberGenerator()
        for offset in stride(from: UInt64(0), to: 890_000_000, by: 128 << 10) {
            try file.seek(toOffset: offset)
            try file.write(
                contentsOf: Data((0..<128).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }))
        }
    }

    /// Runs a command that takes long, and interrupts it when its progress bar appears.
    private func expectBar(_ title: String, of total: String, _ arguments: String...) async throws {
        let bar = try Regex("\(title) \\[[#.]{24}\\] \\d+ % of \(total) MB")
        let run = try await Program("h5").runAtTerminal(arguments, in: folder.path) { shown in
            shown.contains("\(title) [") ? SIGINT : nil
        }
        #expect([-SIGINT, 128 + SIGINT].contains(run.status), "\(title): \(run.shown)")
        #expect(run.shown.contains(bar), "\(title): \(run.shown)")
        #expect(run.shown.contains("\r\u{1B}[Kerror: interrupted: "), "\(title): \(run.shown)")
    }

    @Test("verify and unpack show their progress, and leave no files if they are interrupted")
    func reading() async throws {
        let pack = try await Program("h5").run(Self.pack, in: folder.path)
        try #require(pack.status == 0, "\(pack.errors)")
        let before = try folder.names()
        try await expectBar("verifying", of: "900.0", "verify", "big-1.zip", "big-1.json")
        try await expectBar("verifying", of: "900.0", "verify", "big-1.zip")
        try await expectBar("unpacking", of: "900.0", "unpack", "big-1.zip", "--into", "there")
        #expect(try folder.names() == before)
    }

    @Test("store check shows its progress, and erases the progress bar before the result")
    func checking() async throws {
        do { _ = try BlobStore(directory: folder.path + "/store") }
        // These files do not match the digests in their names.
        for number in 10..<40 {
            let file = try folder.write("store/blobs/\(number)/\(String(repeating: "0", count: 62))", [])
            try #require(truncate(file, 30_000_000) == 0)
        }
        try await expectBar("checking", of: "900.0", "store", "check", "store")
        let run = try await Program("h5").runAtTerminal(["store", "check", "store"], in: folder.path)
        #expect(run.status == 65)
        #expect(run.shown.contains(/checking \[[#.]{24}\] \d+ % of 900.0 MB/), "\(run.shown)")
        #expect(run.shown.hasSuffix("\r\u{1B}[Kerror: damaged: the store is damaged (store)\r\n"), "\(run.shown)")
    }

    @Test("A signal ends the work and erases the bar; new files are removed, and existing files are unchanged")
    func interrupted() async throws {
        try folder.write("big-1.zip", "old".utf8)
        try folder.write("big-1.json", "old".utf8)
        let before = try folder.names()
        let run = try await Program("h5").runAtTerminal(Self.pack, in: folder.path) { shown in
            shown.contains("packing [") ? SIGINT : nil
        }
        // The status is the signal, or 128 plus the signal if the thread that ends the process blocks the signal.
        #expect([-SIGINT, 128 + SIGINT].contains(run.status))
        #expect(run.shown.contains(/packing \[[#.]{24}\] \d+ % of 900.0 MB/), "\(run.shown)")
        #expect(run.shown.contains("\r\u{1B}[Kerror: interrupted: "), "\(run.shown)")
        #expect(try folder.names() == before)
        #expect(try String(contentsOfFile: "\(folder.path)/big-1.zip", encoding: .utf8) == "old")
    }

    @Test("Without a terminal, no progress is drawn")
    func piped() async throws {
        try FileManager.default.removeItem(atPath: "\(folder.path)/site/big.bin")
        let outcome = try await Program("h5").run(Self.pack, in: folder.path)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        // A terminal that cannot return to the start of a line gets no output.
        let dumb = try await Program("h5").runAtTerminal(Self.pack, in: folder.path, environment: ["TERM": "dumb"])
        #expect(dumb.status == 0 && dumb.shown.isEmpty)
    }
}
