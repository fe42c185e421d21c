// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTypes
import NIOCore
import ResourceLoading
import Testing
import ZlibStreams

@testable import HTTPTransport
@testable import NIOTransport

/// Requirements that every transport must meet.
@Suite("Conformance of transports", .timeLimit(.minutes(3)))
struct ConformanceTests {
    private func withOrigin<Result: Sendable>(
        _ subject: Subject, _ routes: [OriginRoute], faults: String? = nil, _ limits: Subject.Limits = .init(),
        _ body: @Sendable (OriginServer, any HTTPTransporting) async throws -> Result
    ) async throws -> Result {
        var settings = OriginServer.Configuration(routes: routes)
        settings.faults = try faults.map(Fault.parse) ?? []
        let server = try await OriginServer.start(settings)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await subject.with(limits) { try await body(server, $0) })
        } catch {
            result = .failure(error)
        }
        await server.stop()
        return try result.get()
    }

    /// Expects an error with a phase and a one-line message without the texts of the underlying library.
    private func expectFailure<Value>(
        _ phase: TransportFailure.Phase, _ codes: Set<ResourceError.Code>, at url: String,
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
    ) async {
        do {
            _ = try await body()
            Issue.record("no error", sourceLocation: sourceLocation)
        } catch let error as ResourceError {
            #expect(
                error.transportPhase == phase, "\(error); \(error.cause.map { "\($0)" } ?? "")",
                sourceLocation: sourceLocation)
            #expect(codes.contains(error.code), "\(error)", sourceLocation: sourceLocation)
            #expect(error.location == url, sourceLocation: sourceLocation)
            #expect(
                !error.message.contains("\n") && !error.message.contains("Error") && !error.message.contains("errno")
                    && !error.message.contains("NIO") && error.message.count < 100,
                "\(error.message)", sourceLocation: sourceLocation)
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
    }

    // MARK: Responses

    @Test("The response has the head and body that were sent", arguments: Subject.allCases)
    func answer(subject: Subject) async throws {
        let route = try route(.get, "/*") { _ in
            OriginResponse(
                .init(code: 203), headers: [.contentType: "text/plain", .eTag: "\"1\""],
                body: .bytes(Data("abc".utf8)))
        }
        try await withOrigin(subject, [route]) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/a%2Fb?c=%20|")
            #expect(response.head.status.code == 203 && response.head.headerFields[.eTag] == "\"1\"")
            #expect(response.head.headerFields[.contentLength] == "3")
            #expect(try await response.body.collect(upTo: 3) == Data("abc".utf8))
            let seen = try #require(origin.requests.first)
            // URLSession sends only characters that RFC 3986 allows.
            #expect(seen.path == "/a%2Fb" && seen.query == (subject == .urlSession ? "c=%20%7C" : "c=%20|"))
        }
    }

    @Test("A response is streamed: the first byte does not wait for the last", arguments: Subject.allCases)
    func streaming(subject: Subject) async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let route = try route(.get, "/") { _ in
            OriginResponse(
                body: .stream(length: nil) { writer in
                    try await writer.write(Data("one".utf8))
                    for await _ in gate { break }
                    try await writer.write(Data("two".utf8))
                })
        }
        try await withOrigin(subject, [route]) { origin, transport async throws in
            guard case .stream(let stream) = try await transport.send(origin.url + "/").body else {
                Issue.record("no stream")
                return
            }
            var text = ""
            for try await data in stream {
                text += String(decoding: data, as: UTF8.self)
                if text == "one" { open.yield() }
            }
            #expect(text == "onetwo")
        }
    }

    @Test("A large body arrives complete and in order", arguments: Subject.allCases)
    func large(subject: Subject) async throws {
        let content = Data((0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let route = try route(.get, "/") { _ in OriginResponse(body: .bytes(content)) }
        try await withOrigin(subject, [route]) { origin, transport async throws in
            #expect(try await transport.get(origin.url + "/") == content)
        }
    }

    @Test(
        "Redirects are returned and not followed", arguments: Subject.allCases, [301, 302, 303, 307, 308])
    func redirects(subject: Subject, status: Int) async throws {
        let routes = [
            try route(.get, "/") { _ in OriginResponse(.init(code: status), headers: [.location: "/next"]) },
            try route(.get, "/next") { _ in .text("followed") },
        ]
        try await withOrigin(subject, routes) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            #expect(response.head.status.code == status && response.head.headerFields[.location] == "/next")
            #expect(try await response.body.collect(upTo: 100) == Data())
            #expect(origin.requestCount == 1)
        }
    }

    @Test("Server errors are responses", arguments: Subject.allCases, [400, 401, 404, 500, 503])
    func errors(subject: Subject, status: Int) async throws {
        let route = try route(.get, "/") { _ in OriginResponse(.init(code: status), body: .bytes(Data("no".utf8))) }
        try await withOrigin(subject, [route]) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            #expect(response.head.status.code == status)
            #expect(try await response.body.collect(upTo: 10) == Data("no".utf8))
        }
    }

    @Test("Responses without a body", arguments: Subject.allCases, [204, 304, 200])
    func bodiless(subject: Subject, status: Int) async throws {
        let method: HTTPRequest.Method = status == 200 ? .head : .get
        let route = try route(.get, "/") { _ in
            OriginResponse(.init(code: status), headers: [.eTag: "\"1\""], body: .bytes(Data()))
        }
        try await withOrigin(subject, [route]) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/", method)
            #expect(response.head.status.code == status && response.head.headerFields[.eTag] == "\"1\"")
            guard case .empty = response.body else {
                Issue.record("a body")
                return
            }
        }
    }

    @Test("A head has Content-Encoding only if the bytes are encoded", arguments: Subject.allCases)
    func codings(subject: Subject) async throws {
        let text = Data(repeating: 0x61, count: 50_000)
        let content = try Deflate.encode(text, as: .gzip)
        let route = try route(.get, "/") { _ in
            OriginResponse(headers: [.contentEncoding: "gzip"], body: .bytes(content))
        }
        try await withOrigin(subject, [route]) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            let bytes = try await response.body.collect(upTo: 100_000)
            if transport.capabilities.contains(.decodes) {
                #expect(bytes == text)
                #expect(response.head.headerFields[.contentEncoding] == nil)
                #expect(response.head.headerFields[.contentLength] == nil && response.body.length == nil)
            } else {
                #expect(bytes == content)
                #expect(response.head.headerFields[.contentEncoding] == "gzip")
                #expect(response.head.headerFields[.contentLength] == "\(content.count)")
            }
            // With DecodingTransport, all transports have the same result.
            #expect(try await DecodingTransport(transport).get(origin.url + "/") == text)
        }
    }

    @Test("An informational response is not returned", arguments: Subject.allCases)
    func informational(subject: Subject) async throws {
        try await RawServer.with { input, output in
            _ = try await input.next()
            try await output.write(
                ByteBuffer(
                    string: "HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n"
                        + "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
        } _: { server async throws in
            try await subject.with { transport async throws in
                let response = try await transport.send(server.url + "/")
                #expect(response.head.status == .ok)
                #expect(try await response.body.collect(upTo: 2) == Data("ok".utf8))
            }
        }
    }

    @Test("Connection-specific fields are neither sent nor returned", arguments: Subject.allCases)
    func connectionFields(subject: Subject) async throws {
        let (heads, head) = AsyncStream<String>.makeStream()
        try await RawServer.with { input, output in
            var text = ""
            while !text.hasSuffix("\r\n\r\n"), let buffer = try await input.next() { text += String(buffer: buffer) }
            head.yield(text.lowercased())
            try await output.write(
                ByteBuffer(
                    string: "HTTP/1.1 200 OK\r\nconnection: x-secret , x-other\r\nx-secret: 1\r\nx-other: 2\r\n"
                        + "x-kept: 3\r\nkeep-alive: timeout=5\r\nupgrade: h2c\r\ncontent-length: 2\r\n\r\nok"))
        } _: { server async throws in
            try await subject.with { transport async throws in
                let names = ["connection", "x-hop", "x-end", "keep-alive", "proxy-authorization", "te"]
                var fields = HTTPFields()
                for name in names {
                    fields[try #require(HTTPField.Name(name))] = name == "connection" ? "X-Hop, keep-alive" : "1"
                }
                let response = try await transport.send(server.url + "/", .get, fields)
                let up = response.head.headerFields
                for name in ["connection", "x-secret", "x-other", "keep-alive", "upgrade"] {
                    #expect(up[try #require(HTTPField.Name(name))] == nil, "\(name) came up")
                }
                #expect(up[try #require(HTTPField.Name("x-kept"))] == "3")
                var out = ""
                for await text in heads {
                    out = text
                    break
                }
                #expect(out.contains("x-end: 1\r\n"))
                for name in ["x-hop:", "\r\nte:", "proxy-authorization:", "keep-alive: 1"] {
                    #expect(!out.contains(name), "\(name) went out")
                }
            }
        }
    }

    @Test(
        "Field names keep their case, and cookies are sent in one field, as HTTP/1.1 servers require",
        arguments: Subject.allCases)
    func requestFields(subject: Subject) async throws {
        let (heads, head) = AsyncStream<String>.makeStream()
        try await RawServer.with { input, output in
            var text = ""
            while !text.hasSuffix("\r\n\r\n"), let buffer = try await input.next() { text += String(buffer: buffer) }
            head.yield(text)
            try await output.write(ByteBuffer(string: "HTTP/1.1 204 No Content\r\n\r\n"))
        } _: { server async throws in
            try await subject.with { transport async throws in
                // Setting the field by its name splits the value into several fields.
                var fields = HTTPFields()
                fields[.cookie] = "a=1; b=2, 3; c"
                #expect(fields.count == 3)
                fields[try #require(HTTPField.Name("X-Written-SO"))] = "1"
                _ = try await transport.send(server.url + "/", .get, fields)
                var lines: [Substring] = []
                for await text in heads {
                    lines = text.split(separator: "\r\n")
                    break
                }
                let cookies = lines.filter { $0.lowercased().hasPrefix("cookie:") }
                #expect(cookies.map { $0.drop { $0 != " " } } == [" a=1; b=2, 3; c"])
                // URLSession changes the case of field names.
                let written = subject == .urlSession ? "X-Written-So: 1" : "X-Written-SO: 1"
                #expect(lines.contains { $0 == written }, "\(lines)")
            }
        }
    }

    // MARK: Uploads

    /// Returns a body of each kind with `content`.
    private func bodies(_ content: Data, path: String) throws -> [ResourceBody] {
        try content.write(to: URL(filePath: path))
        let file = FileSlice(try OpenFile(path: path), range: 0..<Int64(content.count))
        func stream(_ length: Int64?) -> ResourceBody {
            let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
            for start in stride(from: 0, to: content.count, by: 70_001) {
                continuation.yield(content[start..<min(start + 70_001, content.count)])
            }
            continuation.finish()
            return .stream(ByteStream(stream, length: length))
        }
        return [.bytes(content), .file(file), stream(Int64(content.count)), stream(nil)]
    }

    @Test("Uploads arrive complete and report their progress", arguments: Subject.allCases)
    func uploads(subject: Subject) async throws {
        let content = Data((0..<1_200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
        let path = FileManager.default.temporaryDirectory.appending(path: "conform-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let route = try route(.post, "/*") { .text("\($0.body == content)") }
        let bodies = try bodies(content, path: path)
        try await withOrigin(subject, [route]) { origin, transport async throws in
            for body in bodies {
                let seen = Mutex<[UploadProgress]>([])
                let request = try #require(HTTPRequest(method: .post, urlText: origin.url + "/"))
                let answer = try await transport.send(request, body: body) { progress in
                    seen.withLock { $0.append(progress) }
                }
                #expect(try await answer.body.collect(upTo: 10) == Data("true".utf8))
                let progress = seen.withLock { $0 }
                #expect(progress.last?.sent == 1_200_000, "\(progress)")
                #expect(progress.map(\.sent) == progress.map(\.sent).sorted())
                if body.length != nil { #expect(progress.allSatisfy { $0.total == 1_200_000 }) }
            }
        }
    }

    @Test("A request fails with the error of its body", arguments: Subject.allCases)
    func failingBody(subject: Subject) async throws {
        let route = try route(.post, "/*") { _ in .text("") }
        try await withOrigin(subject, [route]) { origin, transport async throws in
            let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
            continuation.yield(Data("abc".utf8))
            continuation.finish(throwing: ResourceError(.damaged, "blob"))
            await #expect {
                try await transport.send(origin.url + "/", .post, body: .stream(ByteStream(stream)))
            } throws: { ($0 as? ResourceError)?.code == .damaged }
        }
    }

    @Test("An error of the app's request body is the cause of a ResourceError", arguments: Subject.allCases)
    func foreignError(subject: Subject) async throws {
        struct Foreign: Error {}
        let route = try route(.post, "/*") { _ in .text("") }
        try await withOrigin(subject, [route]) { origin, transport async throws in
            for length in [nil, 10] as [Int64?] {
                let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
                continuation.yield(Data("abc".utf8))
                continuation.finish(throwing: Foreign())
                await #expect {
                    try await transport.send(
                        origin.url + "/", .post, body: .stream(ByteStream(stream, length: length)))
                } throws: { error in
                    let error = error as? ResourceError
                    return error?.code == .io && error?.cause is Foreign && error?.location == origin.url + "/"
                }
            }
        }
    }

    @Test("A body whose length differs from the announced one is an error", arguments: Subject.allCases, [Int64(2), 4])
    func wrongLength(subject: Subject, length: Int64) async throws {
        let route = try route(.post, "/*") { _ in .text("") }
        try await withOrigin(subject, [route]) { origin, transport async throws in
            let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
            continuation.yield(Data("abc".utf8))
            continuation.finish()
            await expectFailure(.send, [.invalidRequest, .connectionLost], at: origin.url + "/") {
                try await transport.send(
                    origin.url + "/", .post, body: .stream(ByteStream(stream, length: length)))
            }
        }
    }

    // MARK: Cancellation

    @Test(
        "Cancelling closes the stream, before the head or during the body", arguments: Subject.allCases, [true, false])
    func cancellation(subject: Subject, hasHead: Bool) async throws {
        let (asks, asked) = AsyncStream<Void>.makeStream()
        try await RawServer.with { input, output in
            _ = try await input.next()
            if hasHead {
                try await output.write(
                    ByteBuffer(string: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"))
            }
            asked.yield()
        } _: { server async throws in
            try await subject.with { transport async throws in
                let (pieces, piece) = AsyncStream<Data>.makeStream()
                let task = Task {
                    guard case .stream(let stream) = try await transport.send(server.url + "/").body else { return }
                    for try await data in stream { piece.yield(data) }
                }
                for await _ in asks { break }
                if hasHead { for await _ in pieces { break } }
                task.cancel()
                await #expect(throws: (any Error).self) { try await task.value }
                await server.closed()
            }
        }
    }

    @Test("Releasing a body closes the stream", arguments: Subject.allCases)
    func dropped(subject: Subject) async throws {
        try await RawServer.with { input, output in
            _ = try await input.next()
            try await output.write(
                ByteBuffer(string: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"))
        } _: { server async throws in
            try await subject.with { transport async throws in
                func take() async throws {
                    guard case .stream = try await transport.send(server.url + "/").body else { return }
                }
                try await take()
                await server.closed()
            }
        }
    }

    @Test("A transport sends nothing after its shutdown", arguments: Subject.allCases)
    func shutDown(subject: Subject) async throws {
        let route = try route(.get, "/*") { _ in .text("") }
        let settings = OriginServer.Configuration(routes: [route])
        let server = try await OriginServer.start(settings)
        let transport = try await subject.with { $0 }
        await expectFailure(.connect, [.cannotConnect], at: server.url + "/") {
            try await transport.send(server.url + "/")
        }
        #expect(server.requestCount == 0)
        await server.stop()
    }

    // MARK: Failures by phase

    @Test("A name without an address fails in the resolve phase", arguments: Subject.allCases)
    func resolve(subject: Subject) async throws {
        try await subject.with { transport async in
            await expectFailure(.resolve, [.unknownHost], at: "http://nothing.invalid/") {
                try await transport.send("http://nothing.invalid/")
            }
        }
    }

    @Test("A refused connection fails immediately in the connect phase", arguments: Subject.allCases)
    func connect(subject: Subject) async throws {
        let port = try RefusingPort()
        // If the transport retried, the test would exceed its time limit.
        try await subject.with(.init(read: .seconds(600), connect: .seconds(600))) { transport async in
            #expect(transport.capabilities.contains(.refusesAtOnce))
            await expectFailure(.connect, [.cannotConnect], at: port.url) { try await transport.send(port.url) }
        }
        withExtendedLifetime(port) {}
    }

    @Test("An untrusted certificate fails in the tls phase", arguments: Subject.allCases)
    func tls(subject: Subject) async throws {
        var settings = OriginServer.Configuration(routes: [try route(.get, "/*") { _ in .text("secret") }])
        settings.usesTLS = true
        let server = try await OriginServer.start(settings)
        try await subject.with { transport async in
            await expectFailure(.tls, [.tls], at: server.url + "/") { try await transport.send(server.url + "/") }
        }
        #expect(server.requestCount == 0)
        await server.stop()
    }

    @Test("A host that stops reading a request causes the write timeout", arguments: Subject.allCases)
    func write(subject: Subject) async throws {
        try await RawServer.with(isReading: false) { server async throws in
            try await subject.with(.init(write: .milliseconds(300), connect: .milliseconds(300))) { transport async in
                await expectFailure(.send, [.timedOut], at: server.url + "/") {
                    // The body is larger than the buffers of two sockets.
                    try await transport.send(server.url + "/", .post, body: .bytes(Data(count: 64 << 20)))
                }
            }
        }
    }

    @Test(
        "A connection that breaks fails in the receive phase", arguments: Subject.allCases,
        ["reset:/*", "reset=1000:/*", "truncate=1000:/*"])
    func broken(subject: Subject, fault: String) async throws {
        let route = try route(.get, "/*") { _ in OriginResponse(body: .bytes(Data(count: 100_000))) }
        try await withOrigin(subject, [route], faults: fault) { origin, transport async in
            let url = origin.url + "/"
            await expectFailure(.receive, [.connectionLost], at: url) { try await transport.get(url) }
        }
    }

    @Test(
        "Silence causes the read timeout, before and during the response", arguments: Subject.allCases,
        ["stall:/*", "stall=1000:/*"])
    func silence(subject: Subject, fault: String) async throws {
        let route = try route(.get, "/*") { _ in OriginResponse(body: .bytes(Data(count: 100_000))) }
        let limits = Subject.Limits(read: .milliseconds(200), connect: .milliseconds(200))
        try await withOrigin(subject, [route], faults: fault, limits) { origin, transport async in
            let url = origin.url + "/"
            await expectFailure(.receive, [.timedOut], at: url) { try await transport.get(url) }
        }
    }

    @Test(
        "By default neither the silence of a host nor the time in the queue has a limit", arguments: Subject.allCases
    )
    func defaultLimits(subject: Subject) async throws {
        #expect(subject.defaultLimits.allSatisfy { $0 == nil })
        let (gate, open) = AsyncStream<Void>.makeStream()
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let routes = [
            try route(.get, "/late") { _ in
                arrival.yield()
                for await _ in gate { break }
                return .text("late")
            },
            try route(.get, "/silent") { _ in
                for await _ in AsyncStream<Void>.makeStream().stream {}
                return .text("never")
            },
        ]
        try await withOrigin(subject, routes) { origin, transport async throws in
            async let late = transport.get(origin.url + "/late")
            for await _ in arrivals { break }
            // Waits twice as long as the time limit of a limited request.
            try await subject.with(.init(read: .seconds(1), connect: .seconds(1))) { limited async in
                for _ in 0..<2 {
                    await expectFailure(.receive, [.timedOut], at: origin.url + "/silent") {
                        try await limited.get(origin.url + "/silent")
                    }
                }
            }
            open.yield()
            #expect(try await late == Data("late".utf8))
        }
    }

    #if os(Linux)
        @Test("The connection to a silent host uses TCP keep-alive only with `keepAlive`", arguments: Subject.allCases)
        func keepAlive(subject: Subject) async throws {
            let (gate, open) = AsyncStream<Void>.makeStream()
            let (arrivals, arrival) = AsyncStream<Void>.makeStream()
            let routes = [
                try route(.get, "/late") { _ in
                    arrival.yield()
                    for await _ in gate { break }
                    return .text("late")
                }
            ]
            let ping = try await OriginServer.start(.init(routes: [try route(.get, "/") { _ in .text("pong") }]))
            try await withOrigin(subject, routes) { origin, transport async throws in
                async let late = transport.get(origin.url + "/late")
                for await _ in arrivals { break }
                var isOn = false
                // The retransmission timer runs before the keep-alive timer.
                for _ in 0..<200 where !isOn {
                    isOn = try KeepAliveTimers.isRunning(to: origin.port)
                    _ = try await transport.get(ping.url + "/")
                }
                #expect(isOn == transport.capabilities.contains(.keepAlive))
                open.yield()
                #expect(try await late == Data("late".utf8))
            }
            await ping.stop()
        }
    #endif

    @Test("Only an event stream may be silent for longer than the read timeout", arguments: Subject.allCases)
    func events(subject: Subject) async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let routes = [
            try route(.get, "/events") { _ in
                OriginResponse(
                    headers: [.contentType: "Text/Event-Stream; charset=utf-8"],
                    body: .stream(length: nil) { writer in
                        try await writer.write(Data("data: 1\n\n".utf8))
                        for await _ in gate { break }
                        try await writer.write(Data("data: 2\n\n".utf8))
                    })
            },
            try route(.get, "/plain") { _ in
                OriginResponse(
                    body: .stream(length: nil) { writer in
                        try await writer.write(Data("1".utf8))
                        for await _ in AsyncStream<Void>.makeStream().stream {}
                    })
            },
        ]
        let limits = Subject.Limits(read: .seconds(5), connect: .seconds(5))
        try await withOrigin(subject, routes, limits) { origin, transport async throws in
            guard case .stream(let stream) = try await transport.send(origin.url + "/events").body else { return }
            var text = ""
            for try await data in stream {
                text += String(decoding: data, as: UTF8.self)
                guard text == "data: 1\n\n" else { continue }
                // Waits twice as long as the time limit of another body.
                for _ in 0..<2 {
                    await expectFailure(.receive, [.timedOut], at: origin.url + "/plain") {
                        try await transport.get(origin.url + "/plain")
                    }
                }
                open.yield()
            }
            #expect(text == "data: 1\n\ndata: 2\n\n")
        }
    }

    @Test(
        "A body that is unread for longer than the read timeout still arrives complete", arguments: Subject.allCases)
    func unreadBody(subject: Subject) async throws {
        // The body is larger than the client's read-ahead, so that the server must wait.
        let bytes = Data((0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) })
        let routes = [
            try route(.get, "/file") { _ in OriginResponse(body: .bytes(bytes)) },
            try route(.get, "/silent") { _ in
                for await _ in AsyncStream<Void>.makeStream().stream {}
                return OriginResponse(body: .bytes(Data()))
            },
        ]
        let limits = Subject.Limits(read: .seconds(2), connect: .seconds(2))
        try await withOrigin(subject, routes, limits) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/file")
            // Waits twice as long as the time limit of another response.
            for _ in 0..<2 {
                await expectFailure(.receive, [.timedOut], at: origin.url + "/silent") {
                    try await transport.get(origin.url + "/silent")
                }
            }
            #expect(try await response.body.collect(upTo: 8 << 20) == bytes)
        }
    }

    @Test("The event stream timeout applies if it is set", arguments: Subject.allCases)
    func limitedEvents(subject: Subject) async throws {
        let route = try route(.get, "/*") { _ in
            OriginResponse(headers: [.contentType: "text/event-stream"], body: .bytes(Data(count: 10_000)))
        }
        let limits = Subject.Limits(events: .milliseconds(200))
        try await withOrigin(subject, [route], faults: "stall=1000:/*", limits) { origin, transport async in
            await expectFailure(.receive, [.timedOut], at: origin.url + "/") {
                try await transport.get(origin.url + "/")
            }
        }
    }

    @Test("A request whose URL is not http or https is not sent", arguments: Subject.allCases)
    func urls(subject: Subject) async throws {
        try await subject.with { transport async in
            for (scheme, authority) in [
                ("ftp", "a.example"), ("http", "127.0.0.1:65536"), ("http", "a b"), ("http", ""),
            ] {
                let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/")
                await #expect(throws: ResourceError.self) { try await transport.send(request, body: .empty) }
            }
            // The URL composed of these parts would lead to another host.
            for (authority, path) in [
                ("a.example", "@127.0.0.1/"), ("a.example", ":80/"), ("127.0.0.1/a", "/"), ("127.0.0.1?", "/"),
                ("127.0.0.1\\a", "/"), ("127.0.0.1#", "/"), ("127.0.0.1", ""),
            ] {
                let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: path)
                await #expect {
                    try await transport.send(request, body: .empty)
                } throws: {
                    ($0 as? ResourceError)?.code == .invalidRequest
                }
            }
        }
    }
}
