// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import ResourceLoading
import Testing

@testable import HTTPTransport

@Suite("Background downloads", .timeLimit(.minutes(1)))
struct BackgroundDownloadQueueTests {
    let process: BackgroundProcess

    init() throws {
        process = try BackgroundProcess()
    }

    private func code(of request: Task<Void, any Error>) async throws -> ResourceError.Code? {
        let error = await #expect(throws: ResourceError.self) { try await request.value }
        return error?.code
    }

    @Test("The file is in the folder before the call of the session returns, and can be taken once")
    func finished() async throws {
        let request = try await process.request()
        #expect(process.session.starts == [.url(try #require(URL(string: BackgroundProcess.url)))])
        #expect(try await !process.take())
        try process.finish(101)
        #expect(process.kept == [BackgroundProcess.key])
        try await request.value
        #expect(try await process.take())
        #expect(try process.folder.text(of: "file") == "bytes" && process.kept.isEmpty)
        #expect(try await !process.take())
    }

    @Test("A taken file replaces an existing one, and status 206 is that of a resumed task", arguments: [200, 206])
    func replaced(status: Int) async throws {
        try process.folder.write("file", "old".utf8)
        let request = try await process.request()
        try process.finish(101, status: status)
        try await request.value
        #expect(try await process.take())
        #expect(try process.folder.text(of: "file") == "bytes")
    }

    @Test("A file that arrives before its request is kept, also for a later process")
    func finishedWithoutRequest() async throws {
        try process.finish(7)
        #expect(process.kept == [BackgroundProcess.key])
        let later = try BackgroundProcess(after: process)
        try await later.download()
        #expect(later.session.starts.isEmpty)
        #expect(try await later.take())
    }

    @Test("A request joins the task of an earlier process")
    func joinsTask() async throws {
        let later = try BackgroundProcess(after: process, tasks: [BackgroundProcess.task(7)])
        let request = try await later.request()
        try later.finish(7)
        try await request.value
        #expect(later.kept == [BackgroundProcess.key])
        #expect(later.session.starts.isEmpty && later.session.cancelled.isEmpty)
    }

    @Test("Tasks without a key, and the second task of a key, are cancelled; tasks without a request stay")
    func foreignTasks() async throws {
        let unknown = [
            nil, "", "0a", "0a x", "0a -1", "../a 9", "0A 9", "0a 9 9", String(repeating: "a", count: 65) + " 9",
        ]
        var tasks = unknown.enumerated().map { BackgroundSessionTask(id: $0, description: $1) }
        tasks += [20, 21].map { BackgroundProcess.task($0) } + [BackgroundProcess.task(30, key: "0b")]
        let later = try BackgroundProcess(after: process, tasks: tasks)
        let request = try await later.request()
        #expect(later.session.cancelled == Array(unknown.indices) + [21])
        try later.finish(20)
        try await request.value
    }

    @Test("A task that ends while the session lists its tasks is not joined")
    func endsDuringListing() async throws {
        let later = try BackgroundProcess(after: process, tasks: [BackgroundProcess.task(7)])
        later.session.gate.close()
        let request = Task { try await later.download() }
        var arrivals = later.session.gate.arrivals.makeAsyncIterator()
        await arrivals.next()
        later.fail(7)
        later.session.gate.open()
        try await until { later.queue.waiting == 1 }
        #expect(later.session.starts.count == 1)
        try later.finish(101)
        try await request.value
    }

    @Test("A file of an earlier task ends the request, and the newer task of its key is cancelled")
    func earlierTask() async throws {
        let request = try await process.request()
        try process.finish(7)
        try await request.value
        #expect(process.session.cancelled == [101])
    }

    @Test("Two requests for a key share a task")
    func sharedTask() async throws {
        let first = try await process.request()
        let second = try await process.request()
        #expect(process.session.starts.count == 1)
        try process.finish(101)
        try await first.value
        try await second.value
    }

    @Test("A file that cannot be kept fails its requests with code io")
    func failedKeeping() async throws {
        let request = try await process.request()
        // The folder cannot be created.
        try process.folder.write("finished", "file".utf8)
        try process.finish(101)
        #expect(try await code(of: request) == .io)
        // The next request starts again.
        try FileManager.default.removeItem(atPath: process.folder.path + "/finished")
        let next = try await process.request()
        #expect(process.session.starts.count == 2)
        try process.finish(102)
        try await next.value
    }

