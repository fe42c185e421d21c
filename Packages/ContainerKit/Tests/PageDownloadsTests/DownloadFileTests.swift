// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
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

    enum Held: CaseIterable { case ours, empty, full, renamed, absent }

    @Test("A placeholder for what never came is removed, and nothing of another's", arguments: Held.allCases)
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
        let text = [.ours: token, .full: token + " and more", .renamed: "whole"][held] ?? ""
        // The first name was another's in the end.
        for name in ["a", "b", "c"] where name != "b" || held != .absent {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        }
        journal.sweep(token)
        #expect(left == (held == .ours || held == .absent ? ["a", "c"] : ["a", "b", "c"]))
    }

    @Test("A name that could not be used is given back, unless another file has taken it")
    func givenBack() throws {
        #expect(throws: DownloadError.self) {
            try DownloadNaming.hold.bring(folder + "/none", to: folder + "/a") { "text" }
        }
        #expect(left.isEmpty)
        let reservation = try #require(try NameReservation.make(folder + "/a", "text"))
        #expect(try NameReservation.make(folder + "/a", "text") == nil)
        try Data("text".utf8).write(to: URL(fileURLWithPath: folder + "/b"))
        #expect(rename(folder + "/b", folder + "/a") == 0)
        reservation.remove()
        #expect(content("a") == "text")
    }

    @Test("A file whose folder another process has swept fails, and leaves nothing")
    func swept() async throws {
        let journal = DownloadJournal(directory: fixture.folder)
        let place = try DownloadPlace(.saveAs(path: folder + "/a.txt"), suggested: "")
        let file = try await DownloadFile.make(at: place, journal: journal)
        try await file.write(.bytes(Data("text".utf8)), limit: 100) { _ in }
        await DownloadJournal(directory: fixture.folder).sweep()
        await #expect(throws: DownloadError.self) { try await file.finish(limit: 100) }
        await file.discard()
        #expect(left.isEmpty)
    }

    @Test("A download removes its own, whatever has become of its note", arguments: ["", "/other", nil])
    func discarded(note: String?) async throws {
        let journal = DownloadJournal(directory: fixture.folder)
        let place = try DownloadPlace(.saveAs(path: folder + "/a.txt"), suggested: "")
        let file = try await DownloadFile.make(at: place, journal: journal)
        try await file.write(.bytes(Data("text".utf8)), limit: 100) { _ in }
        let path = fixture.folder + "/downloads/" + file.token
        try FileManager.default.removeItem(atPath: path)
        if let note { try Data(note.utf8).write(to: URL(fileURLWithPath: path)) }
        await file.discard()
        #expect(left.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/downloads").isEmpty)
    }
}
