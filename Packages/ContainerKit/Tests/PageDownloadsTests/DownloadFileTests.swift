// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ResourceLoading
import Testing

@testable import PageDownloads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Partial files, their names and the journal.
@MainActor
@Suite("Files of downloads", .timeLimit(.minutes(1)))
struct DownloadFileTests {
    private let folder: SavedFolder

    init() throws {
        folder = try SavedFolder()
    }

    @Test("Each naming leaves existing files in place", arguments: DownloadNaming.allCases)
    func namings(naming: DownloadNaming) async throws {
        let journal = DownloadJournal(directory: folder.root.path)
        for name in ["a.txt", "a (1).txt", "a (2).txt"] {
            let place = try DownloadPlace(.saveAs(path: folder.path + "/a.txt"), suggested: "")
            let file = try await DownloadFile.make(at: place, journal: journal, namings: [naming])
            try await file.write(.bytes(Data(name.utf8)), limit: 100) { _ in }
            let saved = try await file.finish(limit: 100)
            #expect(saved.path == folder.path + "/" + name && saved.bytes == name.utf8.count)
        }
        #expect(folder.left == ["a (1).txt", "a (2).txt", "a.txt"])
        for name in folder.left { #expect(folder.content(name) == name) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root.path + "/downloads").isEmpty)
    }

    enum Held: CaseIterable { case ours, empty, full, renamed, absent }

    @Test("Only the reservation of the file that never arrived is removed", arguments: Held.allCases)
    func held(held: Held) throws {
        let journal = DownloadJournal(directory: folder.store)
        let token = DownloadJournal.token()
        let work = folder.path + "/" + DownloadJournal.folderName(token)
        try journal.add(token, work)
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
        if held != .renamed { try Data("whole".utf8).write(to: URL(fileURLWithPath: work + "/data")) }
        try journal.hold("a", for: token)
        try journal.hold("b", for: token)
        let text = [.ours: token, .full: token + " and more", .renamed: "whole"][held] ?? ""
        // Another file has taken the first name.
        for name in ["a", "b", "c"] where name != "b" || held != .absent {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        journal.sweep(token)
        #expect(folder.left == (held == .ours || held == .absent ? ["a", "c"] : ["a", "b", "c"]))
    }

    @Test("A reservation that is not replaced is removed, unless another file has its name")
    func givenBack() throws {
        #expect(throws: DownloadError.self) {
            try DownloadNaming.hold.move(folder.path + "/none", to: folder.path + "/a") { "text" }
        }
        #expect(folder.left.isEmpty)
        let reservation = try #require(try NameReservation.make(folder.path + "/a", "text"))
        #expect(try NameReservation.make(folder.path + "/a", "text") == nil)
        try Data("text".utf8).write(to: URL(fileURLWithPath: folder.path + "/b"))
        #expect(rename(folder.path + "/b", folder.path + "/a") == 0)
        reservation.remove()
        #expect(folder.content("a") == "text")
    }

    @Test("A file whose folder another process has removed fails and leaves nothing")
    func swept() async throws {
        let journal = DownloadJournal(directory: folder.root.path)
        let place = try DownloadPlace(.saveAs(path: folder.path + "/a.txt"), suggested: "")
        let file = try await DownloadFile.make(at: place, journal: journal)
        try await file.write(.bytes(Data("text".utf8)), limit: 100) { _ in }
        await DownloadJournal(directory: folder.root.path).sweep()
        await #expect(throws: DownloadError.self) { try await file.finish(limit: 100) }
        await file.discard()
        #expect(folder.left.isEmpty)
    }

    @Test("A download removes its folder, whatever its journal entry contains", arguments: ["", "/other", nil])
    func discarded(note: String?) async throws {
        let journal = DownloadJournal(directory: folder.root.path)
        let place = try DownloadPlace(.saveAs(path: folder.path + "/a.txt"), suggested: "")
        let file = try await DownloadFile.make(at: place, journal: journal)
        try await file.write(.bytes(Data("text".utf8)), limit: 100) { _ in }
        let path = folder.root.path + "/downloads/" + file.token
        try FileManager.default.removeItem(atPath: path)
        if let note { try Data(note.utf8).write(to: URL(fileURLWithPath: path)) }
        await file.discard()
        #expect(folder.left.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root.path + "/downloads").isEmpty)
    }

    @Test("The next process removes the partial files of a killed process, and no other files")
    func journal() async throws {
        let directory = folder.store
        try FileManager.default.createDirectory(
            atPath: directory + "/downloads", withIntermediateDirectories: true)
        let make = { (name: String) in
            let work = folder.path + "/" + name
            try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
            try Data("part".utf8).write(to: URL(fileURLWithPath: work + "/data.wkdownload"))
        }
        let (token, other, foreign) = (
            DownloadJournal.token(), DownloadJournal.token(), DownloadJournal.token()
        )
        let journal = DownloadJournal(directory: directory)
        try journal.add(token, folder.path + "/" + DownloadJournal.folderName(token))
        try make(DownloadJournal.folderName(token))
        // A folder of another container, a folder of another kind, and a symbolic link.
        try make(DownloadJournal.folderName(foreign))
        try make("mine")
        try journal.add(other, folder.path + "/mine")
        let linked = DownloadJournal.token()
        try journal.add(linked, folder.path + "/" + DownloadJournal.folderName(linked))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/" + DownloadJournal.folderName(linked), withDestinationPath: folder.path + "/mine")
        // A truncated entry, an absent folder, and a folder that cannot be removed.
        let (cut, away, full) = (DownloadJournal.token(), DownloadJournal.token(), DownloadJournal.token())
        try journal.add(cut, folder.path + "/" + DownloadJournal.folderName(cut).dropLast())
        try journal.add(away, folder.path + "/away/" + DownloadJournal.folderName(away))
        try journal.add(full, folder.path + "/" + DownloadJournal.folderName(full))
        try make(DownloadJournal.folderName(full) + "/deep")
        for token in [token, other, linked, cut, away, full] { journal.sweep(token) }
        #expect(
            folder.left
                == [
                    DownloadJournal.folderName(foreign), DownloadJournal.folderName(linked),
                    DownloadJournal.folderName(full), "mine",
                ].sorted() + [away, full].sorted())
        #expect(FileManager.default.fileExists(atPath: folder.path + "/mine/data.wkdownload"))
        // The next process tries again.
        try FileManager.default.removeItem(atPath: folder.path + "/" + DownloadJournal.folderName(full) + "/deep")
        try make("away/" + DownloadJournal.folderName(away))
        await DownloadStage(folder).manager.shutDown()
        #expect(
            folder.left
                == [
                    DownloadJournal.folderName(foreign), DownloadJournal.folderName(linked), "away", "mine",
                ].sorted())
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/away").isEmpty)
    }
}
