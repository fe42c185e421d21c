// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import ProgramTesting
import Testing

/// What people at a terminal see of long work, and what is left when they stop it.
@Suite("h5 at a terminal", .timeLimit(.minutes(2)))
struct TerminalTests {
    private let folder: TemporaryFolder
    private static let pack = ["pack", "site", "--id", "big", "--version", "1", "--base-url", "https://h.example/"]

    init() throws {
        folder = try TemporaryFolder()
        // Long work, and no room on the disk: a file of 900 MB that is all hole.
        try folder.write("site/big.bin", [])
        try folder.write("site/index.html", "<!doctype html>".utf8)
        try #require(truncate("\(folder.path)/site/big.bin", 900_000_000) == 0)
    }

    @Test("A signal ends the work, wipes the bar and leaves nothing; what was there stays")
    func interrupted() async throws {
        try folder.write("big-1.zip", "old".utf8)
        try folder.write("big-1.json", "old".utf8)
        let before = try folder.names()
        let run = try await Program("h5").runAtTerminal(Self.pack, in: folder.path) { shown in
            shown.contains("packing [") ? SIGINT : nil
        }
        // Of the signal, or with what a shell makes of it: the thread that ends the process may have it blocked.
        #expect([-SIGINT, 128 + SIGINT].contains(run.status))
        #expect(run.shown.contains(/packing \[[#.]{24}\] \d+ % of 900.0 MB/), "\(run.shown)")
        #expect(run.shown.contains("\r\u{1B}[Kerror: interrupted: "), "\(run.shown)")
        #expect(try folder.names() == before)
        #expect(try String(contentsOfFile: "\(folder.path)/big-1.zip", encoding: .utf8) == "old")
    }

    @Test("Without a terminal nothing is drawn")
    func piped() async throws {
        try FileManager.default.removeItem(atPath: "\(folder.path)/site/big.bin")
        let outcome = try await Program("h5").run(Self.pack, in: folder.path)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        // A terminal that cannot go back gets nothing either; and quick work nowhere.
        let dumb = try await Program("h5").runAtTerminal(Self.pack, in: folder.path, environment: ["TERM": "dumb"])
        #expect(dumb.status == 0 && dumb.shown.isEmpty)
    }
}
