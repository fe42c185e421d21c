// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

/// The double ends the process if a completion handler is called twice, or is released without a call.
@MainActor
@Suite("Downloads", .timeLimit(.minutes(1)))
struct DownloadTests {
    private let clock = ManualClock()
    private let setup: ForwardingDelegate
    private let folder: TemporaryFolder
    private let offers = OfferList()
    private var downloads: WKWebViewDownloads { setup.downloads }
    private var path: String { "\(folder.path)/file" }

    /// The downloads that the app received. A test that removes them releases them.
    private final class OfferList {
        var engine: [any EngineDownload] = []
        var named: [String] = []
        var gestures: [Bool] = []
    }

    /// The signals of a download.
    private final class SignalList {
        var received: [Int64] = []
        var finishes = 0
        var failures: [EngineError] = []
        var ends: Int { finishes + failures.count }

        func receive(_ signal: EngineDownloadSignal) {
            switch signal {
            case .received(let bytes): received.append(bytes)
            case .finished: finishes += 1
            case .failed(let error): failures.append(error)
            }
        }
    }

    init() throws {
        setup = ForwardingDelegate(clock: clock)
        folder = try TemporaryFolder()
        receiveDownloads()
    }

    private func receiveDownloads() {
        downloads.onDownload = { [offers] download in
            switch download {
            case .engine(let download): offers.engine.append(download)
            case .named(let url, let isUserGesture):
                offers.named.append(url)
                offers.gestures.append(isUserGesture)
            }
        }
    }

    // MARK: Steps of a download

    /// Starts a download, whose response has not begun.
    private func start() async throws -> PageDownload {
        let navigation = try setup.navigate("https://a.example/file", isDownload: true)
        await navigation.decide()
        return try #require(navigation.download)
    }

    /// Begins the response, and returns the receiver's side and the task that waits for the destination.
    private func offer(_ page: PageDownload) async throws -> (any EngineDownload, Task<URL?, Never>) {
        let count = offers.engine.count
        let response = try response()
        let waiting = Task { await page.respond(response, suggestedFilename: "name") }
        try await until { offers.engine.count == count + 1 }
        return (offers.engine.removeLast(), waiting)
    }

    /// Begins to save a download.
    private func save(_ page: PageDownload) async throws -> (any EngineDownload, SignalList) {
        let (download, waiting) = try await offer(page)
        let list = SignalList()
        download.save(to: path) { list.receive($0) }
        #expect(await result(of: waiting)?.path == path)
        return (download, list)
    }

