// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import PackageFormat
internal import PackagePublisher
internal import WebEngine
internal import WebKitGTKAdapter

// Downloads of pages.
extension EngineCheck {
    /// Checks files of all kinds without a delegate, and with delegates that choose a destination or cancel.
    @MainActor
    func checkDownloads(_ mode: String?, in folder: String) async throws {
        guard let mode = mode.flatMap(InterceptionMode.init(rawValue:)) else {
            throw CheckFailure(description: "specify a mode")
        }
        let site = try await DownloadSite.start(for: mode)
        let container = try await Container(
            engine: WebKitGTKEngine(), configuration: site.configuration(mode, in: folder))
        let target = folder + "/saved"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let host = SavingHost(container, in: target)
        let page = try await open(site.home + "/", in: container)
        // Without a delegate, no destination is chosen.
        for script in ["document.getElementById('plain').click()", "location.assign('/attached')"] {
            _ = try await page.view.evaluate(script, in: .page)
            try expect(await host.nextAnswer() == .noDelegate, "\(script): it was requested")
        }
        container.pageDelegate = host
        try await checkKinds(page, site, host, isScheme: mode == .customScheme)
        try await checkFailures(page, container, host)
        try await checkBig(page, host)
        if mode != .plain { try await checkPackaged(container, host, in: folder) }
        // The download and the page do not depend on each other.
        let late = try await begin("late", in: page, host)
        await container.close(page)
        site.release()
        try expectSaved(await host.end(of: late.id), "late.bin", DownloadSite.binary, "of a page that is closed")
        let left = try FileManager.default.contentsOfDirectory(atPath: target)
        try expect(left == ["late.bin"], "files are left: \(left)")
        try expect(container.downloads.isEmpty, "downloads are left")
        let journal = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/store/downloads")) ?? []
        try expect(journal.isEmpty, "the journal has \(journal)")
        await container.shutDown()
        await site.stop()
    }

    @MainActor
    private func checkKinds(
        _ page: Page<WebKitGTKView>, _ site: DownloadSite, _ host: SavingHost, isScheme: Bool
    ) async throws {
        let hostile = isScheme ? "evil.txt" : "_ev_il.txt"
        let cookie = Data("cookie: who=me".utf8)
        let click = { (id: String) in "document.getElementById('\(id)').click()" }
        let posted = """
            const form = document.createElement('form');
            document.body.append(Object.assign(form, {action: '/posted', method: 'post'}));
            form.append(Object.assign(document.createElement('input'), {name: 'a', value: 'b'}));
            form.submit()
            """
        let frame = "document.body.append(Object.assign(document.createElement('iframe'), {src: '/attached'}))"
        for (script, path, name, bytes) in [
            (click("plain"), "/plain", "plain.bin", cookie),
            (click("plain"), "/plain", "plain (1).bin", cookie),
            (click("binary"), "/binary", "binary.bin", DownloadSite.binary),
            (click("moved"), "/moved", "moved.bin", DownloadSite.binary),
            (click("hostile"), "/hidden", hostile, DownloadSite.binary),
            ("location.assign('/attached')", "/attached", "réport.html", Data(DownloadSite.attached.utf8)),
            (frame, "/attached", "réport (1).html", Data(DownloadSite.attached.utf8)),
            (posted, "/posted", "posted.txt", Data("POST a=b".utf8)),
            ("location.assign('/binary')", "/binary", "binary", DownloadSite.binary),
            (click("data"), "", "data.txt", Data("saved".utf8)),
            (click("blob"), "", "blob.bin", DownloadSite.binary),
        ] {
            let before = site.count(path)
            _ = try await page.view.evaluate(script, in: .page)
            try expect(await host.nextAnswer() == .answered, script)
            let request = try await host.nextRequest()
            try expect(
                request.page.documentURL == site.home + "/"
                    && (request.isUserGesture || [frame, posted].contains(script)),
                "\(script): \(request)")
            if !path.isEmpty {
                let url = script == click("moved") && !isScheme ? "/binary" : path
                try expect(request.url == site.home + url, "\(script): \(request.url)")
                try expect(site.count(path) == before + 1, "\(script): requested \(site.count(path) - before) times")
            }
            try expectSaved(await host.end(of: request.id), name, bytes, script)
            // The page has not navigated.
            let title = try await page.view.evaluate("return document.title", in: .page)
            try expect(title == "\"home\"", "\(script): the page is \(title)")
        }
        for name in [
            "posted.txt", "plain.bin", "plain (1).bin", "binary.bin", "moved.bin", hostile, "binary", "data.txt",
            "blob.bin",
        ] {
            try FileManager.default.removeItem(atPath: host.folder + "/" + name)
        }
        for name in ["réport.html", "réport (1).html"] {
            try FileManager.default.removeItem(atPath: host.folder + "/" + name)
        }
    }

