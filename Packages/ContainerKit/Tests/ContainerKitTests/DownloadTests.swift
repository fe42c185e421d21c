// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTypes
import OfflinePackage
import ResourceLoading
import SchemeRouter
import Testing
import WebEngineTesting

@testable import ContainerKit
@testable import PageDownloads

/// Downloads of pages in a container.
@MainActor
@Suite("Downloads in a container", .timeLimit(.minutes(1)))
struct DownloadTests {
    let fixture = Fixture()
    let clock = ManualClock()
    let delegate = RecordedDelegate()
    let folder: String

    init() throws {
        folder = fixture.folder + "/saved"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func container(
        change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        let container = try await fixture.container(covering: ["a.example", "b.example"]) {
            $0.clock = clock
            change(&$0)
        }
        container.pageDelegate = delegate
        delegate.downloadAnswer = { [folder] in .save(folder: folder) }
        return container
    }

    /// The events of downloads, in order.
    @MainActor
    final class Diary {
        private(set) var events: [DownloadEvent] = []
        private(set) var endings: [PageRequestEnding] = []
        private(set) var records: [RequestRecord] = []

        init(_ container: Container<FakeEngine>) {
            container.hub.observe { [weak self] event in
                switch event {
                case .download(_, let event): self?.events.append(event)
                case .pageRequest(_, let record): self?.endings.append(record.ending)
                case .request(let record): self?.records.append(record)
                default: break
                }
            }
        }

        /// Waits for the end of a download, by its index, and returns it.
        func end(_ number: Int = 0) async throws -> DownloadEvent.Stage {
            let ends = { self.events.map(\.stage).filter { $0 != .began } }
            try await until { ends().count > number }
            return ends()[number]
        }

        func code(_ number: Int = 0) async throws -> DownloadError.Code? {
            if case .failed(let error) = try await end(number) { error.code } else { nil }
        }
    }

    var left: [String] {
        [folder, fixture.folder + "/store/downloads"].flatMap {
            ((try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? []).sorted()
        }
    }

    func content(_ name: String) -> String? {
        FileManager.default.contents(atPath: folder + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Decisions of the host

    enum Host: CaseIterable { case none, silent, throwing, cancelling }

    @Test("Without a destination from the host, no file is saved", arguments: Host.allCases)
    func defaults(host: Host) async throws {
        @MainActor
        final class Silent: PageDelegate {}
        let silent = Silent()
        let container = try await container()
        let diary = Diary(container)
        switch host {
        case .none: container.pageDelegate = nil
        case .silent: container.pageDelegate = silent
        case .throwing: delegate.downloadAnswer = { throw RecordedDelegate.Refusal() }
        case .cancelling: delegate.downloadAnswer = { .cancel }
        }
        let page = try await container.open("https://a.example/")
        let download = FakeDownload()
        page.view.onDownload?(.engine(download))
        try await until { diary.endings.count == 1 }
        #expect(download.cancels == 1)
        #expect(download.path == nil)
        #expect(diary.events.isEmpty)
        #expect(left.isEmpty)
        #expect(container.counters.downloads.decisionRequests == (host == .none ? 0 : 1))
    }

    @Test("The wait for a host that does not answer ends at its limit, even if the page navigates meanwhile")
    func limit() async throws {
        let container = try await container()
        let diary = Diary(container)
        delegate.gate.close()
        defer { delegate.gate.open() }
        let page = try await container.open("https://a.example/")
        let download = FakeDownload()
        page.view.onDownload?(.engine(download))
        for await _ in delegate.gate.arrivals { break }
        page.view.onSignal?(.committed(url: "containerkit://a.example/two"))
        #expect(diary.endings.isEmpty)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(60))
        try await until { !diary.endings.isEmpty }
        #expect(diary.endings == [.timedOut])
        #expect(download.cancels == 1)
        #expect(left.isEmpty)
    }

    // MARK: Limits

    @Test("The number of downloads is limited, for each page and for all pages together")
    func counts() async throws {
        let container = try await container {
            $0.pages.downloads.pageLimit = 2
            $0.pages.downloads.limit = 3
            $0.pages.requests.waitingLimit = 8
        }
        delegate.gate.close()
        defer { delegate.gate.open() }
        let diary = Diary(container)
        let first = try await container.open("https://a.example/")
        let second = try await container.open("https://a.example/")
        let all = (0..<6).map { _ in FakeDownload() }
        for (number, download) in all.enumerated() {
            (number < 3 ? first : second).view.onDownload?(.engine(download))
        }
        #expect(all.map(\.cancels) == [0, 0, 1, 0, 1, 1])
        #expect(try await diary.code(2) == .tooMany)
        #expect(container.counters.downloads.refused == 3)
        await container.close(first)
        // Downloads without a decision end with their page.
        try await until { diary.endings == [.pageGone, .pageGone] }
        #expect(all.map(\.cancels) == [1, 1, 1, 0, 1, 1])
    }

    // MARK: Ends

    enum End: CaseIterable { case engine, host, signOut, shutDown, silence, deafEngine }

    @Test("No part of an incomplete download remains, whatever ends it", arguments: End.allCases)
    func ends(end: End) async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        let download = FakeDownload(length: 10)
        page.view.onDownload?(.engine(download))
        await download.started()
        let id = try #require(container.downloads.first).id
        // The download no longer depends on its page.
        await container.close(page)
        var progress = container.downloadProgress(of: id).makeAsyncIterator()
        #expect(await progress.next() == DownloadProgress(received: 0, expected: 10))
        download.receive(3)
        download.receive(4)
        #expect(await progress.next() == DownloadProgress(received: 4, expected: 10))
        switch end {
        case .engine: download.fail()
        case .host: container.cancelDownload(id)
        case .signOut: try await container.signOut()
        case .shutDown: await container.shutDown()
        case .silence:
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(60))
        case .deafEngine:
            download.endsWhenCancelled = false
            container.cancelDownload(id)
            await clock.sleepers(atLeast: 2)
            clock.advance(by: .seconds(5))
        }
        let codes: [End: DownloadError.Code] = [.engine: .loadFailed, .silence: .timedOut]
        #expect(try await diary.code() == codes[end] ?? .cancelled)
        #expect(download.cancels == (end == .engine ? 0 : 1))
        #expect(await progress.next() == nil)
        #expect(left.isEmpty)
        #expect(container.downloads.isEmpty)
        var over = container.downloadProgress(of: id).makeAsyncIterator()
        #expect(await over.next() == nil)
    }

    // MARK: Requests of the container

    @Test("A custom-scheme download is requested like the page's requests: cookies, redirects, real URLs")
    func named() async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        fixture.network.put(.bytes(Data()), at: "https://a.example/", [.setCookie: "who=me; Path=/"])
        _ = try await fixture.answer(
            to: "containerkit://a.example/", from: page.view, isMainDocument: true, of: container)
        fixture.network.put(
            .bytes(Data("bytes".utf8)), at: "https://files.example/x",
            [.contentDisposition: "attachment; filename=\"one; two.txt\"", .contentType: "text/plain"])
        page.view.onDownload?(
            .named(url: "containerkit://a.example/to/https://files.example/x", isUserGesture: true))
        #expect(try await diary.end() == .saved(path: folder + "/one; two.txt", bytes: 5))
        #expect(
            fixture.network.urls.suffix(2) == [
                "https://a.example/to/https://files.example/x", "https://files.example/x",
            ])
        let cookies = fixture.network.requests.withLock { $0.suffix(2).map { $0.headerFields[.cookie] } }
        #expect(cookies == ["who=me", nil])
        let site = try #require(HTTPField.Name("Sec-Fetch-Site"))
        let sites = fixture.network.requests.withLock { $0.suffix(2).map { $0.headerFields[site] } }
        #expect(sites == ["same-origin", "cross-site"])
        #expect(delegate.downloads.first?.url == "https://a.example/to/https://files.example/x")
        page.view.onDownload?(.named(url: "containerkit://a.example/to/http://files.example/x", isUserGesture: true))
        #expect(try await diary.code(1) == .loadFailed)
        // The file name comes from the page, and the document is not rewritten.
        page.view.evaluation = { "\"called.html\"" }
        let html = "<a href='https://a.example/'>"
        fixture.network.put(.bytes(Data(html.utf8)), at: "https://a.example/page", [.contentType: "text/html"])
        page.view.onDownload?(.named(url: "containerkit://a.example/page", isUserGesture: true))
        #expect(try await diary.end(2) == .saved(path: folder + "/called.html", bytes: Int64(html.utf8.count)))
        #expect(content("called.html") == html)
    }

