// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import OfflinePackage
internal import WebEngine
internal import WebKitGTKAdapter

#if canImport(Glibc)
    internal import Glibc
#endif

// Downloads whose process or disk fails.
extension EngineCheck {
    func mode(_ arguments: [String]) throws -> InterceptionMode {
        guard let mode = arguments.dropFirst().first.flatMap(InterceptionMode.init(rawValue:)) else {
            throw CheckFailure(description: "specify a mode")
        }
        return mode
    }

    /// Kills the process during a download.
    @MainActor
    func checkDownloadKilled(_ mode: InterceptionMode, in folder: String) async throws {
        let site = try await DownloadSite.start(for: mode)
        let container = try await Container(
            engine: WebKitGTKEngine(), configuration: site.configuration(mode, in: folder))
        try FileManager.default.createDirectory(atPath: folder + "/saved", withIntermediateDirectories: true)
        let host = SavingHost(container, in: folder + "/saved")
        container.pageDelegate = host
        let page = try await open(site.home + "/", in: container)
        let endless = try await begin("endless", in: page, host)
        for await progress in container.downloadProgress(of: endless.id) where progress.received > 100_000 {
            kill(getpid(), SIGKILL)
        }
        throw CheckFailure(description: "the download ended before the process")
    }

    /// Checks the next launch: no file has the final name, and leftovers of the container are removed.
    @MainActor
    func checkDownloadAfterKill(_ mode: InterceptionMode, in folder: String) async throws {
        let (saved, journal) = (folder + "/saved", folder + "/store/downloads")
        let names = { (folder: String) in
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        }
        let tokens = try names(journal)
        try expect(tokens.count == 1, "notes: \(tokens)")
        let work = ".containerkit-\(tokens.first ?? "").part"
        try expect(try names(saved) == [work], "left by the kill: \(try names(saved))")
        let foreign = ".containerkit-\(String(repeating: "0", count: 32)).part"
        try FileManager.default.createDirectory(atPath: "\(saved)/\(foreign)", withIntermediateDirectories: true)
        for name in [foreign + "/data", "endless.bin.wkdownload", "mine.part"] {
            try Data("ours".utf8).write(to: URL(fileURLWithPath: "\(saved)/\(name)"))
        }
        let site = try await DownloadSite.start(for: mode)
        let container = try await Container(
            engine: WebKitGTKEngine(), configuration: site.configuration(mode, in: folder))
        let host = SavingHost(container, in: saved)
        container.pageDelegate = host
        let page = try await open(site.home + "/", in: container)
        let binary = try await begin("binary", in: page, host)
        try expectSaved(await host.end(of: binary.id), "binary.bin", DownloadSite.binary, "after the kill")
        await container.close(page)
        await container.shutDown()
        let left = try names(saved)
        try expect(left == [foreign, "binary.bin", "endless.bin.wkdownload", "mine.part"], "files: \(left)")
        try expect(try names("\(saved)/\(foreign)") == ["data"], "a foreign folder is emptied")
        try expect(try names(journal).isEmpty, "notes: \(try names(journal))")
        await site.stop()
    }

    /// Checks a disk that becomes full during a download, while another file is saved elsewhere.
    /// - Parameter disk: The path of a small file system.
    @MainActor
    func checkDownloadFull(_ mode: InterceptionMode, on disk: String, in folder: String) async throws {
        let site = try await DownloadSite.start(for: mode)
        var configuration = site.configuration(mode, in: folder)
        configuration.pages.downloads.reserve = 0
        let container = try await Container(engine: WebKitGTKEngine(), configuration: configuration)
        try FileManager.default.createDirectory(atPath: folder + "/saved", withIntermediateDirectories: true)
        let host = SavingHost(container, in: folder + "/saved")
        container.pageDelegate = host
        let page = try await open(site.home + "/", in: container)
        let late = try await begin("late", in: page, host)
        let before = try FileSystemSpace().availableBytes(at: disk)
        host.answer = { _ in .save(folder: disk) }
        let swelling = try await begin("swelling", in: page, host)
        guard case .failed(let full) = await host.end(of: swelling.id) else {
            throw CheckFailure(description: "the saved file exceeds the disk")
        }
        try expect(full.code == .noSpace, "full: \(full)")
        try expect(try FileManager.default.contentsOfDirectory(atPath: disk).isEmpty, "something is left")
        // The space is free when the engine's process has closed the removed file. The time limit of the check bounds
        // the wait.
        while try FileSystemSpace().availableBytes(at: disk) != before {
            try Task.checkCancellation()
            await Task.yield()
        }
        let title = try await page.view.evaluate("return document.title", in: .page)
        try expect(title == "\"home\"", "the page is \(title)")
        // A file that fits is saved to the disk, and the other download completes.
        let binary = try await begin("binary", in: page, host)
        let stage = await host.end(of: binary.id)
        try expect(
            stage == .saved(path: disk + "/binary.bin", bytes: Int64(DownloadSite.binary.count)),
            "then: \(String(describing: stage))")
        site.release()
        try expectSaved(await host.end(of: late.id), "late.bin", DownloadSite.binary, "during a full disk")
        await container.shutDown()
        await site.stop()
    }
}
