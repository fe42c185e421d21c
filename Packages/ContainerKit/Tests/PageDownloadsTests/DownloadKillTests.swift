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

/// The files that remain after a process is killed.
@MainActor
@Suite("Downloads of killed processes", .timeLimit(.minutes(1)))
struct DownloadKillTests {
    private let folder: SavedFolder

    init() throws {
        folder = try SavedFolder()
    }

    /// The step at which the process is killed.
    enum Step: String, Codable, CaseIterable {
        case noted, made, writing, written, nameNoted, nameHeld, linked, renamed, replaced, saved

        /// The file at the destination after the kill, besides the folder of the partial file.
        var file: String? {
            switch self {
            case .noted, .made, .writing, .written, .nameNoted: nil
            case .nameHeld: "placeholder"
            case .linked, .renamed, .replaced, .saved: "whole"
            }
        }
        var hasFolder: Bool { self != .noted && self != .saved }
    }

    private nonisolated static func end() { kill(getpid(), SIGKILL) }

    private nonisolated static func work(in folder: String, until step: Step) async throws {
        let journal = DownloadJournal(directory: folder)
        let target = folder + "/saved/a"
        if step == .noted {
            let token = DownloadJournal.token()
            try journal.add(token, "\(folder)/saved/" + DownloadJournal.folderName(token))
            end()
        }
        let file = try await DownloadFile.make(
            at: DownloadPlace(.saveAs(path: target), suggested: ""), journal: journal)
        if step == .made { end() }
        try await file.write(.bytes(Data("whole".utf8)), limit: .max) { _ in
            if step == .writing { end() }
        }
        switch step {
        case .nameNoted, .nameHeld:
            _ = try DownloadNaming.hold.move(file.path, to: target) {
                try journal.hold("a", for: file.token)
                if step == .nameHeld { _ = try NameReservation.make(target, file.token) }
                end()
                return file.token
            }
        case .linked: _ = try DownloadNaming.link.move(file.path, to: target) { "" }
        case .renamed: _ = try DownloadNaming.rename.move(file.path, to: target) { "" }
        case .replaced:
            _ = try DownloadNaming.hold.move(file.path, to: target) {
                try journal.hold("a", for: file.token)
                return file.token
            }
        case .saved: _ = try await file.finish(limit: .max)
        default: break
        }
        end()
    }

    @Test(
        "A kill at any step leaves the complete file under its name, or files that the next launch removes",
        arguments: Step.allCases)
    func kills(step: Step) async throws {
        let foreign = DownloadJournal.folderName(DownloadJournal.token())
        for path in [foreign + "/data", "notes.part"] {
            let file = URL(fileURLWithPath: folder.path + "/" + path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("ours".utf8).write(to: file)
        }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [folder = folder.root.path as String, step = step as Step] in
            try await DownloadKillTests.work(in: folder, until: step)
        }
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(before.contains { $0.hasPrefix(".containerkit-") && $0 != foreign } == step.hasFolder)
        #expect(before.contains("a") == (step.file != nil))
        await DownloadJournal(directory: folder.root.path).sweep()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == Set([foreign, "notes.part"] + (step.file == "whole" ? ["a"] : [])))
        if step.file == "whole" { #expect(folder.content("a") == "whole") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root.path + "/downloads").isEmpty)
        #expect(folder.content(foreign + "/data") == "ours" && folder.content("notes.part") == "ours")
    }
}
