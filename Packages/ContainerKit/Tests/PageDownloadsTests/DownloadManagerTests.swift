// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Dispatch
import Foundation
import HTTPTypes
import OfflinePackage
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import PageDownloads

/// Downloads from start to end, without a container.
@MainActor
@Suite("Downloads", .timeLimit(.minutes(1)))
struct DownloadManagerTests {
    private let folder: SavedFolder

    init() throws {
        folder = try SavedFolder()
    }

    @Test("A file gets its name when it is complete, is readable by its owner only, and the app gets its properties")
    func saved() async throws {
        let stage = await DownloadStage(folder)
        for number in 0..<2 {
            let download = FakeDownload("containerkit://a.example/x", name: "../../.a/..b?\u{202E}\u{0}.zip", length: 5)
            stage.view.onDownload?(.engine(download))
            await download.started()
            #expect(
                folder.left.filter { !$0.hasPrefix(".containerkit-") && $0.count != 32 }
                    == (number == 0 ? [] : ["b_.zip"]))
            download.receive(3)
            try download.finish(Data("saved".utf8))
            let name = number == 0 ? "b_.zip" : "b_ (1).zip"
            #expect(try await stage.end(number) == .saved(path: folder.path + "/" + name, bytes: 5))
            #expect(folder.content(name) == "saved")
            let mode =
                try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(download.cancels == 0)
        }
        #expect(folder.left == ["b_ (1).zip", "b_.zip"])
        let request = try #require(stage.requests.first)
        #expect(request.url == "https://a.example/x")
        #expect(request.suggestedName == "b_.zip")
        #expect(request.mediaType == "application/zip")
        #expect(request.expectedBytes == 5)
        #expect(request.isUserGesture)
        #expect(request.page.documentURL == "https://a.example/")
        var counters = DownloadCounters()
        (counters.decisionRequests, counters.saved, counters.savedBytes) = (2, 2, 10)
        #expect(stage.manager.counters == counters)
        #expect(stage.manager.requestsBeingSaved.isEmpty)
    }

    @Test("An existing file stays unless the app overwrites it")
    func overwriting() async throws {
        let stage = await DownloadStage(folder)
        try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path + "/x"))
        for (number, overwrites) in [false, true].enumerated() {
            stage.decision = .saveAs(path: folder.path + "/x", overwrites: overwrites)
            let download = FakeDownload()
            stage.view.onDownload?(.engine(download))
            await download.started()
            #expect(folder.content("x") == "old")
            try download.finish(Data("new".utf8))
            let name = overwrites ? "x" : "x (1)"
            #expect(try await stage.end(number) == .saved(path: folder.path + "/" + name, bytes: 3))
            #expect(folder.content(name) == "new")
        }
        #expect(folder.left == ["x", "x (1)"])
    }

    @Test(
        "A destination that is not absolute or does not exist is refused",
        arguments: ["", "saved", "/nowhere/at/all/x", "/tmp/..", "/tmp/\u{0}x"])
    func places(path: String) async throws {
        let stage = await DownloadStage(folder)
        stage.decision = .saveAs(path: path)
        let download = FakeDownload()
        stage.view.onDownload?(.engine(download))
        #expect(try await stage.code() == .destination)
        #expect(download.cancels == 1)
        #expect(stage.manager.counters.failed == 1)
        #expect(folder.left.isEmpty)
    }

    @Test("A download that is too long, fails or has no space is not started, or is cancelled")
    func sizes() async throws {
        struct Full: SpaceMeasuring {
            func availableBytes(at folder: String) throws -> Int64 { 50 }
        }
        let stage = await DownloadStage(folder) {
            $0.byteLimit = 100
            $0.space = Full()
            $0.reserve = 0
        }
        for (number, (download, code)) in [
            (FakeDownload(length: 101), DownloadError.Code.tooLarge), (FakeDownload(status: 404), .status),
            (FakeDownload(length: 60), .noSpace),
        ].enumerated() {
            stage.view.onDownload?(.engine(download))
            #expect(try await stage.code(number) == code)
            #expect(download.cancels == 1)
            #expect(download.path == nil)
        }
        #expect(stage.requests.count == 1)
        let growing = FakeDownload()
        stage.view.onDownload?(.engine(growing))
        await growing.started()
        growing.receive(101)
        #expect(try await stage.code(3) == .tooLarge)
        let lying = FakeDownload(length: 5)
        stage.view.onDownload?(.engine(lying))
        await lying.started()
        try lying.finish(Data(count: 101))
        #expect(try await stage.code(4) == .tooLarge)
        // The limit also applies to files that the manager requests itself.
        stage.files.put(
            .stream(ByteStream(AsyncThrowingStream { Data(count: 60) })), at: "containerkit://a.example/long")
        stage.view.onDownload?(.named(url: "containerkit://a.example/long", isUserGesture: false))
        #expect(try await stage.code(5) == .tooLarge)
        #expect(folder.left.isEmpty)
    }

    @Test("A download with too few bytes times out, and enough bytes restart the limit")
    func drip() async throws {
        let stage = await DownloadStage(folder)
        for (number, bytes) in [Int64(1), 2_000].enumerated() {
            let download = FakeDownload()
            stage.view.onDownload?(.engine(download))
            await download.started()
            await stage.clock.sleepers(atLeast: 1)
            stage.clock.advance(by: .seconds(30))
            download.receive(bytes)
            stage.clock.advance(by: .seconds(30))
            if bytes > 1 {
                await stage.clock.sleepers(atLeast: 1)
                #expect(download.cancels == 0)
                stage.clock.advance(by: .seconds(30))
            }
            #expect(try await stage.code(number) == .timedOut)
        }
    }

    @Test("Any number of observers can wait for the end of a download")
    func manyListeners() async {
        let meter = ProgressTracker(Stopwatch(ManualClock()), leastBytes: 1)
        let listeners = (0..<64).map { _ in meter.progress() }
        let (begun, begin) = AsyncStream<Void>.makeStream()
        var steps: [String] = []
        let waiting = Task {
            begin.yield()
            await meter.ended()
            steps.append("ended")
        }
        for await _ in begun { break }
        for _ in 0..<10 { await Task.yield() }
        steps.append("finish")
        meter.finish()
        await waiting.value
        await meter.ended()
        #expect(steps == ["finish", "ended"])
        #expect(listeners.count == 64)
    }

    @Test("A failed write of the engine gets the error code from the system message, even if there is space again")
    func unwritten() async throws {
        let stage = await DownloadStage(folder)
        for (number, (failure, code)) in [(ENOSPC, DownloadError.Code.noSpace), (EDQUOT, .noSpace), (EIO, .io)]
            .enumerated()
        {
            let download = FakeDownload()
            stage.view.onDownload?(.engine(download))
            await download.started()
            download.fail(EngineError(.storage, "Error writing to file: \(String(cString: strerror(failure)))"))
            #expect(try await stage.code(number) == code)
        }
        #expect(folder.left.isEmpty)
    }

    @Test("The reserve of free space on the device remains, and a download that reaches the reserve is cancelled")
    func reserve() async throws {
        final class Shrinking: SpaceMeasuring {
            let bytes = Mutex<Int64>(1_000)
            func availableBytes(at folder: String) throws -> Int64 { bytes.withLock(\.self) }
        }
        let space = Shrinking()
        let stage = await DownloadStage(folder) {
            $0.space = space
            $0.reserve = 500
        }
        let large = FakeDownload(length: 501)
        stage.view.onDownload?(.engine(large))
        #expect(try await stage.code(0) == .noSpace)
        #expect(large.path == nil)
        let growing = FakeDownload()
        stage.view.onDownload?(.engine(growing))
        await growing.started()
        space.bytes.withLock { $0 = 499 }
        growing.receive(5 << 20)
        #expect(try await stage.code(1) == .noSpace)
        space.bytes.withLock { $0 = 1_000 }
        stage.files.put(
            .stream(
                ByteStream(
                    AsyncThrowingStream {
                        space.bytes.withLock { $0 = 499 }
                        return Data(count: 5 << 20)
                    })), at: "containerkit://a.example/x")
        stage.view.onDownload?(.named(url: "containerkit://a.example/x", isUserGesture: true))
        #expect(try await stage.code(2) == .noSpace)
        #expect(folder.left.isEmpty)
    }

    @Test("A slow measurement of the free space is used although more bytes arrive meanwhile")
    func slowMeasurement() async throws {
        final class Slow: SpaceMeasuring {
            let count = Mutex(0)
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let gate = DispatchSemaphore(value: 0)

            func availableBytes(at folder: String) throws -> Int64 {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number == 2 else { return 1_000 }
                begin.yield()
                gate.wait()
                return 499
            }
        }
        let space = Slow()
        let stage = await DownloadStage(folder) {
            $0.space = space
            $0.reserve = 500
        }
        let download = FakeDownload()
        stage.view.onDownload?(.engine(download))
        await download.started()
        download.receive(5 << 20)
        for await _ in space.begun { break }
        download.receive(10 << 20)
        space.gate.signal()
        #expect(try await stage.code() == .noSpace)
        #expect(download.cancels == 1)
    }

    @Test("A download that waits for the app is withdrawn on cancellation, and refused without a container")
    func withdrawal() async throws {
        let stage = await DownloadStage(folder)
        stage.decision = nil
        let asked = FakeDownload()
        stage.view.onDownload?(.engine(asked))
        let id = try #require(stage.requests.first).id
        #expect(stage.manager.requestsBeingSaved.isEmpty && asked.cancels == 0)
        stage.manager.cancel(id)
        #expect(try await stage.code() == .cancelled)
        #expect(asked.cancels == 1)
        stage.manager.host = nil
        let late = FakeDownload()
        stage.view.onDownload?(.engine(late))
        #expect(late.cancels == 1 && stage.requests.count == 1)
        var counters = DownloadCounters()
        (counters.decisionRequests, counters.cancelled) = (1, 1)
        #expect(stage.manager.counters == counters)
    }

    @Test("A request for a file is recorded with its real URL, the page and the bytes that arrived")
    func records() async throws {
        let stage = await DownloadStage(folder)
        stage.files.put(.bytes(Data("bytes".utf8)), at: "containerkit://a.example/dir/a%20b.txt?x")
        stage.manager.recordUserAgent("Agent/1.0", of: stage.page.id)
        stage.view.onDownload?(.named(url: "containerkit://a.example/dir/a%20b.txt?x", isUserGesture: true))
        stage.view.onDownload?(.named(url: "containerkit://a.example/none", isUserGesture: true))
        var ends = [try await stage.end(0), try await stage.end(1)]
        ends.removeAll { $0 == .saved(path: folder.path + "/a b.txt", bytes: 5) }
        #expect(ends.count == 1 && stage.records.count == 2)
        let saved = try #require(stage.records.first { $0.bytes == 5 })
        #expect(saved.url == "https://a.example/dir/a%20b.txt?x" && saved.page == stage.page.id)
        #expect(stage.files.agents == ["Agent/1.0", "Agent/1.0"])
    }

    @Test("A document is saved instead of shown if it is an attachment or the engine cannot show it")
    func diversion() async throws {
        let stage = await DownloadStage(folder)
        stage.view.undisplayableTypes = ["application/zip"]
        stage.view.touched = ["containerkit://a.example/x"]
        let request = try #require(HTTPRequest(method: .get, urlText: "containerkit://a.example/x"))
        func divert(_ fields: HTTPFields, isMainDocument: Bool = true, askedIn epoch: Int = 0) -> ResourceResponse? {
            stage.manager.divert(
                ResourceResponse(
                    head: HTTPResponse(status: .ok, headerFields: fields), body: .bytes(Data("zip".utf8)),
                    provenance: Provenance(.network, reason: "a test")),
                to: EngineRequest(head: request, view: stage.view.id, isMainDocument: isMainDocument),
                isDocument: true, of: stage.page, askedIn: epoch)
        }
        #expect(divert([.contentType: "text/html"]) == nil)
        #expect(divert([.contentType: "application/zip"], isMainDocument: false) == nil)
        let zip = try #require(divert([.contentType: "application/zip"]))
        #expect(zip.head.headerFields[.contentType] == "application/octet-stream" && zip.body.length == 0)
        #expect(try await stage.end() == .saved(path: folder.path + "/x", bytes: 3))
        #expect(divert([.contentType: "text/html", .contentDisposition: "attachment"], isMainDocument: false) != nil)
        #expect(try await stage.end(1) == .saved(path: folder.path + "/x (1)", bytes: 3))
        #expect(stage.requests.map(\.isUserGesture) == [true, true])
        // A response from before a sign-out is refused.
        stage.manager.beginSignOut()
        stage.manager.endSignOut()
        #expect(stage.view.pendingDrops == 2)
        #expect(divert([.contentType: "application/zip"]) != nil)
        #expect(try await stage.code(2) == .cancelled)
        #expect(stage.manager.epoch == 1 && stage.requests.count == 2)
        stage.manager.end(stage.page.id)
        #expect(divert([.contentType: "application/zip"], askedIn: 1) == nil)
    }
}
