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

/// What pages save.
@MainActor
@Suite("What pages save", .timeLimit(.minutes(1)))
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
        change: (inout Container<FakeEngine>.Configuration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        let container = try await fixture.container(covering: ["a.example", "b.example"]) {
            $0.pageRequests.clock = clock
            change(&$0)
        }
        container.pageDelegate = delegate
        delegate.downloadAnswer = { [folder] in .save(folder: folder) }
        return container
    }

    /// What happened to downloads, one after the other.
    @MainActor
    final class Diary {
        private(set) var events: [DownloadEvent] = []
        private(set) var endings: [PageRequestRecord.Ending] = []
        private(set) var records: [RequestRecord] = []
        private let (changes, change) = AsyncStream<Void>.makeStream()

        init(_ container: Container<FakeEngine>) {
            container.observe { [weak self] event in
                switch event {
                case .download(_, let event): self?.events.append(event)
                case .pageRequest(_, let record): self?.endings.append(record.ending)
                case .request(let record): self?.records.append(record)
                default: return
                }
                self?.change.yield()
            }
        }

        func until(_ isSo: () -> Bool) async throws {
            while !isSo() {
                for await _ in changes { break }
                try Task.checkCancellation()
            }
        }

        /// The end of a number, once it is there.
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

    // MARK: The host's answer

    enum Host: CaseIterable { case none, silent, throwing, cancelling }

    @Test("Without a host that says where, nothing is saved", arguments: Host.allCases)
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
        try await diary.until { diary.endings.count == 1 }
        #expect(download.cancels == 1)
        #expect(download.path == nil)
        #expect(diary.events.isEmpty)
        #expect(left.isEmpty)
        #expect(container.counters.downloads.asked == (host == .none ? 0 : 1))
    }

    @Test("A host that does not answer is waited for until its limit, also while the page shows another document")
    func limit() async throws {
        let container = try await container()
        let diary = Diary(container)
        delegate.hangs = true
        defer { delegate.release() }
        let page = try await container.open("https://a.example/")
        let download = FakeDownload()
        page.view.onDownload?(.engine(download))
        for await _ in delegate.hanging { break }
        page.view.onSignal?(.committed(url: "containerkit://a.example/two"))
        #expect(diary.endings.isEmpty)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(60))
        try await diary.until { !diary.endings.isEmpty }
        #expect(diary.endings == [.timedOut])
        #expect(download.cancels == 1)
        #expect(left.isEmpty)
    }

    @Test("The host hears what is saved; the whole file is there under its name at the end, for its owner alone")
    func saved() async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        for number in 0..<2 {
            let download = FakeDownload("containerkit://a.example/x", name: "../../.a/..b?\u{202E}\u{0}.zip", length: 5)
            page.view.onDownload?(.engine(download))
            await download.started()
            #expect(
                left.filter { !$0.hasPrefix(".containerkit-") && $0.count != 32 } == (number == 0 ? [] : ["b_.zip"]))
            download.receive(3)
            try download.finish(Data("saved".utf8))
            let name = number == 0 ? "b_.zip" : "b_ (1).zip"
            #expect(try await diary.end(number) == .saved(path: folder + "/" + name, bytes: 5))
            #expect(content(name) == "saved")
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(download.cancels == 0)
        }
        #expect(left == ["b_ (1).zip", "b_.zip"])
        let request = try #require(delegate.downloads.first)
        #expect(request.url == "https://a.example/x")
        #expect(request.suggestedName == "b_.zip")
        #expect(request.mediaType == "application/zip")
        #expect(request.expectedBytes == 5)
        #expect(request.isUserGesture)
        #expect(request.page.documentURL == "https://a.example/")
        #expect(container.counters.downloads == DownloadCounters(asked: 2, saved: 2, savedBytes: 10))
        #expect(container.downloads.isEmpty)
    }

    @Test("A file that is there stays, unless the host says otherwise")
    func overwriting() async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/x"))
        for (number, overwrites) in [false, true].enumerated() {
            delegate.downloadAnswer = { [folder] in .saveAs(path: folder + "/x", overwrites: overwrites) }
            let download = FakeDownload()
            page.view.onDownload?(.engine(download))
            await download.started()
            #expect(content("x") == "old")
            try download.finish(Data("new".utf8))
            let name = overwrites ? "x" : "x (1)"
            #expect(try await diary.end(number) == .saved(path: folder + "/" + name, bytes: 3))
            #expect(content(name) == "new")
        }
        #expect(left == ["x", "x (1)"])
    }

    @Test("What is no place is refused", arguments: ["", "saved", "/nowhere/at/all/x", "/tmp/..", "/tmp/\u{0}x"])
    func places(path: String) async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        delegate.downloadAnswer = { .saveAs(path: path) }
        let download = FakeDownload()
        page.view.onDownload?(.engine(download))
        #expect(try await diary.code() == .destination)
        #expect(download.cancels == 1)
        #expect(container.counters.downloads.failed == 1)
        #expect(left.isEmpty)
    }

    // MARK: Limits

    @Test("What is too long, an error of the server, or has no space is not begun; what turns out so is given up")
    func sizes() async throws {
        struct Full: SpaceMeasuring {
            func availableBytes(at folder: String) throws -> Int64 { 50 }
        }
        let container = try await container {
            $0.downloads.byteLimit = 100
            $0.downloads.space = Full()
            $0.downloads.reserve = 0
        }
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        for (number, (download, code)) in [
            (FakeDownload(length: 101), DownloadError.Code.tooLarge), (FakeDownload(status: 404), .status),
            (FakeDownload(length: 60), .noSpace),
        ].enumerated() {
            page.view.onDownload?(.engine(download))
            #expect(try await diary.code(number) == code)
            #expect(download.cancels == 1)
            #expect(download.path == nil)
        }
        #expect(delegate.downloads.count == 1)
        let growing = FakeDownload()
        page.view.onDownload?(.engine(growing))
        await growing.started()
        growing.receive(101)
        #expect(try await diary.code(3) == .tooLarge)
        let lying = FakeDownload(length: 5)
        page.view.onDownload?(.engine(lying))
        await lying.started()
        try lying.finish(Data(count: 101))
        #expect(try await diary.code(4) == .tooLarge)
        // Of the container's own, too.
        fixture.network.put(.stream(ByteStream(AsyncThrowingStream { Data(count: 60) })), at: "https://a.example/long")
        page.view.onDownload?(.named(url: "containerkit://a.example/long", isUserGesture: false))
        #expect(try await diary.code(5) == .tooLarge)
        #expect(left.isEmpty)
    }

    @Test("A page has so many at a time, and all pages together so many")
    func counts() async throws {
        let container = try await container {
            $0.downloads.pageLimit = 2
            $0.downloads.limit = 3
            $0.pageRequests.waitingLimit = 8
        }
        delegate.hangs = true
        defer { delegate.release() }
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
        // What nobody had said yes to goes with its page.
        try await diary.until { diary.endings == [.pageGone, .pageGone] }
        #expect(all.map(\.cancels) == [1, 1, 1, 0, 1, 1])
    }

    // MARK: Ends

    enum End: CaseIterable { case engine, host, signOut, shutDown, silence, deafEngine }

    @Test("Whatever ends a download, nothing of it is left", arguments: End.allCases)
    func ends(end: End) async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        let download = FakeDownload(length: 10)
        page.view.onDownload?(.engine(download))
        await download.started()
        let id = try #require(container.downloads.first).id
        // It is the container's by now.
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

    @Test("What a process that was killed has left is removed by the next one, and nothing else")
    func journal() async throws {
        let directory = fixture.folder + "/store"
        try FileManager.default.createDirectory(
            atPath: directory + "/downloads", withIntermediateDirectories: true)
        let make = { (name: String) in
            let work = folder + "/" + name
            try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
            try Data("part".utf8).write(to: URL(fileURLWithPath: work + "/data.wkdownload"))
        }
        let (token, other, foreign) = (
            DownloadJournal.token(), DownloadJournal.token(), DownloadJournal.token()
        )
        let journal = DownloadJournal(directory: directory)
        try journal.add(token, folder + "/" + DownloadJournal.folderName(token))
        try make(DownloadJournal.folderName(token))
        // Another container's, what is none of that kind, and a link.
        try make(DownloadJournal.folderName(foreign))
        try make("mine")
        try journal.add(other, folder + "/mine")
        let linked = DownloadJournal.token()
        try journal.add(linked, folder + "/" + DownloadJournal.folderName(linked))
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/" + DownloadJournal.folderName(linked), withDestinationPath: folder + "/mine")
        // A note that was cut off, a folder that is not there now, and one in which there is what cannot be removed.
        let (cut, away, full) = (DownloadJournal.token(), DownloadJournal.token(), DownloadJournal.token())
        try journal.add(cut, folder + "/" + DownloadJournal.folderName(cut).dropLast())
        try journal.add(away, folder + "/away/" + DownloadJournal.folderName(away))
        try journal.add(full, folder + "/" + DownloadJournal.folderName(full))
        try make(DownloadJournal.folderName(full) + "/deep")
        for token in [token, other, linked, cut, away, full] { journal.sweep(token) }
        #expect(
            left
                == [
                    DownloadJournal.folderName(foreign), DownloadJournal.folderName(linked),
                    DownloadJournal.folderName(full), "mine",
                ].sorted() + [away, full].sorted())
        #expect(FileManager.default.fileExists(atPath: folder + "/mine/data.wkdownload"))
        // Whoever comes next tries again.
        try FileManager.default.removeItem(atPath: folder + "/" + DownloadJournal.folderName(full) + "/deep")
        try make("away/" + DownloadJournal.folderName(away))
        try await container().shutDown()
        #expect(
            left
                == [
                    DownloadJournal.folderName(foreign), DownloadJournal.folderName(linked), "away", "mine",
                ].sorted())
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/away").isEmpty)
    }

    // MARK: By the container itself

    @Test("What has a name of the container's goes the way of the page's requests: cookies, redirects, real URLs")
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
        // The page's own word for a name, and a document that is not rewritten.
        page.view.evaluation = { "\"called.html\"" }
        let html = "<a href='https://a.example/'>"
        fixture.network.put(.bytes(Data(html.utf8)), at: "https://a.example/page", [.contentType: "text/html"])
        page.view.onDownload?(.named(url: "containerkit://a.example/page", isUserGesture: true))
        #expect(try await diary.end(2) == .saved(path: folder + "/called.html", bytes: Int64(html.utf8.count)))
        #expect(content("called.html") == html)
    }

    @Test("A download whose answer does not come ends with its page, and after its limit", arguments: [true, false])
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

    @Test("A document that is to be saved is saved as it came, and asked for once; the engine gets one that it ignores")
    func diverted() async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        page.view.unshown = ["application/zip"]
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
        // What scripts ask for, and what frames cannot show, is theirs.
        let script = try await fixture.answer(to: "containerkit://a.example/touched", from: page.view, of: container)
        #expect(script.sink.fields[.contentType] == "text/html")
        let frame = try await fixture.answer(
            to: "containerkit://a.example/x.zip", .get, accept, from: page.view, of: container)
        #expect(frame.sink.fields[.contentType] == "application/zip")
        #expect(delegate.downloads.count == 3)
    }

    @Test("What a page began to save is not the next page's, whose view is the same")
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

    // MARK: Names

    @Test(
        "Names are safe",
        arguments: [
            ("a.txt", "a.txt"), ("../../etc/passwd", "passwd"), ("..\\x\\y.exe", "y.exe"), ("/", "download"),
            ("", "download"), ("...", "download"), (".bashrc", "bashrc"), (" . a . ", "a"), ("a\r\n\u{0}b", "ab"),
            ("invoice\u{202E}fdp.exe", "invoicefdp.exe"), ("a:b|c?d*e\"f<g>h", "a_b_c_d_e_f_g_h"), ("ü.pdf", "ü.pdf"),
            ("/\u{200D}../\u{200D}../\u{200C}etc/\u{200D}x.desktop", "x.desktop"), (".\u{200D}bashrc", "bashrc"),
            ("a/\u{301}b", "\u{301}b"), ("a\\\u{301}b", "\u{301}b"), (".\u{301}bashrc", "\u{301}bashrc"),
            ("a/\u{E0020}..\u{E0020}/\u{E007F}..", "download"),
            (".containerkit-x.part", "containerkit-x.part"), ("\u{FEFF}\u{200B}.x", "x"),
        ])
    func names(suggested: String, safe: String) {
        let name = SafeFileName.make(suggested)
        #expect(name == safe && !name.utf8.contains(UInt8(ascii: "/")) && name.utf8.first != UInt8(ascii: "."))
    }

    @Test("Names fit, with their endings")
    func longNames() {
        let long = SafeFileName.make(String(repeating: "ü", count: 3_000) + ".tar.gz")
        #expect(long.utf8.count <= 200 && long.hasSuffix("ü.gz"))
        #expect(SafeFileName.make(String(repeating: "x", count: 3_000)).utf8.count == 200)
        #expect(SafeFileName.make("a." + String(repeating: "x", count: 3_000)).utf8.count == 200)
        #expect(SafeFileName.make(nil) == "download")
        #expect(SafeFileName.numbered("a.zip", 2) == "a (2).zip")
        #expect(SafeFileName.numbered("a", 2) == "a (2)")
    }

    @Test(
        "Content-Disposition is read",
        arguments: [
            ("attachment", true, nil), ("inline; filename=a", false, "a"),
            ("ATTACHMENT ;FileName = \"a;b\\\"c\" ; x=y", true, "a;b\"c"),
            ("attachment; filename=x; filename*=UTF-8''%e2%82%ac.txt", true, "€.txt"),
            ("attachment; filename*=iso-8859-1'en'%A3.txt; filename=x", true, "£.txt"),
            ("attachment; filename*=UTF-8''%ff; filename=x", true, "x"), ("attachment; filename*=UTF-8''%e", true, nil),
            ("", false, nil), ("attachment; filename=\"", true, "\""), (";;;=;filename", false, nil),
        ] as [(String, Bool, String?)])
    func dispositions(field: String, isAttachment: Bool, name: String?) {
        let read = ContentDisposition(field)
        #expect(read.isAttachment == isAttachment)
        #expect(read.fileName == name)
        #expect(ContentDisposition(field + String(repeating: " ", count: 9_000)) == ContentDisposition(nil))
    }
}
