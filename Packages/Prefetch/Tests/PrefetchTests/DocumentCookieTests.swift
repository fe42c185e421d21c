// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import Prefetch

/// Tests of prefetch requests of a page whose document sets cookies.
@Suite("Prefetch requests after the document has set cookies", .timeLimit(.minutes(1)))
struct DocumentCookieTests {
    private static let first = "https://m.example.com/first"
    private static let second = "https://m.example.com/second"
    private static let interfaces = #"{"api":"https://m.example.com/first"},{"api":"https://m.example.com/second"}"#

    /// A type that completes requests with the cookies of their URL.
    private final class Cookies: PrefetchCompleting {
        private let sent: Mutex<[String: String]>
        private let later: [String: String]
        /// The values of `Set-Cookie` that were recorded.
        let recorded = Mutex<[String]>([])
        /// The completions wait for the end of this stream, if there is one.
        private let gate: AsyncStream<Void>?

        /// - Parameters:
        ///   - sent: the `Cookie` fields by URL.
        ///   - later: the fields after the document has set cookies.
        init(_ sent: [String: String], later: [String: String], gate: AsyncStream<Void>? = nil) {
            self.sent = Mutex(sent)
            self.later = later
            self.gate = gate
        }

        func completed(_ request: ResourceRequest) async throws -> ResourceRequest {
            var request = request
            // A completion that began before the change has the former cookies.
            request.head.headerFields[.cookie] = sent.withLock { $0[request.head.urlText] }
            if let gate { for await _ in gate {} }
            return request
        }

        func record(_ setCookies: [String], of request: ResourceRequest) async {
            recorded.withLock { $0 += setCookies }
            change()
        }

        func change() { sent.withLock { $0 = later } }
    }

    private func document(_ fixture: Fixture, page: PageReference? = nil) throws -> ResourceRequest {
        var request = try fixture.own(Fixture.url, fields: [:], page: page)
        request.destination = .document
        return request
    }

    private func own(_ fixture: Fixture, _ url: String, _ cookie: String?) throws -> ResourceRequest {
        var fields = HTTPFields()
        fields[.cookie] = cookie
        return try fixture.own(url, fields: fields)
    }

    @Test("Only requests whose Cookie field is different now are sent again, and all others are used")
    func renewal() async throws {
        let cookies = Cookies(
            [Self.first: "user=1", Self.second: "user=1"],
            later: [Self.first: "user=1; theme=dark", Self.second: "user=1"])
        let fixture = Fixture(cookies)
        try fixture.open(Self.interfaces)
        for number in 1...2 {
            let exchange = try await fixture.upstream.exchange(number)
            exchange.answer(whole: "old \(exchange.request.head.path ?? "")")
        }
        let request = try document(fixture)
        async let loaded = fixture.loader.load(request)
        try await fixture.upstream.exchange(3).answer(whole: "page", [.setCookie: "theme=dark; Path=/first"])
        #expect(try await loaded?.head.headerFields[.setCookie] == "theme=dark; Path=/first")
        #expect(cookies.recorded.withLock { $0 } == ["theme=dark; Path=/first"])
        let again = try await fixture.upstream.exchange(4)
        #expect(again.request.head.urlText == Self.first)
        #expect(again.request.head.headerFields[.cookie] == "user=1; theme=dark")
        again.answer(whole: "new")
        #expect(try await fixture.text(own(fixture, Self.first, "user=1; theme=dark")) == "prefetch: new")
        #expect(try await fixture.text(own(fixture, Self.second, "user=1")) == "prefetch: old /second")
        #expect(fixture.upstream.count == 4)
        let counters = fixture.loader.counters
        #expect(counters.started == 3 && counters.wasted == 1 && counters.hits + counters.joins == 2)
        #expect(counters.mismatches == 0 && counters.misses == 0)
    }

    @Test(
        "A request is sent again only if its own Cookie field changes",
        arguments: [
            (nil, nil, false), (nil, "a=1", true), ("a=1", nil, true), ("a=1", "a=1", false), ("a=1", "a=2", true),
            ("a=1", "a=1; b=2", true), ("a=1; b=2", "b=2; a=1", false), ("a=1; a=2", "a=1", true),
            ("a=1", "A=1", true),
        ] as [(String?, String?, Bool)])
    func comparison(_ sent: String?, _ later: String?, _ isRenewed: Bool) async throws {
        let fixture = Fixture(
            Cookies(sent.map { [Self.first: $0] } ?? [:], later: later.map { [Self.first: $0] } ?? [:]))
        try fixture.open(#"{"api":"https://m.example.com/first"}"#)
        try await fixture.upstream.exchange(1).answer(whole: "old")
        let request = try document(fixture)
        async let loaded = fixture.loader.load(request)
        try await fixture.upstream.exchange(2).answer(whole: "page", [.setCookie: "any=1"])
        _ = try await loaded
        #expect(fixture.loader.counters.started == (isRenewed ? 2 : 1))
        if isRenewed { try await fixture.upstream.exchange(3).answer(whole: "new") }
        #expect(
            try await fixture.text(own(fixture, Self.first, later)) == (isRenewed ? "prefetch: new" : "prefetch: old"))
        #expect(fixture.upstream.count == (isRenewed ? 3 : 2))
    }