    @Test("A download without a response ends with its page, or at its limit", arguments: [true, false])
    func unanswered(isClosed: Bool) async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        page.view.onDownload?(.named(url: "containerkit://a.example/endless", isUserGesture: true))
        await clock.sleepers(atLeast: 1)
        if isClosed { await container.close(page) } else { clock.advance(by: .seconds(60)) }
        #expect(try await diary.code() == (isClosed ? .cancelled : .timedOut))
        #expect(delegate.downloads.isEmpty)
        for await _ in fixture.network.endings { break }
    }

    @Test("A document to be saved is saved unchanged and requested once; the engine gets a response that it ignores")
    func diverted() async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        page.view.undisplayableTypes = ["application/zip"]
        page.view.touched = ["containerkit://a.example/touched"]
        let html = "<a href='https://a.example/'>"
        let accept: HTTPFields = [.accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"]
        let attachment: HTTPFields = [.contentType: "text/html", .contentDisposition: "ATTACHMENT;filename=a.html"]
        fixture.network.put(.bytes(Data(html.utf8)), at: "https://a.example/touched", attachment)
        fixture.network.put(.bytes(Data("zip".utf8)), at: "https://a.example/x.zip", [.contentType: "application/zip"])
        for (number, (path, isMain, name)) in [
            ("touched", true, "a.html"), ("touched", false, "a (1).html"), ("x.zip", true, "x.zip"),
        ].enumerated() {
            let before = fixture.network.urls.count
            let answer = try await fixture.answer(
                to: "containerkit://a.example/\(path)", .get, accept, from: page.view, isMainDocument: isMain,
                of: container)
            #expect(answer.sink.fields[.contentType] == "application/octet-stream")
            #expect(answer.sink.body.isEmpty)
            let bytes = name == "x.zip" ? "zip" : html
            #expect(
                try await diary.end(number) == .saved(path: folder + "/" + name, bytes: Int64(bytes.utf8.count)))
            #expect(content(name) == bytes)
            #expect(fixture.network.urls.count == before + 1)
        }
        #expect(delegate.downloads.map(\.isUserGesture) == [true, true, false])
        // Script requests, and frames with a type that cannot be shown, are not downloads.
        let script = try await fixture.answer(to: "containerkit://a.example/touched", from: page.view, of: container)
        #expect(script.sink.fields[.contentType] == "text/html")
        let frame = try await fixture.answer(
            to: "containerkit://a.example/x.zip", .get, accept, from: page.view, of: container)
        #expect(frame.sink.fields[.contentType] == "application/zip")
        #expect(delegate.downloads.count == 3)
    }

    @Test("A download of a closed page does not belong to the next page in the same view")
    func laterPage() async throws {
        let container = try await fixture.container(covering: ["a.example"])
        let delegate = RecordedDelegate()
        container.pageDelegate = delegate
        let page = try await container.open("https://a.example/")
        let began = try #require(page.view.onDownload)
        await container.close(page)
        let next = try await container.open("https://a.example/")
        #expect(next.view === page.view)
        let download = FakeDownload()
        began(.engine(download))
        #expect(download.cancels == 1 && delegate.downloads.isEmpty)
        await container.shutDown()
    }
}
