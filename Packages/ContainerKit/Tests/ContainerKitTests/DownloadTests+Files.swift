// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Dispatch
import Foundation
import ResourceLoading
import Testing

@testable import ContainerKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// How files come to their names.
extension DownloadTests {
    @Test("Each way to a name leaves what is there", arguments: DownloadNaming.allCases)
    func namings(naming: DownloadNaming) async throws {
        let journal = DownloadJournal(directory: fixture.folder)
        for name in ["a.txt", "a (1).txt", "a (2).txt"] {
            let place = try DownloadPlace(.saveAs(path: folder + "/a.txt"), suggested: "")
            let file = try await DownloadFile.make(at: place, journal: journal, namings: [naming])
            try await file.write(.bytes(Data(name.utf8)), limit: 100) { _ in }
            let saved = try await file.finish(limit: 100)
            #expect(saved.path == folder + "/" + name && saved.bytes == name.utf8.count)
        }
        #expect(left == ["a (1).txt", "a (2).txt", "a.txt"])
        for name in left { #expect(content(name) == name) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/downloads").isEmpty)
    }

    enum Held: CaseIterable { case empty, full, renamed, absent }

    @Test("An empty file that held a name for what never came is removed, and no other", arguments: Held.allCases)
    func held(held: Held) throws {
        try FileManager.default.createDirectory(atPath: fixture.folder + "/store", withIntermediateDirectories: true)
        let journal = DownloadJournal(directory: fixture.folder + "/store")
        let token = DownloadJournal.token()
        let work = folder + "/" + DownloadJournal.folderName(token)
        try journal.add(token, work)
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
        if held != .renamed { try Data("whole".utf8).write(to: URL(fileURLWithPath: work + "/data")) }
        try journal.hold("a", for: token)
        try journal.hold("b", for: token)
        // The first name was another's in the end.
        for name in ["a", "b", "c"] where name != "b" || held != .absent {
            try Data(held == .full ? "text".utf8 : "".utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        }
        journal.sweep(token)
        #expect(left == (held == .full || held == .renamed ? ["a", "b", "c"] : ["a", "c"]))
    }

    // MARK: Kills

    private nonisolated static func content(_ number: Int) -> Data {
        Data((0..<(number * 7_919 % 300_000 + 1)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ number) })
    }

    /// Saves one file after the other, until the process is killed.
    private nonisolated static func work(in folder: String, from first: Int, microseconds: Int) async throws {
        DispatchQueue(label: "end").asyncAfter(deadline: .now() + .microseconds(microseconds)) {
            kill(getpid(), SIGKILL)
        }
        let journal = DownloadJournal(directory: folder)
        for number in first... {
            let place = try DownloadPlace(.saveAs(path: "\(folder)/saved/\(number)"), suggested: "")
            let naming = DownloadNaming.allCases[number % 3]
            let file = try await DownloadFile.make(at: place, journal: journal, namings: [naming])
            try await file.write(.bytes(content(number)), limit: .max) { _ in }
            _ = try await file.finish(limit: .max)
        }
    }

    @Test("A kill at any time leaves whole files under their names, and what the next launch finds and removes")
    func kills() async throws {
        let foreign = DownloadJournal.folderName(DownloadJournal.token())
        for path in [foreign + "/data", "notes.part"] {
            let file = URL(fileURLWithPath: folder + "/" + path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("ours".utf8).write(to: file)
        }
        var (next, parts) = (0, 0)
        for run in 0..<30 {
            let microseconds = 500 + run * 7_919 % 39_500
            await #expect(processExitsWith: .signal(SIGKILL), "run \(run)") {
                [folder = fixture.folder as String, first = next as Int, microseconds = microseconds as Int] in
                try await DownloadTests.work(in: folder, from: first, microseconds: microseconds)
            }
            let before = try FileManager.default.contentsOfDirectory(atPath: folder)
            parts += before.count { $0.hasPrefix(".containerkit-") && $0 != foreign }
            await DownloadJournal(directory: fixture.folder).sweep()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let numbers = names.compactMap { Int($0) }
            #expect(Set(names) == Set(numbers.map { "\($0)" } + [foreign, "notes.part"]), "run \(run)")
            for number in numbers where number >= next {
                let found = FileManager.default.contents(atPath: "\(folder)/\(number)")
                #expect(found == Self.content(number), "run \(run): \(number)")
            }
            let notes = (try? FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/downloads")) ?? []
            #expect(notes.isEmpty, "run \(run)")
            next = (numbers.max() ?? -1) + 1
        }
        #expect(content(foreign + "/data") == "ours" && content("notes.part") == "ours")
        // Else no run was in the middle of anything.
        #expect(parts > 5, "\(parts) files cut off, \(next) whole")
    }
}
