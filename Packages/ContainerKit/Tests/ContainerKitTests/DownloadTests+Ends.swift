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
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import PageDownloads

// The ends of downloads, and their reports.
extension DownloadTests {
    enum Withdrawal: CaseIterable { case host, signOut, shutDown }

    @Test("Cancelling a download ends the request to the host", arguments: Withdrawal.allCases)
    func withdrawn(by withdrawal: Withdrawal) async throws {
        let container = try await container()
        let diary = Diary(container)
        delegate.gate.close()
        defer { delegate.gate.open() }
        let page = try await container.open("https://a.example/")
        let download = FakeDownload()
        page.view.onDownload?(.engine(download))
        for await _ in delegate.gate.arrivals { break }
        switch withdrawal {
        case .host: container.cancelDownload(try #require(delegate.downloads.first).id)
        case .signOut: try await container.signOut()
        case .shutDown: await container.shutDown()
        }
        #expect(diary.endings == [.withdrawn])
        #expect(try await diary.code() == .cancelled)
        #expect(download.cancels == 1)
        var counters = DownloadCounters()
        (counters.decisionRequests, counters.cancelled) = (1, 1)
        #expect(container.counters.downloads == counters)
        #expect(container.pageRequests?.isWaiting(page.session.id) == false)
    }

    @Test("A download that begins during a sign-out is refused")
    func duringSignOut() async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        let (first, second, third) = (FakeDownload(), FakeDownload(), FakeDownload())
        page.view.onDownload?(.engine(first))
        await first.started()
        first.onCancel = { page.view.onDownload?(.engine(second)) }
        try await container.signOut()
        #expect(second.cancels == 1 && second.path == nil)
        #expect(try await diary.code(0) == .cancelled)
        #expect(try await diary.code(1) == .cancelled)
        #expect(container.counters.downloads.refused == 1)
        // The engine ends downloads without a response, including downloads that began during the sign-out.
        #expect(page.view.pendingDrops == 2)
        page.view.onDownload?(.engine(third))
        await third.started()
        await container.close(page)
        #expect(page.view.pendingDrops == 3)
        #expect(third.cancels == 0)
        await container.shutDown()
    }

    @Test("A response that was requested before a sign-out is not saved after the sign-out")
    func acrossSignOut() async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        fixture.network.put(
            .bytes(Data("mine".utf8)), at: "https://a.example/held",
            [.contentType: "text/html", .contentDisposition: "attachment"])
        let accept: HTTPFields = [.accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"]
        for isSignedOut in [true, false] {
            let sink = fixture.engine.send(
                "containerkit://a.example/held", .get, accept, from: page.view, isMainDocument: true)
            for await _ in fixture.network.holds { break }
            if isSignedOut { try await container.signOut() }
            fixture.network.answerHeld()
            if isSignedOut {
                #expect(try await diary.code(0) == .cancelled)
                #expect(left.isEmpty && delegate.downloads.isEmpty)
            } else {
                #expect(try await diary.end(1) == .saved(path: folder + "/held", bytes: 4))
            }
            #expect(sink.body.isEmpty)
        }
    }

    @Test("The time limit of a download excludes suspensions")
    func suspension() async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        let download = FakeDownload()
        page.view.onDownload?(.engine(download))
        await download.started()
        await clock.sleepers(atLeast: 1)
        try await container.hostWillSuspend()
        clock.advance(by: .seconds(600))
        try await container.hostResumed()
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(59))
        #expect(download.cancels == 0)
        clock.advance(by: .seconds(1))
        #expect(try await diary.code() == .timedOut)
    }

    @Test("Progress streams end when the container is released")
    func dropped() async throws {
        var container: Container<FakeEngine>? = try await container()
        var page = try await container?.open("https://a.example/")
        let download = FakeDownload()
        page?.view.onDownload?(.engine(download))
        await download.started()
        let id = try #require(container?.downloads.first).id
        var progress = try #require(container?.downloadProgress(of: id)).makeAsyncIterator()
        #expect(await progress.next()?.received == 0)
        page = nil
        container = nil
        #expect(await progress.next() == nil)
        #expect(download.cancels == 1)
    }

    @Test("The record of a saved request contains the number of received bytes, not the announced length")
    func records() async throws {
        let container = try await container()
        let diary = Diary(container)
        let page = try await container.open("https://a.example/")
        let url = "https://a.example/x"
        let stream = { (length: Int64?, count: Int) -> ResourceBody in
            let left = Mutex(count)
            return .stream(
                ByteStream(
                    AsyncThrowingStream {
                        left.withLock { left in
                            left -= 1
                            return left < 0 ? nil : Data(count: 10)
                        }
                    }, length: length))
        }
        // Without a length, with a wrong length, and for a download that the host declines.
        for (number, body) in [stream(nil, 3), stream(50, 2)].enumerated() {
            fixture.network.put(body, at: url)
            page.view.onDownload?(.named(url: "containerkit://a.example/x", isUserGesture: true))
            _ = try await diary.end(number)
        }
        delegate.downloadAnswer = { .cancel }
        fixture.network.put(stream(nil, 2), at: url)
        page.view.onDownload?(.named(url: "containerkit://a.example/x", isUserGesture: true))
        try await until { diary.endings.count == 3 }
        #expect(diary.records.map(\.bytes) == [30, 20, 0])
        let outcomes = diary.records.map { record in
            switch record.outcome {
            case .finished: "finished"
            case .failed(let error): "\(error.code)"
            case .stopped: "stopped"
            }
        }
        #expect(outcomes == ["finished", "connection-lost", "stopped"])
    }

    @Test("The rules are applied to each URL of a redirect")
    func rulesOfHops() async throws {
        let rules = try RouteRules([RouteRule(.pass, host: HostPattern("shop.example"))])
        let container = try await container { $0.network.rules = rules }
        let diary = Diary(container)
        try await fixture.install(["index.html": "packaged", "x.txt": "packaged"], version: "1", into: container)
        let page = try await container.open("https://a.example/")
        page.view.onDownload?(
            .named(url: "containerkit://a.example/to/https://shop.example/x.txt", isUserGesture: true))
        #expect(try await diary.end() == .saved(path: folder + "/x.txt", bytes: 34))
        #expect(content("x.txt") == "network https://shop.example/x.txt")
    }
}