    private func response(
        _ fields: [String: String] = ["Content-Type": "application/zip", "Content-Length": "3"], status: Int = 200
    ) throws -> URLResponse {
        try #require(
            HTTPURLResponse(
                url: try makeURL("https://b.example/file"), statusCode: status, httpVersion: nil, headerFields: fields))
    }

    private var exists: Bool { FileManager.default.fileExists(atPath: path) }

    // MARK: Life

    @Test("A download is offered with its head, saved, and reported")
    func whole() async throws {
        let page = try await start()
        let (download, list) = try await save(page)
        #expect(
            download.head
                == EngineDownloadHead(
                    url: "https://b.example/file", suggestedName: "name", mediaType: "application/zip", length: 3,
                    status: 200, isUserGesture: true))
        try page.receive(Data("ab".utf8))
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(100))
        try await until { list.received == [2] }
        try page.receive(Data("c".utf8))
        page.finish()
        #expect(list.received == [2, 3])
        #expect(list.finishes == 1 && list.ends == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("abc".utf8))
        try await until { clock.sleeperCount == 0 }
        page.fail(URLError(.timedOut))
        download.cancel()
        #expect(list.ends == 1 && exists)
        setup.page.drain()
    }

    @Test("Progress is read less often while no bytes arrive")
    func polling() async throws {
        let page = try await start()
        let (_, list) = try await save(page)
        for delay in [100, 200, 400, 800, 1_000, 1_000] {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .milliseconds(delay - 1))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .milliseconds(1))
        }
        // The bytes arrive while the last delay runs.
        await clock.sleepers(atLeast: 1)
        #expect(list.received.isEmpty)
        try page.receive(Data("a".utf8))
        clock.advance(by: .seconds(1))
        try await until { list.received == [1] }
        await clock.sleepers(atLeast: 1)
        try page.receive(Data("b".utf8))
        clock.advance(by: .milliseconds(100))
        try await until { list.received == [1, 2] }
        page.finish()
        #expect(list.received == [1, 2])
        try await until { clock.sleeperCount == 0 }
    }

    @Test(
        "A head without a length or a status",
        arguments: [
            ["Content-Length": "3", "Content-Encoding": "gzip"], [:],
        ])
    func unknownLength(_ fields: [String: String]) async throws {
        let page = try await start()
        let response = try response(fields)
        let waiting = Task { await page.respond(response, suggestedFilename: "name") }
        try await until { !offers.engine.isEmpty }
        #expect(offers.engine[0].head.length == nil)
        offers.engine = []
        #expect(await result(of: waiting) == nil)
    }

    @Test("A response without HTTP has no status")
    func noStatus() async throws {
        let page = try await start()
        let response = URLResponse(
            url: try makeURL("blob:https://a.example/1"), mimeType: "text/plain", expectedContentLength: 0,
            textEncodingName: nil)
        let waiting = Task { await page.respond(response, suggestedFilename: "name") }
        try await until { !offers.engine.isEmpty }
        #expect(offers.engine[0].head.status == nil && offers.engine[0].head.length == 0)
        offers.engine[0].cancel()
        _ = await result(of: waiting)
    }

    // MARK: Cancellation

    @Test("A download that has no response ends without being offered", arguments: [true, false])
    func dropped(_ isByEnd: Bool) async throws {
        let page = try await start()
        isByEnd ? downloads.end() : downloads.dropPendingDownloads()
        try await until { page.isEnded }
        #expect(await page.respond(try response(), suggestedFilename: "name") == nil)
        #expect(offers.engine.isEmpty)
        setup.page.drain()
    }

    @Test("A response of a dropped download that still begins is refused")
    func raced() async throws {
        let page = try await start()
        downloads.dropPendingDownloads()
        // The cancellation has not reached the engine yet.
        #expect(await page.respond(try response(), suggestedFilename: "name") == nil)
        #expect(offers.engine.isEmpty)
        setup.page.drain()
    }

    @Test("An offered download that is cancelled is not dropped again, and cannot be saved")
    func cancelledOffer() async throws {
        let page = try await start()
        let (download, waiting) = try await offer(page)
        download.cancel()
        download.cancel()
        #expect(await result(of: waiting) == nil)
        #expect(page.isEnded && !exists)
        downloads.dropPendingDownloads()
        let list = SignalList()
        download.save(to: path) { list.receive($0) }
        #expect(list.failures.map(\.code) == [.loadFailed] && list.ends == 1)
        setup.page.drain()
    }

    @Test("An offered download that the receiver releases is cancelled")
    func releasedOffer() async throws {
        let page = try await start()
        let response = try response()
        let waiting = Task { await page.respond(response, suggestedFilename: "name") }
        try await until { !offers.engine.isEmpty }
        offers.engine = []
        #expect(await result(of: waiting) == nil)
        try await until { page.isEnded }
        setup.page.drain()
    }

    @Test("A download that is cancelled while it is saved reports one end, and its part is removed")
    func cancelledSave() async throws {
        let page = try await start()
        let (download, list) = try await save(page)
        try page.receive(Data("ab".utf8))
        #expect(exists)
        download.cancel()
        #expect(list.ends == 0)
        download.cancel()
        try await until { list.ends == 1 }
        #expect(list.failures.map(\.code) == [.loadFailed])
        #expect(page.isEnded && !exists)
        try await until { clock.sleeperCount == 0 }
        page.finish()
        #expect(list.ends == 1)
        setup.page.drain()
    }

    @Test("A cancellation that is not confirmed ends after five seconds")
    func unconfirmedCancellation() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        defer { open.finish() }
        let page = try await start()
        page.beforeCancellation = { for await _ in gate {} }
        let (download, list) = try await save(page)
        try page.receive(Data("ab".utf8))
        download.cancel()
        for _ in 0..<100 { await Task.yield() }
        #expect(list.ends == 0)
        try await until {
            if list.ends == 0 { clock.advance(by: .seconds(1)) }
            return list.ends == 1
        }
        #expect(clock.now >= ManualClock.Instant(offset: .seconds(5)))
        #expect(list.failures.map(\.code) == [.loadFailed] && !exists)
    }

    @Test("A download that finishes while it is being cancelled is whole")
    func finishedWhileCancelled() async throws {
        let page = try await start()
        let (download, list) = try await save(page)
        try page.receive(Data("abc".utf8))
        download.cancel()
        page.finish()
        #expect(list.finishes == 1 && exists)
        for _ in 0..<100 { await Task.yield() }
        #expect(list.ends == 1 && exists)
    }

    @Test("A failure while the cancellation is confirmed is reported once")
    func failedWhileCancelled() async throws {
        let page = try await start()
        let (download, list) = try await save(page)
        download.cancel()
        page.fail(URLError(.cancelled))
        for _ in 0..<100 { await Task.yield() }
        #expect(list.failures.map(\.code) == [.loadFailed] && list.ends == 1)
        #expect(!exists)
    }

    // MARK: Errors

    @Test("A failure while the destination is awaited is reported by the save")
    func failedOffer() async throws {
        let page = try await start()
        let (download, waiting) = try await offer(page)
        page.fail(URLError(.networkConnectionLost))
        #expect(await result(of: waiting) == nil)
        let list = SignalList()
        download.save(to: path) { list.receive($0) }
        #expect(list.failures.map(\.code) == [.connectionLost] && list.ends == 1)
        setup.page.drain()
    }

    @Test("A failure before the response is not offered")
    func failedStart() async throws {
        let page = try await start()
        page.fail(URLError(.cannotFindHost))
        downloads.dropPendingDownloads()
        #expect(offers.engine.isEmpty)
    }

    @Test("A failure while bytes are written removes the part")
    func failedSave() async throws {
        let page = try await start()
        let (_, list) = try await save(page)
        try page.receive(Data("ab".utf8))
        let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))
        page.fail(URLError(.cannotWriteToFile, userInfo: [NSUnderlyingErrorKey: cause]))
        page.finish()
        #expect(list.ends == 1 && list.failures.first?.code == .storage)
        #expect(list.failures.first?.message.contains("No space left on device") == true)
        #expect(list.failures.first?.location == "https://b.example/file")
        #expect(!exists)
    }

    @Test(
        "Errors of WebKit have codes",
        arguments: [
            (URLError(.timedOut), EngineError.Code.timedOut), (URLError(.dnsLookupFailed), .unknownHost),
            (URLError(.cannotConnectToHost), .cannotConnect), (URLError(.serverCertificateUntrusted), .tls),
            (URLError(.httpTooManyRedirects), .badAnswer), (URLError(.cannotCreateFile), .storage),
            (URLError(.cancelled), .loadFailed), (CocoaError(.fileWriteOutOfSpace), .storage),
            (NSError(domain: NSPOSIXErrorDomain, code: Int(EROFS)), .storage),
            (NSError(domain: NSPOSIXErrorDomain, code: Int(ECONNRESET)), .loadFailed),
            (NSError(domain: NSURLErrorDomain, code: 1), .loadFailed),
            (NSError(domain: "WebKitErrorDomain", code: 102), .loadFailed),
        ] as [(any Error, EngineError.Code)])
    func codes(_ failure: any Error, _ code: EngineError.Code) {
        let error = EngineError(ofDownload: failure, at: "https://a.example/")
        #expect(error.code == code && error.location == "https://a.example/")
        #expect(!error.message.isEmpty && !error.message.contains("\n"))
    }

    @Test("Errors that cause each other without an end are not followed")
    func deepErrors() {
        var failure = NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))
        for _ in 0..<10 { failure = NSError(domain: "a\nb", code: 1, userInfo: [NSUnderlyingErrorKey: failure]) }
        let error = EngineError(ofDownload: failure, at: "")
        #expect(error.code == .loadFailed && !error.message.contains("\n"))
    }

    // MARK: Destination

    @Test(
        "A destination that exists, or whose folder does not, is refused and stays as it is",
        arguments: [
            "file", "link", "folder", "missing/file", "file/a", "a/", "",
        ])
    func destination(_ name: String) async throws {
        let files = FileManager.default
        try folder.write("file", "x".utf8)
        try files.createDirectory(atPath: "\(folder.path)/folder", withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: "\(folder.path)/target")
        let page = try await start()
        let (download, waiting) = try await offer(page)
        let list = SignalList()
        download.save(to: name.isEmpty ? "relative" : "\(folder.path)/\(name)") { list.receive($0) }
        #expect(list.failures.map(\.code) == [.storage] && list.ends == 1)
        #expect(await result(of: waiting) == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("x".utf8))
        #expect(try files.contentsOfDirectory(atPath: folder.path).count == 3)
        setup.page.drain()
    }

    @Test("A file that appears before the engine writes is not removed")
    func destinationRace() async throws {
        let page = try await start()
        let (download, waiting) = try await offer(page)
        let list = SignalList()
        download.save(to: path) { list.receive($0) }
        try folder.write("file", "x".utf8)
        #expect(await result(of: waiting) == nil)
        #expect(list.failures.map(\.code) == [.storage] && list.ends == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("x".utf8))
    }

    @Test("A second save fails, and does not disturb the first")
    func secondSave() async throws {
        let page = try await start()
        let (download, list) = try await save(page)
        let second = SignalList()
        download.save(to: "\(path)-2") { second.receive($0) }
        #expect(second.failures.count == 1 && second.ends == 1)
        page.finish()
        #expect(list.finishes == 1 && second.ends == 1)
    }

    // MARK: Owners

    @Test("A download that is saved outlives its receiver and its view, and not its end")
    func lifetime() async throws {
        weak var released: WKWebViewDownload?
        let page = try await start()
        let list: SignalList
        do {
            let (download, signals) = try await save(page)
            released = download as? WKWebViewDownload
            list = signals
        }
        downloads.end()
        #expect(released != nil)
        try page.receive(Data("a".utf8))
        page.finish()
        #expect(list.finishes == 1)
        try await until { released == nil }
    }

    @Test("The receiver at the start of a download gets it")
    func receiver() async throws {
        let page = try await start()
        var count = 0
        downloads.onDownload = { _ in count += 1 }
        let (download, waiting) = try await offer(page)
        #expect(count == 0)
        download.cancel()
        _ = await result(of: waiting)
    }

    @Test("Without a receiver nothing is saved")
    func noReceiver() async throws {
        downloads.onDownload = nil
        #expect(try await setup.navigate("https://a.example/", isDownload: true).decide() == .cancel)
        downloads.onDownload = { _ in }
        let navigation = try setup.navigate("https://a.example/", isDownload: true)
        setup.prompts.onPrompt = { _ in }
        downloads.onDownload = nil
        #expect(await navigation.decide() == .cancel)
        #expect(await navigation.respond(try attachment()) == .cancel)
    }

    @Test("Challenges of downloads go to the closure")
    func challenge() async throws {
        let page = try await start()
        let space = URLProtectionSpace(
            host: "a.example", port: 443, protocol: "https", realm: nil,
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: ChallengeSender())
        #expect(await page.challenge(challenge).0 == .cancelAuthenticationChallenge)
        setup.page.drain()
    }

    // MARK: Policies

    private func attachment(_ disposition: String = "attachment; filename=a", status: Int = 200) throws -> URLResponse {
        try response(["Content-Type": "text/html", "Content-Disposition": disposition], status: status)
    }

    @Test("Attachments are saved, also those of frames", arguments: ["attachment", " Attachment ;filename=a"])
    func attachments(_ disposition: String) async throws {
        for inFrame in [false, true] {
            let navigation = try setup.navigate("https://a.example/", inFrame: inFrame)
            await navigation.decide()
            #expect(await navigation.respond(try attachment(disposition)) == .download)
            #expect(navigation.download != nil)
        }
    }

    @Test("Other responses are shown", arguments: ["", "inline", "attachments", "x; attachment"])
    func inline(_ disposition: String) async throws {
        let navigation = try setup.navigate("https://a.example/")
        await navigation.decide()
        #expect(await navigation.respond(try attachment(disposition)) == .allow)
    }

    @Test("Main documents of unsupported types are saved, those of frames are not, and empty ones are the engine's")
    func unsupported() async throws {
        let main = try setup.navigate("https://a.example/")
        await main.decide()
        #expect(await main.respond(try response(), canShow: false) == .download)
        let frame = try setup.navigate("https://a.example/", inFrame: true)
        await frame.decide()
        #expect(await frame.respond(try response(), canShow: false) == .cancel)
        for status in [204, 205] {
            let empty = try setup.navigate("https://a.example/")
            await empty.decide()
            #expect(await empty.respond(try attachment(status: status), canShow: false) == .allow)
        }
    }

    @Test("A custom scheme of the app is reported by its URL, and another scheme is not saved")
    func customScheme() async throws {
        #expect(try await setup.navigate("App://a.example/f#g", isDownload: true).decide() == .cancel)
        #expect(try await setup.navigate("app://a.example/h", .other, isDownload: true).decide() == .cancel)
        #expect(offers.named.map { $0.lowercased() } == ["app://a.example/f#g", "app://a.example/h"])
        #expect(offers.gestures == [true, false])
        setup.prompts.onPrompt = { $0.answer(.yes) }
        #expect(try await setup.navigate("other://a.example/", isDownload: true).decide() == .cancel)
        #expect(try await setup.navigate("blob:https://a.example/1", isDownload: true).decide() == .download)
        #expect(offers.named.count == 2 && offers.engine.isEmpty)
        downloads.dropPendingDownloads()
    }

    @Test(
        "Media types that are shown",
        arguments: [
            ("text/html", true), ("image/svg+xml", true), ("application/pdf", true), ("text/plain", true),
            ("text/calendar", false), ("application/zip", false), ("", false), ("application/octet-stream", false),
        ])
    func mediaTypes(_ type: String, _ isShown: Bool) {
        #expect(downloads.canShow(type) == isShown)
    }
}
