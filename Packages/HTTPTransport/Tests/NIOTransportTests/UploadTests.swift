// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import NIOTransport
import ResourceLoading
import Testing

@Suite("Uploads", .timeLimit(.minutes(3)))
struct UploadTests {
    private let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })

    /// Sends a body to an origin that echoes it.
    private func echo(_ body: ResourceBody, _ method: HTTPRequest.Method = .post) async throws -> (Data, OriginRequest)
    {
        let route = try route(method, "/*") { OriginResponse(body: .bytes($0.body)) }
        return try await withOrigin([route]) { origin, transport async throws in
            let answer = try await transport.send(
                origin.url + "/", method, [.contentType: "application/x-any"], body: body)
            #expect(answer.head.status == .ok)
            return (try await answer.body.collect(upTo: 1 << 20), try #require(origin.requests.first))
        }
    }

    private func stream(length: Int64?, error: ResourceError? = nil) -> ResourceBody {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        for start in stride(from: 0, to: content.count, by: 70_001) {
            continuation.yield(content[start..<min(start + 70_001, content.count)])
        }
        continuation.finish(throwing: error)
        return .stream(ByteStream(stream, length: length))
    }

    @Test("Bytes arrive complete", arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func bytes(method: HTTPRequest.Method) async throws {
        let (received, seen) = try await echo(.bytes(content), method)
        #expect(received == content)
        #expect(seen.method == method)
        #expect(seen.headers[.contentLength] == "300000" && seen.headers[.contentType] == "application/x-any")
    }

    @Test("Only the slice of a file is sent")
    func file() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)").path
        try content.write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        for range: Range<Int64> in [1_000..<299_000, 0..<300_000, 7..<7] {
            let (received, seen) = try await echo(.file(FileSlice(try OpenFile(path: path), range: range)))
            #expect(received == content[Int(range.lowerBound)..<Int(range.upperBound)])
            #expect(seen.headers[.contentLength] == "\(range.count)")
        }
    }

    @Test("The length of a stream is announced if it is known; otherwise the stream is chunked")
    func streams() async throws {
        let (known, announced) = try await echo(stream(length: 300_000))
        #expect(known == content)
        #expect(announced.headers[.contentLength] == "300000")
        let (unknown, chunked) = try await echo(stream(length: nil))
        #expect(unknown == content)
        #expect(chunked.headers[.contentLength] == nil)
    }

    @Test("A request without a body is sent without a body")
    func none() async throws {
        let (received, seen) = try await echo(.empty)
        #expect(received == Data())
        #expect(seen.headers[.contentLength].map { $0 == "0" } ?? true)
    }

    @Test("A request fails with the error of its body's stream")
    func failing() async throws {
        await expectFailure(.damaged) { try await echo(stream(length: nil, error: ResourceError(.damaged, "blob"))) }
    }

    @Test("A stream with more or fewer bytes than announced is an error", arguments: [299_999, 300_001])
    func wrongLength(length: Int64) async throws {
        await #expect(throws: ResourceError.self) { try await echo(stream(length: length)) }
    }
}