    @Test("A file that cannot be moved stays for the next call, and so does what is at the path")
    func failedMove() async throws {
        try process.finish(7)
        try process.folder.write("file/old", "old".utf8)
        for name in ["file", "missing/file"] {
            let error = await #expect(throws: ResourceError.self) { try await process.take(name) }
            #expect(error?.code == .io)
        }
        #expect(process.kept == [BackgroundProcess.key])
        #expect(try process.folder.files().contains("file/old"))
        #expect(try await process.take("next"))
        #expect(try process.folder.text(of: "next") == "bytes")
    }

    @Test(
        "A wrong status, a redirect to http and a file above the limit fail the request, and nothing is kept",
        arguments: [
            (404, BackgroundProcess.url, "bytes", ResourceError.Code.connectionLost),
            (503, BackgroundProcess.url, "bytes", .connectionLost),
            (200, "http://packages.example/shop.zip", "bytes", .blocked),
            (200, BackgroundProcess.url, "eleven byte", .tooLarge),
        ])
    func refused(status: Int, url: String, text: String, expected: ResourceError.Code) async throws {
        let request = try await process.request()
        try process.finish(101, text, status: status, at: url)
        #expect(try await code(of: request) == expected)
        try process.finish(7, text, status: status, at: url)
        #expect(process.kept.isEmpty)
    }

    @Test("A kept file above the limit of the request is removed")
    func keptTooLarge() async throws {
        try process.folder.write("finished/\(BackgroundProcess.key)", "eleven byte".utf8)
        #expect(try await !process.take())
        #expect(process.kept.isEmpty)
        try process.folder.write("finished/\(BackgroundProcess.key)", "eleven byte".utf8)
        let request = try await process.request()
        #expect(process.kept.isEmpty && process.session.starts.count == 1)
        try process.finish(101)
        try await request.value
    }

    @Test("A task that exceeds its limit is cancelled")
    func exceedsLimit() async throws {
        let request = try await process.request()
        process.queue.didReceive(BackgroundProcess.task(101), bytes: 10)
        #expect(process.session.cancelled.isEmpty)
        process.queue.didReceive(BackgroundProcess.task(101), bytes: 11)
        #expect(process.session.cancelled == [101])
        #expect(try await code(of: request) == .tooLarge)
    }

