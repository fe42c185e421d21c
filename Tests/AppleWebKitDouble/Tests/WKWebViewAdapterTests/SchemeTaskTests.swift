// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import HTTPTypes
import ResourceLoading
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

/// The double ends the process on a call out of order.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SchemeTaskTests {
    /// A handler that gives its sinks to the test, and delivers nothing.
    @MainActor
    private final class Sinks {
        var all: [any SchemeTaskSink] = []
        var requests: [EngineRequest] = []
        var deliveries: [SchemeTaskDelivery] = []
        var handler: SchemeHandler {
            { request, sink in
                self.all.append(sink)
                self.requests.append(request)
                let delivery = SchemeTaskDelivery(to: sink)
                self.deliveries.append(delivery)
                return delivery
            }
        }
    }

    private let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"])

    @Test func passesNoIllegalCallToWebKit() async throws {
        var random = SeededGenerator(seed: 2026)
        let sinks = Sinks()
        let fixture = try Fixture(["app": sinks.handler])
        var ends = (finished: 0, failed: 0, stopped: 0)
        for round in 0..<10_000 {
            let task = try #require(fixture.page.startTask(request("app://a.example/\(round)")))
            let sink = try #require(sinks.all.last)
            (sinks.all, sinks.requests, sinks.deliveries) = ([], [], [])
            var works: [Task<Void, Never>] = []
            for _ in 0..<Int.random(in: 1...10, using: &random) {
                switch Int.random(in: 0..<16, using: &random) {
                case 0..<5: try? sink.receive(head, length: nil)
                case 5..<8: works.append(Task { try? await sink.receive(Data("abc".utf8)) })
                case 8..<10: try? await sink.receive(Data("d".utf8))
                case 10: try? sink.receive(head, whole: .bytes(Data("whole".utf8)))
                case 11: sink.finish()
                case 12: sink.fail(ResourceError(.timedOut, "late"))
                case 13: fixture.page.stop(task)
                default: await Task.yield()
                }
            }
            for work in works { await result(of: work) }
            if Bool.random(using: &random) { fixture.page.stop(task) }
            switch task.end {
            case .finished: ends.finished += 1
            case .failed: ends.failed += 1
            case .stopped: ends.stopped += 1
            case nil: fixture.page.stop(task)
            }
        }
        #expect(ends.finished > 500 && ends.failed > 500 && ends.stopped > 500, "\(ends)")
    }

    @Test func stopsDeliveriesAtAnyTime() async throws {
        var random = SeededGenerator(seed: 7)
        var outcomes = 0
        let handler: SchemeHandler = { _, sink in
            let delivery = SchemeTaskDelivery(to: sink)
            delivery.start(
                answer: {
                    await Task.yield()
                    let (stream, feed) = AsyncThrowingStream<Data, any Error>.makeStream()
                    for _ in 0..<5 { feed.yield(Data(count: 10)) }
                    feed.finish()
                    return ResourceResponse(
                        head: self.head, body: .stream(ByteStream(stream)), provenance: Provenance(.network, reason: "")
                    )
                }, completion: { _ in outcomes += 1 })
            return delivery
        }
        let fixture = try Fixture(["app": handler])
        for round in 0..<500 {
            let task = try #require(fixture.page.startTask(request("app://a.example/\(round)")))
            for _ in 0..<Int.random(in: 0...12, using: &random) { await Task.yield() }
            fixture.page.stop(task)
        }
        try await until { outcomes == 500 }
        let complete = fixture.page.tasks.filter { $0.data.count == 50 }.count
        #expect(complete > 0 && complete < 500)
    }

    @Test func deliversAResponse() async throws {
        let sinks = Sinks()
        let fixture = try Fixture(["app": sinks.handler])
        var sent = request("app://A.example/p?q#part", method: "POST")
        sent.httpBody = Data("body".utf8)
        sent.setValue("1", forHTTPHeaderField: "X-One")
        let task = try #require(fixture.page.startTask(sent))
        let received = try #require(sinks.requests.first)
        #expect(received.head.urlText == "app://a.example/p?q" && received.head.method == .post)
        #expect(received.fragment == "part" && received.view == fixture.view.id && !received.isMainDocument)
        #expect(try received.head.headerFields[#require(.init("X-One"))] == "1")
        guard case .bytes(let body)? = try received.body?() else { return #expect(Bool(false), "no body") }
        #expect(body == Data("body".utf8))
        var head = HTTPResponse(status: .init(code: 418))
        let vary = try #require(HTTPField.Name("Vary"))
        head.headerFields.append(HTTPField(name: vary, value: "A"))
        head.headerFields.append(HTTPField(name: vary, value: "B"))
        try sinks.all[0].receive(head, length: 3)
        try await sinks.all[0].receive(Data("abc".utf8))
        sinks.all[0].finish()
        let response = try #require(task.responses.first as? HTTPURLResponse)
        #expect(response.statusCode == 418 && response.value(forHTTPHeaderField: "Vary") == "A, B")
        #expect(response.expectedContentLength == 3 && task.data == Data("abc".utf8))
        guard case .finished = task.end else { return #expect(Bool(false), "not finished") }
    }

    @Test func readsABodyStream() throws {
        var streamed = request("app://a.example/")
        streamed.httpBodyStream = InputStream(data: Data(count: 200_000))
        guard case .bytes(let body) = try RequestBody.read(streamed) else { return #expect(Bool(false), "no body") }
        #expect(body.count == 200_000)
        streamed.httpBodyStream = InputStream(data: Data(count: 200_000))
        let error = #expect(throws: ResourceError.self) { try RequestBody.read(streamed, upTo: 199_999) }
        #expect(error?.code == .tooLarge)
        guard case .empty = try RequestBody.read(request("app://a.example/")) else {
            return #expect(Bool(false), "a body")
        }
    }

    @Test func readsABodyStreamRepeatedly() async throws {
        let sinks = Sinks()
        let fixture = try Fixture(["app": sinks.handler])
        var streamed = request("app://a.example/", method: "POST")
        streamed.httpBodyStream = InputStream(data: Data(repeating: 7, count: 200_000))
        let task = try #require(fixture.page.startTask(streamed))
        let body = try #require(sinks.requests[0].body)
        for _ in 0..<2 {
            guard case .bytes(let bytes) = try body() else { return #expect(Bool(false), "no body") }
            #expect(bytes == Data(repeating: 7, count: 200_000))
        }
        // The bytes are released with the task.
        fixture.page.stop(task)
        let error = #expect(throws: ResourceError.self) { try body() }
        #expect(error?.code == .cancelled)
    }

    @Test func failsToReadABodyStreamRepeatedly() async throws {
        let sinks = Sinks()
        let fixture = try Fixture(["app": sinks.handler])
        var streamed = request("app://a.example/", method: "POST")
        streamed.httpBodyStream = InputStream(fileAtPath: "/nonexistent/body")
        let task = try #require(fixture.page.startTask(streamed))
        let body = try #require(sinks.requests[0].body)
        for _ in 0..<2 {
            let error = #expect(throws: ResourceError.self) { try body() }
            #expect(error?.code == .io)
        }
        fixture.page.stop(task)
    }

    @Test func failsBeforeAResponse() async throws {
        let sinks = Sinks()
        let fixture = try Fixture(["app": sinks.handler])
        let task = try #require(fixture.page.startTask(request("app://a.example/")))
        sinks.all[0].fail(ResourceError(.offline, "no network"))
        guard case .failed(let error) = task.end else { return #expect(Bool(false), "not failed") }
        #expect((error as? URLError)?.code == .notConnectedToInternet)
        #expect(throws: ResourceError.self) { try sinks.all[0].receive(head, length: nil) }
        #expect(task.responses.isEmpty)
    }

    /// A task that records the bytes.
    // Unchecked: the main actor alone uses the object.
    private final class RecordingTask: NSObject, WKURLSchemeTask, @unchecked Sendable {
        let request = WKWebViewAdapterTests.request("app://a.example/")
        var data = Data()
        var largest = 0
        var isFinished = false
        func didReceive(_ response: URLResponse) {}
        func didReceive(_ data: Data) {
            self.data += data
            largest = max(largest, data.count)
        }
        func didFinish() { isFinished = true }
        func didFailWithError(_ error: any Error) {}
    }

    private func send(_ body: Data, isWhole: Bool, to sink: WKWebViewSchemeTask) async throws {
        if isWhole { return try sink.receive(head, whole: .bytes(body)) }
        try sink.receive(head, length: nil)
        try await sink.receive(body)
        sink.finish()
    }

    @Test("The bytes that the web process has not confirmed are limited", arguments: [true, false])
    func boundsTheBytesInFlight(isWhole: Bool) async throws {
        let task = RecordingTask()
        let gate = CallGate()
        gate.close()
        let window = TransferWindow(patience: .seconds(600)) { await gate.pass() }
        let sink = WKWebViewSchemeTask(task, in: window, onEnd: {})
        let body = (0..<7).reduce(Data()) { $0 + Data(repeating: $1, count: 1 << 20) }
        let work = Task { try await send(body, isWhole: isWhole, to: sink) }
        for await _ in gate.arrivals { break }
        #expect(task.data.count == 2 << 20)
        gate.open()
        try await result(of: work)
        try await until { task.isFinished }
        #expect(task.data == body && task.largest <= 2 << 20)
    }

    @Test("A page that confirms nothing receives the body", arguments: [true, false])
    func continuesWithoutConfirmations(isWhole: Bool) async throws {
        let task = RecordingTask()
        let never: @MainActor () async -> Void = { for await _ in AsyncStream<Void>.makeStream().stream {} }
        let sink = WKWebViewSchemeTask(task, in: TransferWindow(patience: .milliseconds(1), confirm: never), onEnd: {})
        try await send(Data(count: 7 << 20), isWhole: isWhole, to: sink)
        try await until { task.isFinished }
        #expect(task.data.count == 7 << 20)
    }

    @Test("The tasks of a view send no more than the window, and each of them continues", arguments: [true, false])
    func sharesAWindow(isWhole: Bool) async throws {
        let gate = CallGate()
        gate.close()
        let tasks = (0..<30).map { _ in RecordingTask() }
        let total = { tasks.reduce(0) { $0 + $1.data.count } }
        var (confirmed, largest) = (0, 0)
        let window = TransferWindow(patience: .seconds(600)) {
            let sent = total()
            largest = max(largest, sent - confirmed)
            await gate.pass()
            confirmed = sent
        }
        // A sink that is released sends nothing more.
        let sinks = tasks.map { WKWebViewSchemeTask($0, in: window, onEnd: {}) }
        let works = sinks.map { sink in Task { try await send(Data(count: 3 << 20), isWhole: isWhole, to: sink) } }
        for await _ in gate.arrivals { break }
        for _ in 0..<100 { await Task.yield() }
        #expect(total() == TransferWindow.limit)
        gate.open()
        for work in works { try await work.value }
        try await until { tasks.allSatisfy(\.isFinished) }
        #expect(tasks.allSatisfy { $0.data.count == 3 << 20 } && largest <= TransferWindow.limit)
        withExtendedLifetime(sinks) {}
    }

    @Test("A task that ends gives up its turn, and the others do not wait for it")
    func leavesAWindow() async throws {
        let gate = CallGate()
        gate.close()
        let window = TransferWindow(patience: .seconds(600)) { await gate.pass() }
        let tasks = (0..<20).map { _ in RecordingTask() }
        let sinks = tasks.map { WKWebViewSchemeTask($0, in: window, onEnd: {}) }
        let works = sinks.map { sink in Task { try await send(Data(count: 2 << 20), isWhole: false, to: sink) } }
        for await _ in gate.arrivals { break }
        for _ in 0..<100 { await Task.yield() }
        for sink in sinks.dropLast() { sink.stop() }
        for work in works.dropLast() { _ = await work.result }
        #expect(tasks.last?.data.isEmpty == true)
        gate.open()
        try await works[19].value
        #expect(tasks.last?.data.count == 2 << 20)
    }

    @Test func stopsAWholeBodyThatContinues() async throws {
        let sinks = Sinks()
        let fixture = try Fixture(["app": sinks.handler])
        let task = try #require(fixture.page.startTask(request("app://a.example/")))
        try sinks.all[0].receive(head, whole: .bytes(Data(count: 7 << 20)))
        fixture.page.stop(task)
        for _ in 0..<100 { await Task.yield() }
        #expect(task.data.count == 2 << 20)
    }

    @Test("A file that is shorter than its slice fails the task, after the bytes before")
    func failsAWholeBodyThatEndsEarly() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("body", Data(count: 3 << 20))
        let slice = FileSlice(try OpenFile(path: path), range: 0..<(4 << 20))
        let sinks = Sinks()
        let fixture = try Fixture(["app": sinks.handler])
        let task = try #require(fixture.page.startTask(request("app://a.example/")))
        try sinks.all[0].receive(head, whole: .file(slice))
        await task.waitForEnd()
        guard case .failed(let error) = task.end else { return #expect(Bool(false), "not failed") }
        #expect((error as? URLError)?.code == .cannotOpenFile && task.data.count == 2 << 20)
    }

    @Test func stopsTheDelivery() async throws {
        var stopped = false
        let handler: SchemeHandler = { _, sink in
            let delivery = SchemeTaskDelivery(to: sink)
            delivery.start(
                answer: {
                    defer { stopped = true }
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    throw CancellationError()
                })
            return delivery
        }
        let fixture = try Fixture(["app": handler])
        let task = try #require(fixture.page.startTask(request("app://a.example/")))
        await Task.yield()
        fixture.page.stop(task)
        try await until { stopped }
    }

    @Test func recognizesTheDocument() async throws {
        let sinks = Sinks()
        let fixture = try Fixture(["app": sinks.handler])
        fixture.view.load("app://a.example/#x")
        try await until { sinks.requests.count == 1 }
        #expect(sinks.requests[0].isMainDocument)
        sinks.all[0].fail(ResourceError(.unknownHost, "none"))
        try await fixture.signals(until: "failed app://a.example/#x")
        #expect(fixture.errors.map(\.code) == [.unknownHost])
        fixture.page.startTask(request("app://a.example/"))
        #expect(!sinks.requests[1].isMainDocument)
    }

    @Test func mapsErrors() {
        let codes: [(ResourceError.Code, EngineError.Code)] = [
            (.unknownHost, .unknownHost), (.cannotConnect, .cannotConnect), (.tls, .tls), (.timedOut, .timedOut),
            (.connectionLost, .connectionLost), (.tooManyRedirects, .badAnswer), (.offline, .cannotConnect),
            (.cancelled, .loadFailed), (.internal, .loadFailed), (.blocked, .loadFailed),
        ]
        for (code, expected) in codes {
            let error = ResourceError(code, "text").urlError(at: url("app://a.example/x"))
            let failure = LoadFailure(error, at: "")
            #expect(failure.error.code == expected && failure.kind == .failed, "\(code)")
            #expect(failure.error.location == "app://a.example/x")
        }
        #expect(LoadFailure(URLError(.cancelled), at: "a").kind == .cancelled)
        let interrupted = LoadFailure(NSError(domain: "WebKitErrorDomain", code: 102), at: "a")
        #expect(interrupted.kind == .interrupted && interrupted.error.location == "a")
        #expect(LoadFailure(NSError(domain: "WebKitErrorDomain", code: 103), at: "a").error.code == .blocked)
    }
}
