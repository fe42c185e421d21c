// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import HTTPCache

/// Readers of one answer of which one is too slow for the other.
@Suite(.timeLimit(.minutes(1)))
struct LaggingTests {
    private static let whole = (1...CountedPieces.count).reduce(into: Data()) {
        $0 += Data(repeating: UInt8($1), count: CountedPieces.size)
    }

    private let pieces = CountedPieces()

    /// - Parameter length: whether the origin says how long it is.
    private func answer(_ fields: HTTPFields = [:], saysLength: Bool = true) -> ResourceResponse {
        var fields = fields
        fields[.cacheControl] = "max-age=60"
        if saysLength { fields[.contentLength] = "\(Self.whole.count)" }
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: .stream(ByteStream(pieces)),
            provenance: Provenance(.network, reason: "the origin"))
    }

    private func makeCache(_ origin: ScriptedOrigin, largestEntry: Int64 = 16 << 20) -> CachingLoader {
        CachingLoader(
            next: origin, store: MemoryCacheStore(capacity: 32 << 20),
            configuration: .init(largestEntry: largestEntry, readAhead: 10 * CountedPieces.size),
            now: { TestTime().now })
    }

    /// Lets one reader read a piece and stop, and another read all.
    /// - Returns: what the first has and what is left to it.
    private func lag(_ cache: CachingLoader) async throws -> (start: Data, rest: ByteStream.Iterator) {
        guard case .stream(let slow) = try await cache.load(.get())?.body,
            case .stream(let fast) = try await cache.load(.get())?.body
        else { throw CancellationError() }
        var iterator = slow.makeAsyncIterator()
        let start = try await iterator.next() ?? Data()
        #expect(try await ResourceBody.stream(fast).collect(upTo: 1 << 24) == Self.whole)
        #expect(pieces.given == CountedPieces.count)
        return (start, iterator)
    }

    private func all(_ found: (start: Data, rest: ByteStream.Iterator)) async throws -> Data {
        var (data, rest) = found
        while let piece = try await rest.next() { data += piece }
        return data
    }

    @Test("One that stops to read does not stop the other, and has the rest from what was stored")
    func stored() async throws {
        let origin = ScriptedOrigin { [self] _, _ in answer() }
        let cache = makeCache(origin)
        #expect(try await all(lag(cache)) == Self.whole)
        #expect(origin.count == 1)
        #expect(cache.counters.detached == 1 && cache.counters.shared == 1 && cache.counters.misses == 1)
    }

    @Test("Where the answer is too large to be stored, it asks for the rest, by its tag")
    func askedAgain() async throws {
        let origin = ScriptedOrigin { [self] request, number in
            guard number > 1 else { return answer([.eTag: "\"1\""], saysLength: false) }
            let range = try #require(request.head.headerFields[.range].flatMap { ByteRange($0) })
            let part = try #require(range.resolved(in: Int64(Self.whole.count)))
            #expect(request.head.headerFields[.ifRange] == "\"1\"" && part.lowerBound > 0)
            let fields: HTTPFields = [
                .eTag: "\"1\"", .contentRange: ContentRange(part, of: Int64(Self.whole.count)).text,
            ]
            return ResourceResponse(
                head: HTTPResponse(status: .partialContent, headerFields: fields),
                body: .bytes(Self.whole.dropFirst(Int(part.lowerBound))),
                provenance: Provenance(.network, reason: "the origin"))
        }
        let cache = makeCache(origin, largestEntry: 100_000)
        #expect(try await all(lag(cache)) == Self.whole)
        #expect(origin.count == 2)
    }

    @Test("An origin that knows no ranges sends all, of which the beginning is passed over")
    func withoutRanges() async throws {
        let origin = ScriptedOrigin { [self] _, number in
            var answer = answer([.eTag: "\"1\""])
            if number > 1 { answer.body = .stream(ByteStream(Pieces(Self.whole))) }
            return answer
        }
        #expect(try await all(lag(makeCache(origin, largestEntry: 100_000))) == Self.whole)
    }

    @Test("What is another by then is not put together with the first part")
    func changed() async throws {
        let origin = ScriptedOrigin { [self] _, number in answer([.eTag: "\"\(number)\""]) }
        let found = try await lag(makeCache(origin, largestEntry: 100_000))
        let error = await #expect(throws: ResourceError.self) { _ = try await all(found) }
        #expect(error?.code == .connectionLost)
    }

    @Test("Where nothing would give it the rest, it sets the pace")
    func paced() async throws {
        let origin = ScriptedOrigin { [self] _, _ in answer() }
        let cache = makeCache(origin, largestEntry: 100_000)
        guard case .stream(let slow) = try await cache.load(.get())?.body,
            case .stream(let fast) = try await cache.load(.get())?.body
        else { throw CancellationError() }
        var (ahead, behind) = (fast.makeAsyncIterator(), slow.makeAsyncIterator())
        var (first, second) = (Data(), Data())
        // In step; neither is ever more than the log ahead.
        while let piece = try await ahead.next() {
            first += piece
            if let piece = try await behind.next() { second += piece }
        }
        while let piece = try await behind.next() { second += piece }
        #expect(first == Self.whole && second == Self.whole)
        #expect(origin.count == 1 && cache.counters.detached == 0)
    }

    @Test("A detached reader that leaves ends the request, where nobody else reads")
    func leaving() async throws {
        let origin = ScriptedOrigin { [self] _, _ in answer() }
        let cache = makeCache(origin)
        var found: (start: Data, rest: ByteStream.Iterator)? = try await lag(cache)
        #expect(found?.start.isEmpty == false)
        found = nil
        await cache.settle()
        #expect(try await cache.text(.get()).response.provenance.source == .memory)
    }
}
