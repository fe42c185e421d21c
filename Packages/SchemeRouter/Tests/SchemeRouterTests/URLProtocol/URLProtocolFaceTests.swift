// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Requests of the app", .timeLimit(.minutes(2)))
struct URLProtocolFaceTests {
    @Test("A session receives the response of the loader with its head")
    func answers() async throws {
        let loader = AnsweringLoader { _ in AnsweringLoader.text("loaded", [.contentType: "text/plain"]) }
        let faced = try FacedSession(loader)
        let (text, head) = try await faced.data("https://app.example/a?b=%20c#d")
        #expect(text == "loaded")
        #expect(head.statusCode == 200 && head.value(forHTTPHeaderField: "Content-Type") == "text/plain")
        #expect(head.url?.absoluteString == "https://app.example/a?b=%20c")
        #expect(loader.requests.withLock { $0.map(\.head.urlText) } == ["https://app.example/a?b=%20c"])
    }

    @Test("Requests that are not covered use the network of the session")
    func passes() async throws {
        let loader = AnsweringLoader { _ in AnsweringLoader.text("loaded") }
        let faced = try FacedSession(loader)
        #expect(try await faced.data("https://other.example/").text == "the session")
        #expect(loader.requests.withLock { $0.isEmpty })
    }

    @Test("Streamed bodies and file bodies are delivered completely")
    func pieces() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) }).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let open = try OpenFile(path: file.path)
        let loader = AnsweringLoader { request in
            if request.head.path == "/file" {
                return AnsweringLoader.response(200, .file(FileSlice(open, range: 1..<2_999_999)))
            }
            let (stream, pieces) = AsyncThrowingStream.makeStream(of: Data.self)
            for piece in ["one ", "", "two ", "three"] { pieces.yield(Data(piece.utf8)) }
            pieces.finish()
            return AnsweringLoader.response(200, .stream(ByteStream(stream)))
        }
        let faced = try FacedSession(loader)
        #expect(try await faced.data("https://app.example/stream").text == "one two three")
        let (data, _) = try await faced.session.data(for: FacedSession.request("https://app.example/file"))
        #expect(data == (try Data(contentsOf: file))[1..<2_999_999])
    }

    @Test("Responses without a body end", arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func bodyless(method: String, status: Int) async throws {
        let faced = try FacedSession(AnsweringLoader { _ in AnsweringLoader.response(status) })
        let (text, head) = try await faced.data(FacedSession.request("https://app.example/", method))
        #expect(text.isEmpty && head.statusCode == status)
    }

    @Test("The loader receives request bodies from bytes and from streams")
    func requestBodies() async throws {
        let loader = AnsweringLoader { request in
            AnsweringLoader.text(String(decoding: try await request.body.collect(upTo: 4 << 20), as: UTF8.self))
        }
        let faced = try FacedSession(loader)
        let bytes = try FacedSession.request("https://app.example/", "POST", body: "name=x")
        #expect(try await faced.data(bytes).text == "name=x")
        let long = String(repeating: "0123456789", count: 30_000)
        var streamed = try FacedSession.request("https://app.example/", "PUT")
        streamed.httpBodyStream = InputStream(data: Data(long.utf8))
        #expect(try await faced.data(streamed).text == long)
        // More than the limit of a body that is read before it is sent.
        let longest = Data(count: 3 << 20)
        streamed.httpBodyStream = InputStream(data: longest)
        #expect(try await faced.session.data(for: streamed).0 == longest)
    }

    @Test("A streamed request body has no length if Content-Length has a sign", arguments: ["+5", "-5"])
    func signedLength(field: String) async throws {
        let loader = AnsweringLoader { request in
            _ = try await request.body.collect(upTo: 4 << 20)
            return AnsweringLoader.text(request.body.length.map { "\($0)" } ?? "none")
        }
        let faced = try FacedSession(loader)
        var request = try FacedSession.request("https://app.example/", "PUT")
        // More than the limit of a body that is read before it is sent.
        request.httpBodyStream = InputStream(data: Data(count: 3 << 20))
        request.setValue(field, forHTTPHeaderField: "Content-Length")
        #expect(try await faced.data(request).text == "none")
    }

    @Test("A failure is a URLError with the underlying error")
    func failures() async throws {
        let codes: [(ResourceError.Code, URLError.Code)] = [
            (.unknownHost, .cannotFindHost), (.cannotConnect, .cannotConnectToHost), (.tls, .secureConnectionFailed),
            (.connectionLost, .networkConnectionLost), (.timedOut, .timedOut), (.offline, .notConnectedToInternet),
            (.tooLarge, .dataLengthExceedsMaximum), (.tooManyRedirects, .httpTooManyRedirects),
            (.invalidRequest, .badURL), (.internal, .unknown),
        ]
        for (code, expected) in codes {
            let faced = try FacedSession(AnsweringLoader { _ in throw ResourceError(code, "test failure", at: "here") })
            let error = await #expect(throws: URLError.self) { try await faced.data("https://app.example/") }
            #expect(error?.code == expected)
            let cause = error?.userInfo[NSUnderlyingErrorKey] as? ResourceError
            #expect(cause?.code == code && cause?.message == "test failure")
        }
    }

    @Test("An incomplete body is an error")
    func brokenOff() async throws {
        let loader = AnsweringLoader { _ in
            let (stream, pieces) = AsyncThrowingStream.makeStream(of: Data.self)
            pieces.yield(Data("half".utf8))
            pieces.finish(throwing: ResourceError(.connectionLost, "cut"))
            return AnsweringLoader.response(200, .stream(ByteStream(stream)))
        }
        let faced = try FacedSession(loader)
        let error = await #expect(throws: URLError.self) { try await faced.data("https://app.example/") }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test("A cancelled task cancels the loader and is reported as stopped")
    func cancels() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let (reports, report) = AsyncStream.makeStream(of: URLProtocolFace.Report.self)
        let loader = AnsweringLoader { _ in
            begin.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            end.yield()
            try Task.checkCancellation()
            return AnsweringLoader.text("too late")
        }
        let faced = try FacedSession(loader, observer: { report.yield($0) })
        let failure = AsyncStream.makeStream(of: (any Error)?.self)
        let task = faced.session.dataTask(with: try FacedSession.request("https://app.example/")) { _, _, error in
            failure.continuation.yield(error)
        }
        task.resume()
        for await _ in begun { break }
        task.cancel()
        for await _ in ended { break }
        for await error in failure.stream {
            #expect((error as? URLError)?.code == .cancelled)
            break
        }
        for await report in reports {
            guard case .stopped = report.outcome else {
                Issue.record("\(report.outcome)")
                break
            }
            break
        }
    }

    @Test("A task that is resumed twice or suspended gets one response")
    func resumed() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let loader = AnsweringLoader { _ in
            for await _ in gate {}
            return AnsweringLoader.text("once")
        }
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let held = AnsweringLoader { request in
            begin.yield()
            return try await loader.load(request)
        }
        let faced = try FacedSession(held)
        let answers = AsyncStream.makeStream(of: Data?.self)
        let task = faced.session.dataTask(with: try FacedSession.request("https://app.example/", "POST", body: "x")) {
            data, _, _ in answers.continuation.yield(data)
        }
        task.resume()
        task.resume()
        for await _ in begun { break }
        task.suspend()
        task.resume()
        task.suspend()
        open.finish()
        task.resume()
        for await answer in answers.stream {
            #expect(answer == Data("once".utf8))
            break
        }
        task.resume()
        #expect(loader.requests.withLock(\.count) == 1)
    }

    @Test("A report contains the request, the source and the number of bytes")
    func reports() async throws {
        let (reports, report) = AsyncStream.makeStream(of: URLProtocolFace.Report.self)
        let faced = try FacedSession(AnsweringLoader { _ in AnsweringLoader.text("12345") }) { report.yield($0) }
        _ = try await faced.data("https://app.example/x")
        for await report in reports {
            #expect(report.request.urlText == "https://app.example/x" && report.bytes == 5)
            #expect(report.head?.status == .ok && report.provenance?.reason == "a test")
            #expect(report.responded.map { $0 >= report.started && $0 <= report.ended } == true)
            guard case .finished = report.outcome else {
                Issue.record("\(report.outcome)")
                break
            }
            break
        }
    }

    @Test("Two hundred concurrent requests get their own responses")
    func crowd() async throws {
        let faced = try FacedSession(AnsweringLoader { AnsweringLoader.text($0.head.path ?? "") })
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask { try await faced.data("https://app.example/\(number)").text == "/\(number)" }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
