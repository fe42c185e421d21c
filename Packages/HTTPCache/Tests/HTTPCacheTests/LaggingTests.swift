// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing
import WebSyntax

@testable import HTTPCache

/// Tests of two readers that share a response, if one of them is too slow.
@Suite(.timeLimit(.minutes(1)))
struct LaggingTests {
    private static let whole = (1...CountedPieces.count).reduce(into: Data()) {
        $0 += Data(repeating: UInt8($1), count: CountedPieces.size)
    }

    private let pieces = CountedPieces()

    /// Returns the response of the origin.
    /// - Parameter hasLength: A Boolean value that indicates whether the response has a `Content-Length`.
    private func answer(_ fields: HTTPFields = [:], hasLength: Bool = true) -> ResourceResponse {
        var fields = fields
        fields[.cacheControl] = "max-age=60"
        if hasLength { fields[.contentLength] = "\(Self.whole.count)" }
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

    /// Lets one reader read a piece and stop, and another one read everything.
    /// - Returns: The first piece and the remaining stream of the slow reader.
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

    /// Returns a new reader of a shared response. Only the iterator keeps the response alive.
    private func reader(of cache: CachingLoader) async throws -> ByteStream.Iterator? {
        guard case .stream(let stream) = try await cache.load(.get())?.body else { return nil }
        return stream.makeAsyncIterator()
    }

    private func all(_ found: (start: Data, rest: ByteStream.Iterator)) async throws -> Data {
        var (data, rest) = found
        while let piece = try await rest.next() { data += piece }
        return data
    }

    @Test("A reader that stops does not block the other one and gets the rest from the store")
    func stored() async throws {
        let origin = ScriptedOrigin { [self] _, _ in answer() }
        let cache = makeCache(origin)
        #expect(try await all(lag(cache)) == Self.whole)
        #expect(origin.count == 1)
        #expect(cache.counters.detached == 1 && cache.counters.shared == 1 && cache.counters.misses == 1)
    }

    @Test("If the response is too large to be stored, the reader requests the rest by range and entity tag")
    func askedAgain() async throws {
        let origin = ScriptedOrigin { [self] request, number in
            guard number > 1 else { return answer([.eTag: "\"1\""], hasLength: false) }
            let range = try #require(request.head.headerFields[.range].flatMap { ByteRange($0) })
            let part = try #require(range.resolved(in: Int64(Self.whole.count)))
            #expect(request.head.headerFields[.ifRange] == "\"1\"" && part.lowerBound > 0)
            let fields: HTTPFields = [
                .eTag: "\"1\"", .contentRange: ContentRange.part(part, total: Int64(Self.whole.count)).description,
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

    @Test("If the origin ignores ranges, the bytes already read are skipped")
    func withoutRanges() async throws {
        let origin = ScriptedOrigin { [self] _, number in
            var answer = answer([.eTag: "\"1\""])
            if number > 1 { answer.body = .stream(ByteStream(Pieces(Self.whole))) }
            return answer
        }
        #expect(try await all(lag(makeCache(origin, largestEntry: 100_000))) == Self.whole)
    }

    @Test("A changed response is not appended to the first part")
    func changed() async throws {
        let origin = ScriptedOrigin { [self] _, number in answer([.eTag: "\"\(number)\""]) }
        let found = try await lag(makeCache(origin, largestEntry: 100_000))
        let error = await #expect(throws: ResourceError.self) { _ = try await all(found) }
        #expect(error?.code == .connectionLost)
    }

    @Test("If the rest is not available elsewhere, the slow reader limits the source")
    func paced() async throws {
        let origin = ScriptedOrigin { [self] _, _ in answer() }
        let cache = makeCache(origin, largestEntry: 100_000)
        guard case .stream(let slow) = try await cache.load(.get())?.body,
            case .stream(let fast) = try await cache.load(.get())?.body
        else { throw CancellationError() }
        var behind = slow.makeAsyncIterator()
        var second = try await behind.next() ?? Data()
        let count = Mutex(0)
        async let first = {
            var data = Data()
            for try await piece in fast {
                data += piece
                count.withLock { $0 += piece.count / CountedPieces.size }
            }
            return data
        }()
        // Reads up to the limit, with enough time to exceed it.
        while count.withLock({ $0 }) < 10 { await Task.yield() }
        for _ in 1...10_000 { await Task.yield() }
        #expect(count.withLock { $0 } <= 12 && pieces.given <= 12)
        while let piece = try await behind.next() {
            second += piece
            #expect(pieces.given <= second.count / CountedPieces.size + 11)
        }
        #expect(try await first == Self.whole)
        #expect(second == Self.whole)
        #expect(origin.count == 1 && cache.counters.detached == 0)
    }

    @Test("A detached reader keeps the request alive, and the last reader to leave cancels it")
    func leaving() async throws {
        let held = HeldPieces()
        let text = String(repeating: "x", count: 8)
        let origin = ScriptedOrigin { _, number in
            guard number == 1 else { return ScriptedOrigin.response([.cacheControl: "max-age=60"], "again") }
            return ResourceResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60", .contentLength: "80"]),
                body: .stream(ByteStream(held)), provenance: Provenance(.network, reason: "the origin"))
        }
        let cache = CachingLoader(
            next: origin, store: MemoryCacheStore(), configuration: .init(readAhead: 16), now: { TestTime().now })
        for _ in 1...5 { held.give(text) }
        var slow = try await reader(of: cache)
        var fast = try await reader(of: cache)
        var first = try await slow?.next() ?? Data()
        // The fast reader reads more than the log can contain, so the slow reader is detached.
        var count = 0
        while count < 40 { count += try await fast?.next()?.count ?? 80 }
        #expect(count == 40)
        fast = nil
        held.give(text)
        // The detached reader still gets the pieces that it had not read.
        while first.count < 16 { first += try await slow?.next() ?? Data(count: 80) }
        #expect(first.allSatisfy { $0 == UInt8(ascii: "x") } && first.count < 48)
        #expect(!held.isCancelled)
        slow = nil
        await cache.waitUntilIdle()
        // If the flight were not cancelled, it would store these pieces in the available time.
        for _ in 1...4 { held.give(text) }
        held.finish()
        for _ in 1...10_000 { await Task.yield() }
        await cache.waitUntilIdle()
        #expect(try await cache.text(.get()).text == "again")
        #expect(origin.count == 2)
    }

    @Test(
        "A detached reader gets the rest even if the response was invalidated or the cache cleared",
        arguments: [true, false], [true, false])
    func wrong(meanwhile: Bool, onDisk: Bool) async throws {
        let origin = ScriptedOrigin { [self] request, number in
            number == 1 ? answer() : ScriptedOrigin.response([.cacheControl: "max-age=60"], "new")
        }
        let directory = try TemporaryFolder()
        let store: any CacheStoring =
            onDisk ? try DiskCacheStore(directory: directory.path) : MemoryCacheStore(capacity: 32 << 20)
        let cache = CachingLoader(
            next: origin, store: store, configuration: .init(readAhead: 10 * CountedPieces.size),
            now: { TestTime().now })
        guard case .stream(let slow) = try await cache.load(.get())?.body,
            case .stream(let fast) = try await cache.load(.get())?.body
        else { throw CancellationError() }
        var (ahead, behind) = (fast.makeAsyncIterator(), slow.makeAsyncIterator())
        let start = try await behind.next() ?? Data()
        for _ in 1...CountedPieces.count / 2 { _ = try await ahead.next() }
        if meanwhile { _ = try await cache.text(.get(method: .put)) }
        while try await ahead.next() != nil {}
        await cache.waitUntilIdle()
        if !meanwhile { await cache.removeAll() }
        #expect(try await cache.text(.get()).text == "new")
        #expect(try await all((start, behind)) == Self.whole)
    }
}
