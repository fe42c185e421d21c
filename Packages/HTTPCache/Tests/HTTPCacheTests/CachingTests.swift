// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing
import WebSyntax

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct CachingTests {
    let time = TestTime()

    private func makeCache(
        _ origin: ScriptedOrigin, _ configuration: CachingLoader.Configuration = .init(),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> CachingLoader {
        CachingLoader(
            next: origin, store: MemoryCacheStore(), configuration: configuration, now: { [time] in time.now },
            clock: clock)
    }

    @Test("A fresh response comes from memory with Age and provenance")
    func fresh() async throws {
        let origin = ScriptedOrigin([.cacheControl: "max-age=60"])
        let cache = makeCache(origin)
        #expect(try await cache.text(.get()).response.provenance.source == .network)
        time.advance(by: 7)
        let (text, response) = try await cache.text(.get())
        #expect(text == "hello")
        #expect(response.provenance == Provenance(.memory, reason: "fresh"))
        #expect(response.head.headerFields[.age] == "7")
        #expect(origin.count == 1)
        time.advance(by: 53)
        _ = try await cache.text(.get())
        #expect(origin.count == 2)
    }

    @Test("Pages of different sites share no entries; clients of a reverse proxy share all")
    func partitions() async throws {
        let origin = ScriptedOrigin([.cacheControl: "max-age=60"])
        let divided = makeCache(origin)
        for page in ["https://one.test/", "https://one.test/more", "https://two.test/"] {
            _ = try await divided.text(.get(page: page))
        }
        #expect(origin.count == 2)
        let whole = makeCache(origin, .shared)
        for page in ["https://one.test/", "https://two.test/"] { _ = try await whole.text(.get(page: page)) }
        #expect(origin.count == 3)
    }

    @Test("A body that is too short or too long is delivered and not stored", arguments: ["9", "3"])
    func wrongLength(length: String) async throws {
        let origin = ScriptedOrigin([.cacheControl: "max-age=60", .contentLength: length])
        let cache = makeCache(origin)
        #expect(try await cache.text(.get()).text == "hello")
        #expect(try await cache.text(.get()).text == "hello")
        #expect(origin.count == 2)
    }

    @Test("A body that fails midway fails for the reader and is not stored")
    func brokenBody() async throws {
        let origin = ScriptedOrigin { _, number in
            var response = ScriptedOrigin.response([.cacheControl: "max-age=60"])
            if number == 1 { response.body = .stream(ByteStream(BrokenPieces(), length: nil)) }
            return response
        }
        let cache = makeCache(origin)
        await #expect(throws: ResourceError.self) { try await cache.text(.get()) }
        #expect(try await cache.text(.get()).text == "hello")
        #expect(origin.count == 2)
    }

    @Test("An entry above the size limit is delivered and not stored")
    func tooLarge() async throws {
        let origin = ScriptedOrigin([.cacheControl: "max-age=60"])
        let cache = makeCache(origin, .init(largestEntry: 4))
        for _ in 1...2 { #expect(try await cache.text(.get()).text == "hello") }
        #expect(origin.count == 2)
    }

    @Test("A stale response is validated, and a 304 response updates its fields")
    func validated() async throws {
        let origin = ScriptedOrigin { request, number in
            number == 1
                ? ScriptedOrigin.response([.cacheControl: "max-age=1", .eTag: "\"1\""])
                : ScriptedOrigin.response([.cacheControl: "max-age=60", .eTag: "\"1\""], "", status: .notModified)
        }
        let cache = makeCache(origin)
        _ = try await cache.text(.get())
        time.advance(by: 2)
        let (text, response) = try await cache.text(.get())
        #expect(text == "hello")
        #expect(response.provenance == Provenance(.memory, reason: "validated"))
        #expect(origin.seen.last?.headerFields[.ifNoneMatch] == "\"1\"")
        time.advance(by: 30)
        #expect(try await cache.text(.get()).response.head.headerFields[.age] == "30")
        #expect(origin.count == 2)
    }

    @Test("Stored responses do not repeat Set-Cookie, except in a shared cache")
    func cookies() async throws {
        let origin = ScriptedOrigin { _, number in
            var fields: HTTPFields = [.cacheControl: "max-age=2", .eTag: "\"1\""]
            if number < 3 { fields[.setCookie] = "id=\(number)" }
            return number == 1
                ? ScriptedOrigin.response(fields) : ScriptedOrigin.response(fields, "", status: .notModified)
        }
        func cookies(_ cache: CachingLoader, after seconds: Double) async throws -> String? {
            time.advance(by: seconds)
            return try await cache.text(.get()).response.head.headerFields[.setCookie]
        }
        let cache = makeCache(origin)
        let said: [String?] = try await [
            cookies(cache, after: 0), cookies(cache, after: 1), cookies(cache, after: 3), cookies(cache, after: 1),
            cookies(cache, after: 3), cookies(cache, after: 1),
        ]
        #expect(said == ["id=1", nil, "id=2", nil, nil, nil] && origin.count == 3)
        let sharing = makeCache(
            ScriptedOrigin([.cacheControl: "max-age=9", .setCookie: "id=1"]), .init(policy: CachePolicy(scope: .shared))
        )
        for _ in 1...2 { #expect(try await cookies(sharing, after: 0) == "id=1") }
    }

    @Test("A 304 response for another representation does not freshen the stored response")
    func foreignValidation() async throws {
        let origin = ScriptedOrigin { request, number in
            switch number {
            case 1: ScriptedOrigin.response([.cacheControl: "max-age=1", .eTag: "\"1\""])
            case 2: ScriptedOrigin.response([.eTag: "\"2\""], "", status: .notModified)
            default: ScriptedOrigin.response([.cacheControl: "max-age=60", .eTag: "\"2\""], "other")
            }
        }
        let cache = makeCache(origin)
        _ = try await cache.text(.get())
        time.advance(by: 2)
        #expect(try await cache.text(.get()).text == "other")
        #expect(origin.seen.last?.headerFields[.ifNoneMatch] == nil)
    }

    @Test("A conditional request for the client's own copy gets a 304 response from the store")
    func clientCondition() async throws {
        let origin = ScriptedOrigin([.cacheControl: "max-age=60", .eTag: "W/\"1\"", .contentType: "text/plain"])
        let cache = makeCache(origin)
        _ = try await cache.text(.get())
        let (text, response) = try await cache.text(.get("https://a.test/x", [.ifNoneMatch: "\"0\", \"1\""]))
        #expect(response.head.status == .notModified && text.isEmpty)
        #expect(response.head.headerFields[.eTag] == "W/\"1\"")
        #expect(response.head.headerFields[.contentType] == nil)
        #expect(origin.count == 1)
    }

    @Test("A successful unsafe request invalidates its target and same-origin locations")
    func invalidation() async throws {
        let origin = ScriptedOrigin { request, _ in
            request.head.method == .get
                ? ScriptedOrigin.response([.cacheControl: "max-age=60"])
                : ScriptedOrigin.response([.location: "/y", .contentLocation: "https://b.test/z"])
        }
        let cache = makeCache(origin)
        let urls = ["https://a.test/x", "https://a.test/y", "https://b.test/z"]
        for url in urls { _ = try await cache.text(.get(url, page: "https://a.test/")) }
        _ = try await cache.text(.get("https://a.test/x", method: .post, page: "https://a.test/"))
        for url in urls { _ = try await cache.text(.get(url, page: "https://a.test/")) }
        #expect(origin.seen.filter { $0.method == .get }.compactMap(\.path) == ["/x", "/y", "/z", "/x", "/y"])
    }

    @Test("Parts of one representation are merged into a complete response")
    func parts() async throws {
        let whole = "0123456789"
        let origin = ScriptedOrigin { request, _ in
            guard let range = request.head.headerFields[.range].flatMap({ ByteRange($0) })?.resolved(in: 10) else {
                return ScriptedOrigin.response([.cacheControl: "max-age=60", .eTag: "\"1\""], whole)
            }
            let text = String(whole.dropFirst(Int(range.lowerBound)).prefix(range.count))
            return ScriptedOrigin.response(
                [
                    .cacheControl: "max-age=60", .eTag: "\"1\"",
                    .contentRange: ContentRange.part(range, total: 10).description,
                ], text,
                status: .partialContent)
        }
        let cache = makeCache(origin)
        func part(_ range: String) async throws -> String {
            try await cache.text(.get("https://a.test/x", [.range: "bytes=\(range)"])).text
        }
        #expect(try await part("3-5") == "345")
        #expect(try await part("4-5") == "45")
        #expect(origin.count == 1)
        #expect(try await part("5-9") == "56789")
        #expect(try await part("0-3") == "0123")
        #expect(origin.count == 3)
        #expect(try await part("2-7") == "234567")
        let (text, response) = try await cache.text(.get())
        #expect(text == whole && response.head.status == .ok)
        #expect(response.head.headerFields[.contentRange] == nil)
        #expect(origin.count == 3)
    }

    @Test("Parts without a strong validator are not merged")
    func foreignParts() async throws {
        let origin = ScriptedOrigin { request, number in
            ScriptedOrigin.response(
                [
                    .cacheControl: "max-age=60", .eTag: "W/\"1\"",
                    .contentRange: number == 1 ? "bytes 0-4/10" : "bytes 5-9/10",
                ],
                number == 1 ? "01234" : "abcde", status: .partialContent)
        }
        let cache = makeCache(origin)
        for range in ["0-4", "5-9"] { _ = try await cache.text(.get("https://a.test/x", [.range: "bytes=\(range)"])) }
        #expect(try await cache.text(.get("https://a.test/x", [.range: "bytes=5-6"])).text == "ab")
        #expect(origin.count == 2)
        _ = try await cache.text(.get("https://a.test/x", [.range: "bytes=4-6"]))
        #expect(origin.count == 3)
    }

    @Test("A stale response is used if the origin is unreachable; after an error status, only with stale-if-error")
    func staleAnswers() async throws {
        func run(
            _ control: String, shared: Bool = false, status: Int? = nil, _ method: HTTPRequest.Method = .get
        ) async throws -> Int {
            let origin = ScriptedOrigin { _, number in
                if number == 1 { return ScriptedOrigin.response([.cacheControl: control, .eTag: "\"1\""]) }
                guard let status else { throw ResourceError(.cannotConnect, "cut") }
                return ScriptedOrigin.response([:], "sorry", status: .init(code: status))
            }
            let cache = makeCache(origin, shared ? .shared : .init())
            _ = try await cache.text(.get())
            time.advance(by: 10)
            return try await cache.text(.get(method: method)).response.head.status.code
        }
        #expect(try await run("max-age=1") == 200)
        #expect(try await run("max-age=1, must-revalidate", shared: true) == 504)
        #expect(try await run("s-maxage=1", shared: true) == 504)
        await #expect(throws: ResourceError.self) { try await run("max-age=1, must-revalidate") }
        await #expect(throws: ResourceError.self) { try await run("no-cache") }
        #expect(try await run("max-age=1", status: 503) == 503)
        #expect(try await run("max-age=1, stale-if-error=60", status: 503) == 200)
        #expect(try await run("max-age=1, stale-if-error=5", status: 503) == 503)
        #expect(try await run("max-age=1, stale-if-error=60", status: 404) == 404)
        #expect(try await run("max-age=1, stale-if-error=60", status: 503, .head) == 200)
        #expect(try await run("max-age=1, stale-if-error=5", status: 503, .head) == 503)
        #expect(try await run("max-age=1, stale-if-error=60", status: 404, .head) == 404)
    }

    @Test("stale-while-revalidate responds immediately and validates once in the background")
    func staleWhileRevalidate() async throws {
        let origin = ScriptedOrigin { _, number in
            ScriptedOrigin.response([.cacheControl: "max-age=1, stale-while-revalidate=60"], "answer \(number)")
        }
        let cache = makeCache(origin)
        _ = try await cache.text(.get())
        time.advance(by: 5)
        #expect(try await cache.text(.get()).text == "answer 1")
        await cache.waitUntilIdle()
        #expect(try await cache.text(.get()).text == "answer 2")
        #expect(origin.count == 2)
        time.advance(by: 100)
        #expect(try await cache.text(.get()).text == "answer 3")
    }

    @Test("Shutdown cancels a validation that hangs, and no new validation starts")
    func shutDown() async throws {
        let asked = Gate()
        let origin = ScriptedOrigin { _, number in
            if number > 1 {
                asked.open()
                for await _ in AsyncStream<Void>.makeStream().stream {}
                try Task.checkCancellation()
            }
            return ScriptedOrigin.response([.cacheControl: "max-age=1, stale-while-revalidate=60"], "old")
        }
        let cache = makeCache(origin)
        _ = try await cache.text(.get())
        time.advance(by: 5)
        #expect(try await cache.text(.get()).text == "old")
        await asked.wait()
        await cache.shutDown()
        #expect(try await cache.text(.get()).text == "old")
        await cache.waitUntilIdle()
        #expect(origin.count == 2)
    }

    @Test("A background validation ends if the origin is silent", .timeLimit(.minutes(1)))
    func silentOrigin() async throws {
        let (asked, ended) = (Gate(), Gate())
        let origin = ScriptedOrigin { _, number in
            if number == 2 {
                asked.open()
                for await _ in AsyncStream<Void>.makeStream().stream {}
                ended.open()
                try Task.checkCancellation()
            }
            return ScriptedOrigin.response([.cacheControl: "max-age=1, stale-while-revalidate=600"], "answer \(number)")
        }
        let clock = FirstSleepClock(until: asked)
        let cache = makeCache(origin, clock: clock)
        _ = try await cache.text(.get())
        time.advance(by: 5)
        #expect(try await cache.text(.get()).text == "answer 1")
        await ended.wait()
        await cache.waitUntilIdle()
        #expect(clock.length == .seconds(60))
        // The next request starts another validation.
        #expect(try await cache.text(.get()).text == "answer 1")
        await cache.waitUntilIdle()
        #expect(try await cache.text(.get()).text == "answer 3")
    }

    @Test("Cache-Control directives of the request are obeyed")
    func wishes() async throws {
        let origin = ScriptedOrigin([.cacheControl: "max-age=60"])
        let cache = makeCache(origin)
        func status(_ control: String) async throws -> Int {
            try await cache.text(.get("https://a.test/x", [.cacheControl: control])).response.head.status.code
        }
        #expect(try await status("only-if-cached") == 504)
        #expect(origin.count == 0)
        _ = try await cache.text(.get())
        time.advance(by: 30)
        #expect(try await status("only-if-cached") == 200)
        _ = try await status("max-age=40, min-fresh=20")
        #expect(origin.count == 1)
        _ = try await status("max-age=10")
        #expect(origin.count == 2)
        time.advance(by: 70)
        _ = try await status("max-stale=20")
        #expect(origin.count == 2)
        _ = try await status("max-stale=5")
        #expect(origin.count == 3)
        _ = try await status("no-cache")
        #expect(origin.count == 4)
        _ = try await status("no-store")
        #expect(origin.count == 5)
    }

    @Test("A reload does not revalidate an immutable response; a hard reload does")
    func immutable() async throws {
        let origin = ScriptedOrigin([.cacheControl: "max-age=60, immutable"])
        let cache = makeCache(origin)
        _ = try await cache.text(.get())
        _ = try await cache.text(.get("https://a.test/x", [.cacheControl: "max-age=0"]))
        #expect(origin.count == 1)
        _ = try await cache.text(.get("https://a.test/x", [.cacheControl: "no-cache"]))
        #expect(origin.count == 2)
    }

    @Test("HEAD is served from stored GET responses, and a response to HEAD freshens or removes them")
    func head() async throws {
        let origin = ScriptedOrigin { request, number in
            let tag = number == 3 ? "\"2\"" : "\"1\""
            let isHead = request.head.method == .head
            return ScriptedOrigin.response(
                [.cacheControl: "max-age=5", .eTag: tag, .contentLength: "5"], isHead ? "" : "hello")
        }
        let cache = makeCache(origin)
        _ = try await cache.text(.get())
        #expect(try await cache.text(.get(method: .head)).response.head.headerFields[.contentLength] == "5")
        #expect(origin.count == 1)
        time.advance(by: 6)
        _ = try await cache.text(.get(method: .head))
        _ = try await cache.text(.get())
        #expect(origin.count == 2)
        time.advance(by: 6)
        _ = try await cache.text(.get(method: .head))
        #expect(origin.count == 3)
        _ = try await cache.text(.get())
        #expect(origin.seen.last?.headerFields[.ifNoneMatch] == nil)
    }

    @Test("A nil response of the next loader stays nil, and other URL schemes are forwarded")
    func notMine() async throws {
        let cache = makeCache(ScriptedOrigin { _, _ in nil })
        let first = try await cache.load(.get())
        #expect(first == nil)
        let second = try await cache.load(.get("ftp://a.test/x"))
        #expect(second == nil)
    }
}

private struct BrokenPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private var isFirst = true

    func makeAsyncIterator() -> BrokenPieces { self }

    mutating func next() async throws -> Data? {
        guard isFirst else { throw ResourceError(.connectionLost, "cut") }
        isFirst = false
        return Data("hel".utf8)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? { try await next() }
}