    @Test("A failed task is resumed, also again if new bytes arrived; it is restarted once if it fails without data")
    func resumes() async throws {
        let url = BackgroundSessionSource.url(try #require(URL(string: BackgroundProcess.url)))
        let request = try await process.request()
        process.fail(101, resumeData: "first")
        #expect(process.session.starts == [url, .resumeData(Data("first".utf8))])
        // An event of the former task changes nothing.
        process.fail(101)
        process.queue.didReceive(BackgroundProcess.task(102), bytes: 4)
        process.fail(102, resumeData: "second")
        #expect(process.session.starts.suffix(1) == [.resumeData(Data("second".utf8))])
        // Resume data that is refused: the task fails without other data.
        process.fail(103)
        #expect(process.session.starts.suffix(1) == [url])
        process.fail(104, resumeData: "third")
        #expect(process.session.starts.suffix(1) == [.resumeData(Data("third".utf8))])
        process.fail(105)
        #expect(try await code(of: request) == .connectionLost)
        #expect(process.session.starts.count == 5 && process.kept.isEmpty)
    }

    @Test("A resumed task that receives no new bytes fails", arguments: [nil, 4] as [Int64?])
    func resumesWithoutProgress(bytes: Int64?) async throws {
        let request = try await process.request()
        process.queue.didReceive(BackgroundProcess.task(101), bytes: 4)
        process.fail(101, resumeData: "first")
        if let bytes { process.queue.didReceive(BackgroundProcess.task(102), bytes: bytes) }
        process.fail(102, resumeData: "second")
        #expect(try await code(of: request) == .connectionLost)
        #expect(process.session.starts.count == 2)
    }

    @Test(
        "A task that fails without resume data fails the request, also if the system has cancelled it",
        arguments: [URLError.Code.networkConnectionLost, .cancelled])
    func failsWithoutResumeData(error: URLError.Code) async throws {
        let request = try await process.request()
        process.queue.didFail(BackgroundProcess.task(101), URLError(error), resumeData: nil)
        #expect(try await code(of: request) == .connectionLost)
        #expect(process.session.starts.count == 1)
    }

    @Test("Resume data of a task without a request is used by the next process, once")
    func keptResumeData() async throws {
        process.fail(7, resumeData: "data")
        let later = try BackgroundProcess(after: process)
        let request = try await later.request()
        #expect(later.session.starts == [.resumeData(Data("data".utf8))])
        #expect(later.kept.isEmpty)
        later.fail(101)
        #expect(later.session.starts.last == .url(try #require(URL(string: BackgroundProcess.url))))
        try later.finish(102)
        try await request.value
    }

    @Test("Cancelling a request keeps its task, whose file the next request uses")
    func cancelledRequest() async throws {
        let request = try await process.request()
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        #expect(process.queue.waiting == 0 && process.session.cancelled.isEmpty)
        try process.finish(101)
        try await process.download()
        #expect(process.session.starts.count == 1)
    }

    @Test("Cancelling a download ends its task and its requests, and removes its file")
    func cancelledDownload() async throws {
        let request = try await process.request()
        await process.queue.cancel(BackgroundProcess.key)
        #expect(process.session.cancelled == [101])
        #expect(try await code(of: request) == .cancelled)
        process.fail(101)
        try process.finish(7)
        await process.queue.cancel(BackgroundProcess.key)
        #expect(process.kept.isEmpty)
        // Tasks of earlier processes are cancelled too.
        let later = try BackgroundProcess(after: process, tasks: [BackgroundProcess.task(8)])
        await later.queue.cancel(BackgroundProcess.key)
        #expect(later.session.cancelled == [8])
    }

    @Test("Downloads whose keys start with a prefix are cancelled together, and others are not")
    func cancelledGroup() async throws {
        let tasks = [(7, "0a1"), (8, "0a2"), (9, "0b1")].map { BackgroundProcess.task($0, key: $1) }
        let later = try BackgroundProcess(after: process, tasks: tasks)
        for name in ["0a3", "0a4.resume", "0b2"] { try later.folder.write("finished/\(name)", "bytes".utf8) }
        await later.queue.cancel("0a")
        #expect(later.session.cancelled.sorted() == [7, 8] && later.kept == ["0b2"])
        await later.queue.cancel("")
        #expect(later.session.cancelled.count == 2 && later.kept == ["0b2"])
    }

    @Test("Files that nothing has taken for seven days are removed when a queue is created")
    func staleFiles() async throws {
        for (name, days) in [("0a", 8.0), ("0b", 6.0), ("0c.resume", 8.0)] {
            let file = try process.folder.write("finished/\(name)", "bytes".utf8)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)], ofItemAtPath: file)
        }
        #expect(try BackgroundProcess(after: process).kept == ["0b"])
    }

    @Test(
        "URLs that are not https, and other keys, are refused",
        arguments: [
            ("0a", "http://packages.example/shop.zip"), ("0a", "shop.zip"), ("", BackgroundProcess.url),
            ("../0a", BackgroundProcess.url), ("0A", BackgroundProcess.url),
        ])
    func invalidRequests(key: String, url: String) async throws {
        let error = await #expect(throws: ResourceError.self) {
            try await process.queue.download(
                BackgroundDownload(key: key, url: url, sizeLimit: 1))
        }
        #expect(error?.code == .invalidRequest)
        #expect(process.session.starts.isEmpty)
    }

    @Test("The closure of the system is called once, whether it arrives before or after the end of the events")
    @MainActor func completion() async throws {
        let queue = process.queue
        var calls: [String] = []
        #expect(!queue.handleEvents(ofSession: "other") { calls.append("other") })
        #expect(queue.handleEvents(ofSession: "app.packages") { calls.append("before") })
        #expect(calls.isEmpty)
        queue.didFinishEvents()
        #expect(calls.isEmpty)
        try await until { !calls.isEmpty }
        queue.didFinishEvents()
        // The main queue is serial, so the end of the events is recorded after this call.
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(calls == ["before"])
        #expect(queue.handleEvents(ofSession: "app.packages") { calls.append("after") })
        #expect(calls == ["before", "after"])
    }
    @Test("An end of events without a closure of the system does not end later events")
    @MainActor func staleCompletion() async throws {
        let queue = process.queue
        var isCalled = false
        queue.didFinishEvents()
        try process.finish(7)
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        queue.handleEvents(ofSession: "app.packages") { isCalled = true }
        #expect(!isCalled)
        queue.didFinishEvents()
        try await until { isCalled }
    }
}
