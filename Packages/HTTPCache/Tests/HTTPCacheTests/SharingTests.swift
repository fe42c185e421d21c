// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import HTTPCache

/// Tests of concurrent identical requests.
@Suite(.timeLimit(.minutes(1)))
struct SharingTests {
    let time = TestTime()

    private func makeCache(_ origin: ScriptedOrigin, readAhead: Int = 256 << 10) -> CachingLoader {
        CachingLoader(
            next: origin, store: MemoryCacheStore(), configuration: .init(readAhead: readAhead),
            now: { [time] in time.now })
    }

    /// Sends a number of concurrent requests.
    private func sendRequest(_ cache: CachingLoader, times: Int) async throws -> [String] {
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<times { group.addTask { try await cache.text(.get()).text } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("A hundred concurrent identical requests reach the origin once")
    func once() async throws {
        let origin = ScriptedOrigin([.cacheControl: "max-age=60"], String(repeating: "x", count: 100_000))
        let texts = try await sendRequest(makeCache(origin), times: 100)
        #expect(Set(texts).count == 1 && texts.count == 100 && texts.first?.count == 100_000)
        #expect(origin.count == 1)
    }

    @Test("If the origin fails and a stale response is used, concurrent requests do not repeat the request")
    func failing() async throws {
        let origin = ScriptedOrigin { _, number in
            guard number > 1 else {
                return ScriptedOrigin.response([.cacheControl: "max-age=1, stale-if-error=60"], "stale")
            }
            // Time for the other requests to join the flight.
            for _ in 1...10_000 { await Task.yield() }
            return ScriptedOrigin.response([:], "sorry", status: .serviceUnavailable)
        }
        let cache = makeCache(origin)
        _ = try await cache.text(.get())
        time.advance(by: 10)
        let texts = try await sendRequest(cache, times: 100)
        #expect(texts == Array(repeating: "stale", count: 100))
        #expect(origin.count < 10)
        // A request that accepts no stale response gets the error.
        let strict = try await cache.text(.get("https://a.test/x", [.cacheControl: "no-cache"]))
        #expect(strict.text == "sorry" && strict.response.head.status == .serviceUnavailable)
    }

    /// Returns an origin that refuses each refusable request, after the gate is open, and sends the others a response.
    private func refusingOrigin(_ gate: CallGate) -> ScriptedOrigin {
        ScriptedOrigin { _, _ in
            guard BackgroundTransfer.isRefusable else { return ScriptedOrigin.response([.cacheControl: "max-age=1"]) }
            await gate.pass()
            throw ResourceError(.offline, "refused")
        }
    }

    @Test("A page's request does not join a background transfer or a prefetch, which the transport may refuse")
    func refusable() async throws {
        for flag in [BackgroundTransfer.$isCurrent, BackgroundTransfer.$isPrefetch] {
            let gate = CallGate()
            let origin = refusingOrigin(gate)
            let cache = makeCache(origin)
            gate.close()
            let ahead = flag.withValue(true) { Task { try await cache.text(.get()).text } }
            _ = await gate.arrivals.first { _ in true }
            #expect(try await sendRequest(cache, times: 10) == Array(repeating: "hello", count: 10))
            #expect(origin.count == 2)
            gate.open()
            await #expect(throws: ResourceError.self) { try await ahead.value }
        }
    }

    @Test("A refused request gets no stale response, and a page's request is sent")
    func refusedWithStale() async throws {
        for flag in [BackgroundTransfer.$isCurrent, BackgroundTransfer.$isPrefetch] {
            let origin = refusingOrigin(CallGate())
            let cache = makeCache(origin)
            _ = try await cache.text(.get())
            time.advance(by: 10)
            await #expect {
                try await flag.withValue(true) { try await cache.text(.get()) }
            } throws: {
                ($0 as? ResourceError)?.code == .offline
            }
            #expect(try await cache.text(.get()).text == "hello")
            #expect(origin.count == 3)
        }
    }

    @Test("Only the request that reaches the origin receives the cookies of a shared response")
    func cookieReceivers() async throws {
        let origin = ScriptedOrigin { request, _ in
            // Time for the other requests to join the flight.
            for _ in 1...10_000 { await Task.yield() }
            request.onSetCookie?(["id=1"])
            return ScriptedOrigin.response([.cacheControl: "max-age=60"])
        }
        let cache = makeCache(origin)
        let received = Mutex<[Int]>([])
        let ask = { @Sendable (number: Int) in
            var request = try ResourceRequest.get()
            request.onSetCookie = { _ in received.withLock { $0.append(number) } }
            _ = try await cache.text(request)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 { group.addTask { try await ask(number) } }
            try await group.waitForAll()
        }
        #expect(received.withLock { $0.count } == 1 && origin.count == 1)
        try await ask(10)
        #expect(received.withLock { $0.count } == 1 && origin.count == 1)
    }

    @Test("A response that may not be reused is not shared")
    func unshared() async throws {
        for control in ["no-store", "max-age=0", "no-cache"] {
            let origin = ScriptedOrigin { _, number in ScriptedOrigin.response([.cacheControl: control], "\(number)") }
            let texts = try await sendRequest(makeCache(origin), times: 10)
            #expect(Set(texts).count == 10)
            #expect(origin.count == 10)
        }
    }

    @Test("Concurrent requests with different variants get separate responses")
    func varying() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request, _ in
            await gate.wait()
            let language = request.head.headerFields[.acceptLanguage] ?? ""
            return ScriptedOrigin.response([.cacheControl: "max-age=60", .vary: "Accept-Language"], language)
        }
        let cache = makeCache(origin)
        async let german = cache.text(.get("https://a.test/x", [.acceptLanguage: "de"])).text
        async let english = cache.text(.get("https://a.test/x", [.acceptLanguage: "en"])).text
        gate.open()
        #expect(try await [german, english] == ["de", "en"])
    }

    @Test("A reader that leaves does not affect the others; the last reader to leave cancels the request")
    func leaving() async throws {
        let pieces = HeldPieces()
        let origin = ScriptedOrigin { _, _ in
            ResourceResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]),
                body: .stream(ByteStream(pieces)), provenance: Provenance(.network, reason: "the origin"))
        }
        let cache = makeCache(origin)
        pieces.give("one ")
        var first = try await cache.load(.get())
        let second = try await cache.load(.get())
        #expect(origin.count == 1)
        guard case .stream(let stream) = second?.body else {
            Issue.record("no stream")
            return
        }
        var iterator: ByteStream.Iterator? = stream.makeAsyncIterator()
        _ = first
        first = nil
        let one = try await iterator?.next()
        #expect(one == Data("one ".utf8))
        pieces.give("two")
        let two = try await iterator?.next()
        #expect(two == Data("two".utf8))
        #expect(!pieces.isCancelled)
        _ = consume second
        _ = consume stream
        iterator = nil
        await pieces.cancelled()
    }

    @Test("The slowest reader limits the source")
    func backPressure() async throws {
        let pieces = CountedPieces()
        let origin = ScriptedOrigin { _, _ in
            ResourceResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]),
                body: .stream(ByteStream(pieces)), provenance: Provenance(.network, reason: "the origin"))
        }
        let cache = makeCache(origin, readAhead: 10 * CountedPieces.size)
        guard case .stream(let stream) = try await cache.load(.get())?.body else {
            Issue.record("no stream")
            return
        }
        var iterator = stream.makeAsyncIterator()
        for read in 1...CountedPieces.count {
            _ = try await iterator.next()
            #expect(pieces.given <= read + 11)
        }
        let end = try await iterator.next()
        #expect(end == nil)
        #expect(pieces.given == CountedPieces.count)
    }

    @Test("A response that an unsafe request invalidates while it is received is not stored")
    func doomed() async throws {
        let pieces = HeldPieces()
        let origin = ScriptedOrigin { request, number in
            guard number == 1 else { return ScriptedOrigin.response([.cacheControl: "max-age=60"], "new") }
            return ResourceResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]),
                body: .stream(ByteStream(pieces)), provenance: Provenance(.network, reason: "the origin"))
        }
        let cache = makeCache(origin)
        pieces.give("old")
        let first = try await cache.load(.get())
        _ = try await cache.text(.get(method: .put))
        pieces.finish()
        #expect(try await first?.body.collect(upTo: 100) == Data("old".utf8))
        #expect(try await cache.text(.get()).text == "new")
    }
}