    @Test("Cookies are compared as bytes")
    func bytes() {
        let grants = CookieGrants()
        #expect(grants.lead(from: "a=e\u{301}", to: "a=e\u{301}"))
        #expect(!grants.lead(from: "a=\u{E9}", to: "a=e\u{301}"))
    }

    @Test("A request in progress with former cookies ends, and the page's request joins the new one")
    func inProgress() async throws {
        let fixture = Fixture(Cookies([:], later: [Self.first: "a=1"]))
        try fixture.open(#"{"api":"https://m.example.com/first"}"#)
        let former = try await fixture.upstream.exchange(1)
        let request = try document(fixture)
        async let loaded = fixture.loader.load(request)
        try await fixture.upstream.exchange(2).answer(whole: "page", [.setCookie: "a=1"])
        _ = try await loaded
        try await until { former.isEnded }
        let page = try own(fixture, Self.first, "a=1")
        async let answer = fixture.text(page)
        try await fixture.upstream.exchange(3).answer(whole: "new")
        #expect(try await answer == "prefetch: new")
        #expect(fixture.upstream.count == 3)
    }

    @Test("A request that is being completed when the cookies change is sent once, with the new cookies")
    func completing() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let fixture = Fixture(Cookies([:], later: [Self.first: "a=1"], gate: gate.stream))
        try fixture.open(#"{"api":"https://m.example.com/first"}"#)
        let request = try document(fixture)
        async let loaded = fixture.loader.load(request)
        try await fixture.upstream.exchange(1).answer(whole: "page", [.setCookie: "a=1"])
        _ = try await loaded
        gate.continuation.finish()
        let sent = try await fixture.upstream.exchange(2)
        #expect(sent.request.head.headerFields[.cookie] == "a=1")
        sent.answer(whole: "new")
        #expect(try await fixture.text(own(fixture, Self.first, "a=1")) == "prefetch: new")
        #expect(fixture.upstream.count == 2 && fixture.loader.counters.started == 1)
    }

    @Test("Cookies that a loader below has stored have the same effect, and are not recorded again")
    func storedCookies() async throws {
        let cookies = Cookies([:], later: [Self.first: "a=1"])
        let fixture = Fixture(cookies)
        try fixture.open(#"{"api":"https://m.example.com/first"}"#)
        try await fixture.upstream.exchange(1).answer(whole: "old")
        let request = try document(fixture)
        async let loaded = fixture.loader.load(request)
        let exchange = try await fixture.upstream.exchange(2)
        exchange.request.onSetCookie?(["a=1"])
        cookies.change()
        exchange.answer(whole: "page")
        _ = try await loaded
        try await fixture.upstream.exchange(3).answer(whole: "new")
        #expect(try await fixture.text(own(fixture, Self.first, "a=1")) == "prefetch: new")
        #expect(cookies.recorded.withLock { $0 }.isEmpty)
    }

    @Test("Responses without cookies, and documents of other pages, renew nothing")
    func others() async throws {
        let cookies = Cookies([:], later: [Self.first: "a=1"])
        let fixture = Fixture(cookies)
        try fixture.open(#"{"api":"https://m.example.com/first"}"#)
        try await fixture.upstream.exchange(1).answer(whole: "old")
        let other = PageReference(id: PageID(rawValue: 2), documentURL: Fixture.url)
        for (number, request, fields) in [
            (2, try document(fixture), [:] as HTTPFields), (3, try document(fixture, page: other), [.setCookie: "a=1"]),
        ] {
            async let loaded = fixture.loader.load(request)
            try await fixture.upstream.exchange(number).answer(whole: "page", fields)
            _ = try await loaded
        }
        #expect(fixture.loader.counters.started == 1 && cookies.recorded.withLock { $0 }.isEmpty)
        #expect(try await fixture.text(own(fixture, Self.first, nil)) == "prefetch: old")
    }

    @Test("A prefetched document that sets a cookie renews the other requests, and is itself used")
    func prefetchedDocument() async throws {
        let fixture = Fixture(Cookies([:], later: [Self.first: "a=1"]))
        let first = try #require(PrefetchRequest.document(Fixture.url))
        fixture.loader.prefetch(
            try [first] + Fixture.requests(#"{"api":"https://m.example.com/first"}"#), for: fixture.page)
        _ = try await fixture.upstream.exchange(2)
        let document = try #require(fixture.upstream.seen.first { $0.request.destination == .document })
        document.answer(whole: "page", [.setCookie: "a=1"])
        let again = try await fixture.upstream.exchange(3)
        #expect(again.request.head.headerFields[.cookie] == "a=1")
        again.answer(whole: "new")
        #expect(try await fixture.text(self.document(fixture)) == "prefetch: page")
        #expect(try await fixture.text(own(fixture, Self.first, "a=1")) == "prefetch: new")
        #expect(fixture.upstream.count == 3)
    }
}