    /// Checks a missing file, a response that breaks off, a cancelled download, and downloads without a destination.
    @MainActor
    private func checkFailures(
        _ page: Page<WebKitGTKView>, _ container: Container<WebKitGTKEngine>, _ host: SavingHost
    ) async throws {
        _ = try await page.view.evaluate("document.getElementById('none').click()", in: .page)
        guard case .failed(let refused) = await host.nextEnd() else { throw CheckFailure(description: "404 is saved") }
        try expect(refused.code == .status, "404: \(refused)")
        let half = try await begin("half", in: page, host)
        guard case .failed(let broken) = await host.end(of: half.id) else {
            throw CheckFailure(description: "a partial file is saved")
        }
        try expect(broken.code == .loadFailed, "half: \(broken)")
        let endless = try await begin("endless", in: page, host)
        var seen: [Int64] = []
        for await progress in container.downloadProgress(of: endless.id) {
            seen.append(progress.received)
            try expect(progress.expected == 1 << 20, "expected: \(progress)")
            if progress.received > 0 { container.cancelDownload(endless.id) }
        }
        try expect(seen.last ?? 0 > 0, "progress: \(seen)")
        guard case .failed(let cancelled) = await host.end(of: endless.id) else {
            throw CheckFailure(description: "a cancelled file is saved")
        }
        try expect(cancelled.code == .cancelled, "cancelled: \(cancelled)")
        host.answer = { _ in .save(folder: "/nowhere/at/all") }
        let nowhere = try await begin("binary", in: page, host)
        guard case .failed(let misplaced) = await host.end(of: nowhere.id) else {
            throw CheckFailure(description: "a file is saved without a destination")
        }
        try expect(misplaced.code == .destination, "nowhere: \(misplaced)")
        host.answer = { _ in .cancel }
        _ = try await begin("binary", in: page, host)
        host.answer = nil
        let left = try FileManager.default.contentsOfDirectory(atPath: host.folder)
        try expect(left.isEmpty, "files are left: \(left)")
    }

    /// Checks that a download of 50 MB needs little memory in this process.
    @MainActor
    private func checkBig(_ page: Page<WebKitGTKView>, _ host: SavingHost) async throws {
        let before = try familyMemory().own
        let big = try await begin("big", in: page, host)
        guard case .saved(let path, let bytes) = await host.end(of: big.id) else {
            throw CheckFailure(description: "the big file is not saved")
        }
        let growth = try familyMemory().own - before
        print(String(format: "memory of this process: %+.1f MB after %.1f MB", growth, Double(bytes) / 1e6))
        // The limit allows for buffers and freed memory, because the loopback proxy and a server may run in this
        // process.
        try expect(growth < 40, "memory grows by \(growth) MB")
        try expect(bytes == DownloadSite.bigPieces * DownloadSite.piece.count, "big: \(bytes) bytes")
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        for number in 0..<DownloadSite.bigPieces {
            try expect(try file.read(upToCount: DownloadSite.piece.count) == DownloadSite.piece, "big: piece \(number)")
        }
        try file.close()
        try FileManager.default.removeItem(atPath: path)
    }

    /// Checks the download of a package's file while its server is unreachable.
    @MainActor
    private func checkPackaged(
        _ container: Container<WebKitGTKEngine>, _ host: SavingHost, in folder: String
    ) async throws {
        let site = folder + "/guide"
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        try Data("<title>guide</title><a id=guide download href='guide.bin'>x</a>".utf8)
            .write(to: URL(fileURLWithPath: site + "/index.html"))
        try DownloadSite.binary.write(to: URL(fileURLWithPath: site + "/guide.bin"))
        let package = try PackageBuilder().build(
            site, id: PackageID("guide"), version: PackageVersion("1"),
            baseURL: PackageBaseURL("https://guide.example/"), output: folder + "/packages")
        try await container.install(archive: package.archive, manifest: package.manifest)
        let page = try await open("https://guide.example/index.html", in: container)
        let guide = try await begin("guide", in: page, host)
        try expectSaved(await host.end(of: guide.id), "guide.bin", DownloadSite.binary, "of a package")
        try FileManager.default.removeItem(atPath: host.folder + "/guide.bin")
        await container.close(page)
    }

    /// Clicks on a link and returns the request that the host receives.
    @MainActor
    func begin(_ id: String, in page: Page<WebKitGTKView>, _ host: SavingHost) async throws -> DownloadRequest {
        _ = try await page.view.evaluate("document.getElementById('\(id)').click()", in: .page)
        try expect(await host.nextAnswer() == .answered, id)
        return try await host.nextRequest()
    }

    func expectSaved(_ stage: DownloadEvent.Stage?, _ name: String, _ bytes: Data, _ what: String) throws {
        guard case .saved(let path, let count) = stage else {
            throw CheckFailure(description: "\(what): \(String(describing: stage))")
        }
        try expect(path.hasSuffix("/saved/" + name), "\(what): \(path)")
        try expect(count == bytes.count && FileManager.default.contents(atPath: path) == bytes, "\(what): other bytes")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        try expect(mode == 0o600, "\(what): mode \(String(mode ?? 0, radix: 8))")
    }
}

/// A delegate that saves all downloads, or as configured.
@MainActor
final class SavingHost: PageDelegate {
    let folder: String
    var answer: ((DownloadRequest) -> DownloadDecision)?
    private let (asked, ask) = AsyncStream<DownloadRequest>.makeStream()
    private let (answers, endings) = AsyncStream<PageRequestEnding>.makeStream()
    private let (ends, end) = AsyncStream<DownloadEvent>.makeStream()

    init(_ container: Container<WebKitGTKEngine>, in folder: String) {
        self.folder = folder
        let events = container.events
        Task { [endings, end] in
            for await event in events {
                switch event {
                case .pageRequest(_, let record): endings.yield(record.ending)
                case .download(_, let event) where event.stage != .began: end.yield(event)
                default: break
                }
            }
        }
    }

    func download(_ request: DownloadRequest) async throws -> DownloadDecision {
        ask.yield(request)
        return answer?(request) ?? .save(folder: folder)
    }

    func nextRequest() async throws -> DownloadRequest {
        for await request in asked { return request }
        throw CancellationError()
    }

    func nextAnswer() async -> PageRequestEnding? {
        for await ending in answers { return ending }
        return nil
    }

    func nextEnd() async -> DownloadEvent.Stage? {
        for await event in ends { return event.stage }
        return nil
    }

    func end(of id: DownloadID) async -> DownloadEvent.Stage? {
        for await event in ends where event.request.id == id { return event.stage }
        return nil
    }
}