/// A gate that suspends its callers until it is opened.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// A sequence of pieces that a test supplies one by one.
final class HeldPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = Data

    private let stream: AsyncStream<Data>
    private let continuation: AsyncStream<Data>.Continuation
    private let ended = Gate()
    private let hasEnded = Mutex(false)

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    var isCancelled: Bool { hasEnded.withLock { $0 } }

    func give(_ text: String) { continuation.yield(Data(text.utf8)) }
    func finish() { continuation.finish() }
    /// Waits until the reader is cancelled.
    func cancelled() async { await ended.wait() }

    func makeAsyncIterator() -> HeldPieces { self }

    func next() async throws -> Data? {
        var iterator = stream.makeAsyncIterator()
        let piece = await iterator.next()
        if piece == nil, Task.isCancelled {
            hasEnded.withLock { $0 = true }
            ended.open()
            throw CancellationError()
        }
        return piece
    }

    func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? { try await next() }
}

/// A sequence of a hundred pieces that counts the requested ones.
final class CountedPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = Data

    static let count = 100
    static let size = 20_000
    private let number = Mutex(0)

    var given: Int { number.withLock { $0 } }

    func makeAsyncIterator() -> CountedPieces { self }

    func next() async throws -> Data? {
        number.withLock { number in
            guard number < Self.count else { return nil }
            number += 1
            return Data(repeating: UInt8(number), count: Self.size)
        }
    }

    func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? { try await next() }
}
