// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

@Suite("Flow of rewritten bodies", .timeLimit(.minutes(1)))
struct RewritingFlowTests {
    /// A loader with an endless body whose pieces are created on request.
    private final class Endless: ResourceLoader {
        private struct Pieces: AsyncSequence, AsyncIteratorProtocol {
            let source: Endless
            func makeAsyncIterator() -> Pieces { self }
            mutating func next() async throws -> Data? {
                source.count.withLock { $0 += 1 }
                return Data("<img src=https://cdn.example/x>\(String(repeating: " ", count: 1_000))".utf8)
            }
        }

        private let count = Mutex(0)
        var requestCount: Int { count.withLock { $0 } }

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            struct Source: AsyncSequence, Sendable {
                let source: Endless
                func makeAsyncIterator() -> Pieces { Pieces(source: source) }
            }
            return ResourceResponse(
                head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"]),
                body: .stream(ByteStream(Source(source: self))), provenance: Provenance(.network, reason: "test"))
        }
    }

    @Test("A piece is requested when the previous piece was read, without waiting for the end of the body")
    func backPressure() async throws {
        let source = Endless()
        let loader = RewritingLoader(source, names: .standard) { url, _ in isCovered(url) }
        let answer = try await loader.load(subrequest("https://shop.example/"))
        guard case .stream(let stream)? = answer?.body else {
            Issue.record("no stream")
            return
        }
        #expect(source.requestCount == 0)
        var iterator = stream.makeAsyncIterator()
        for count in 1...50 {
            let piece = try #require(try await iterator.next())
            #expect(piece.starts(with: Data("<img src=containerkit://cdn.example/x>".utf8)))
            #expect(source.requestCount == count)
        }
    }

    @Test("An error of the source reaches the reader after the preceding output")
    func errors() async throws {
        let (pieces, end) = AsyncThrowingStream<Data, any Error>.makeStream()
        end.yield(Data("<p>text".utf8))
        end.finish(throwing: ResourceError(.connectionLost, "cut"))
        struct Cut: ResourceLoader {
            let stream: ByteStream
            func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
                ResourceResponse(
                    head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"]), body: .stream(stream),
                    provenance: Provenance(.network, reason: "test"))
            }
        }
        let loader = RewritingLoader(Cut(stream: ByteStream(pieces)), names: .standard) { _, _ in true }
        guard case .stream(let stream)? = try await loader.load(subrequest("https://shop.example/"))?.body else {
            Issue.record("no stream")
            return
        }
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == Data("<p>text".utf8))
        await #expect(throws: ResourceError.self) { try await iterator.next() }
    }

    @Test("A large file is read in pieces, and a small one keeps its Content-Length")
    func files() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("rewriting-\(UUID().uuidString).css")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let rule = "a{b:url(https://cdn.example/x)}\n"
        for count in [10, 20_000] {
            try Data(String(repeating: rule, count: count).utf8).write(to: URL(fileURLWithPath: path))
            let slice = FileSlice(try OpenFile(path: path), range: 0..<Int64(rule.utf8.count * count))
            struct Disk: ResourceLoader {
                let slice: FileSlice
                func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
                    ResourceResponse(
                        head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/css"]), body: .file(slice),
                        provenance: Provenance(.package, reason: "test"))
                }
            }
            let loader = RewritingLoader(Disk(slice: slice), names: .standard) { url, _ in isCovered(url) }
            let answer = try #require(try await loader.load(subrequest("https://shop.example/a.css")))
            let expected = String(repeating: rule.replacing("https", with: "containerkit"), count: count)
            #expect((answer.head.headerFields[.contentLength] != nil) == (count == 10))
            #expect(try await answer.body.collect(upTo: 1 << 24) == Data(expected.utf8))
        }
    }
}
