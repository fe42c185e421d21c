// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import Prefetch

/// Tests of the page's own request and its prefetch request.
@Suite(.timeLimit(.minutes(1)))
struct LoaderTests {
    @Test("A complete response is used immediately and only once")
    func hit() async throws {
        let fixture = Fixture()
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        fixture.clock.advance(by: .milliseconds(300))
        ahead.answer(.ok, [.contentType: "application/json"])
        ahead.send("one ")
        ahead.send("two")
        ahead.end()
        try await until { ahead.isEnded }
        fixture.clock.advance(by: .milliseconds(200))
        let response = try #require(try await fixture.loader.load(fixture.own()))
        #expect(response.provenance.source == .prefetch)
        #expect(response.provenance.reason == "prefetched; upstream")
        #expect(response.head.headerFields[.contentType] == "application/json")
        #expect(response.body.length == 7)
        #expect(try await response.body.collect(upTo: 100) == Data("one two".utf8))
        let counters = fixture.loader.counters
        #expect(counters.hits == 1 && counters.joins == 0 && counters.saved == .milliseconds(300))

        async let again = fixture.text(fixture.own())
        try await fixture.upstream.exchange(2).answer(whole: "newer")
        #expect(try await again == "network: newer")
        #expect(fixture.loader.counters.misses == 0)
    }

    @Test("A prefetch request has its method, URL, body, type and completed fields")
    func sent() async throws {
        let fixture = Fixture()
        try fixture.open(
            #"{"api":"https://m.example.com/api","method":"post","urlParam":true,"bodyParam":true,"body":{"a":[]}}"#)
        let request = try await fixture.upstream.exchange(1).request
        #expect(request.head.method == .post)
        #expect(request.head.urlText == Fixture.api)
        #expect(try await request.body.collect(upTo: 100) == Data(#"{"a":[],"id":7}"#.utf8))
        #expect(request.head.headerFields[.contentType] == "application/json")
        #expect(request.head.headerFields[.cookie] == "user=1")
        #expect(request.page?.page == fixture.page && request.destination == .subresource)
    }

    @Test("A prefetch request is refused in Low Data Mode only, and the page's own request never")
    func refusable() async throws {
        let fixture = Fixture()
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        #expect(ahead.isRefusable && ahead.allowsExpensiveNetworks)
        // The network is to be spared.
        ahead.fail()
        async let text = fixture.text(fixture.own())
        let own = try await fixture.upstream.exchange(2)
        #expect(!own.isRefusable)
        own.answer(whole: "own")
        #expect(try await text == "network: own")
    }

    @Test("A response in progress is joined and streamed piece by piece")
    func join() async throws {
        let fixture = Fixture()
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        fixture.clock.advance(by: .milliseconds(100))
        let own = try fixture.own()
        async let joined = fixture.loader.load(own)
        // The claimant waits: its watch and the sweeper sleep.
        try await until { fixture.clock.sleeperCount == 2 }
        fixture.clock.advance(by: .milliseconds(50))
        ahead.answer()
        let response = try #require(try await joined)
        #expect(response.provenance.source == .prefetch && response.provenance.reason == "joined; upstream")
        guard case .stream(let stream) = response.body else { return #expect(Bool(false), "no stream") }
        var pieces = stream.makeAsyncIterator()
        for text in ["one", "two", "three"] {
            ahead.send(text)
            // The next piece is sent only when this piece has been read.
            #expect(try await pieces.next() == Data(text.utf8))
        }
        ahead.end()
        #expect(try await pieces.next() == nil)
        #expect(fixture.upstream.count == 1)
        let counters = fixture.loader.counters
        #expect(counters.joins == 1 && counters.hits == 0 && counters.saved == .milliseconds(100))
        #expect(fixture.loader.waitingCount == 0)
    }

    @Test("A request can be joined from its start, before it is complete")
    func early() async throws {
        let slow = GatedFields()
        let fixture = Fixture(slow)
        try fixture.open()
        let (own, stranger) = (try fixture.own(), try fixture.own(fields: [.cookie: "user=2"]))
        async let joined = fixture.text(own)
        try await until { fixture.clock.sleeperCount == 2 }
        #expect(fixture.upstream.count == 0)
        slow.gate.continuation.finish()
        try await fixture.upstream.exchange(1).answer(whole: "data")
        #expect(try await joined == "prefetch: data")
        #expect(fixture.upstream.count == 1)
        async let other = fixture.text(stranger)
        try await fixture.upstream.exchange(2).answer(whole: "other")
        #expect(try await other == "network: other")
    }

    @Test("A request joined before its completion is released if its cookies are those of another account")
    func lateStranger() async throws {
        let slow = GatedFields()
        let fixture = Fixture(slow)
        try fixture.open()
        let stranger = try fixture.own(fields: [.cookie: "user=2"])
        async let other = fixture.text(stranger)
        try await until { fixture.clock.sleeperCount == 2 }
        slow.gate.continuation.finish()
        let both = [try await fixture.upstream.exchange(1), try await fixture.upstream.exchange(2)]
        for exchange in both { exchange.answer(whole: exchange.request.head.headerFields[.cookie] ?? "") }
        #expect(try await other == "network: user=2")
        #expect(try await fixture.text(fixture.own()) == "prefetch: user=1")
        #expect(fixture.upstream.count == 2)
        #expect(fixture.loader.counters.mismatches == 1 && fixture.loader.counters.misses == 1)
    }

    @Test("If the prefetch request fails, the page's own request continues", arguments: 0..<4)
    func failure(_ kind: Int) async throws {
        for isEarly in [true, false] {
            let fixture = Fixture()
            try fixture.open()
            let ahead = try await fixture.upstream.exchange(1)
            let own = try fixture.own()
            let sleepers = fixture.clock.sleeperCount
            async let answer = Task {
                if !isEarly { try await until { fixture.loader.counters.failures == 1 } }
                return try await fixture.text(own)
            }.value
            if isEarly { try await until { fixture.clock.sleeperCount > sleepers } }
            switch kind {
            case 0: ahead.fail()
            case 1: ahead.decline()
            case 2: ahead.answer(.badGateway)
            default: ahead.answer(.notFound)
            }
            try await fixture.upstream.exchange(2).answer(whole: "own")
            #expect(try await answer == "network: own")
            #expect(fixture.upstream.count == 2)
            let counters = fixture.loader.counters
            #expect(counters.failures == 1 && counters.misses == 1 && counters.hits + counters.joins == 0)
        }
    }

    @Test("A body that ends early is an error for a page that is reading it, and is not used otherwise")
    func brokenOff() async throws {
        let fixture = Fixture()
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        ahead.answer()
        ahead.send("half")
        let response = try #require(try await fixture.loader.load(fixture.own()))
        ahead.breakOff()
        await #expect(throws: ResourceError.self) { try await response.body.collect(upTo: 100) }

        let second = Fixture()
        try second.open()
        let broken = try await second.upstream.exchange(1)
        broken.answer()
        broken.send("half")
        broken.breakOff()
        try await until { second.loader.counters.failures == 1 }
        async let answer = second.text(second.own())
        try await second.upstream.exchange(2).answer(whole: "own")
        #expect(try await answer == "network: own")
    }

    @Test("After the join limit, the page's request continues without the response, and the prefetch request ends")
    func joinLimit() async throws {
        let fixture = Fixture { $0.joinLimit = .seconds(3) }
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        let own = try fixture.own()
        async let answer = fixture.text(own)
        try await until { fixture.clock.sleeperCount == 2 }
        fixture.clock.advance(by: .milliseconds(2_900))
        #expect(fixture.upstream.count == 1)
        fixture.clock.advance(by: .milliseconds(100))
        try await fixture.upstream.exchange(2).answer(whole: "own")
        #expect(try await answer == "network: own")
        try await until { ahead.isEnded }
        #expect(fixture.loader.counters.abandoned == 1 && fixture.loader.counters.misses == 1)
    }

    @Test("Responses and requests without a head expire after 30 s by themselves")
    func age() async throws {
        let fixture = Fixture()
        try fixture.open(#"{"api":"https://m.example.com/api","urlParam":true},{"api":"https://m.example.com/slow"}"#)
        let (one, other) = (try await fixture.upstream.exchange(1), try await fixture.upstream.exchange(2))
        let (ahead, slow) = one.request.head.urlText == Fixture.api ? (one, other) : (other, one)
        try await until { fixture.clock.sleeperCount == 1 }
        fixture.clock.advance(by: .seconds(20))
        ahead.answer()
        ahead.send("data")
        // The second read shows that the head and the first piece have arrived.
        try await until { ahead.requestCount == 2 }
        fixture.clock.advance(by: .seconds(10))
        try await until { slow.isEnded }
        #expect(fixture.loader.counters.wasted == 1)
        try await until { fixture.clock.sleeperCount == 1 }
        fixture.clock.advance(by: .milliseconds(19_999))
        #expect(fixture.loader.waitingCount == 1)
        fixture.clock.advance(by: .milliseconds(1))
        try await until { fixture.loader.counters.wasted == 2 }
        #expect(fixture.loader.waitingCount == 0 && fixture.loader.counters.wastedBytes == 4)
        // No timer is active any more.
        try await until { fixture.clock.sleeperCount == 0 }
        async let answer = fixture.text(fixture.own())
        try await fixture.upstream.exchange(3).answer(whole: "own")
        #expect(try await answer == "network: own")
        #expect(fixture.loader.counters.misses == 1)
    }

    @Test("A page request that is cancelled while it waits releases the response")
    func leavesBeforeTheHead() async throws {
        let fixture = Fixture()
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        let own = try fixture.own()
        let first = Task { try await fixture.text(own) }
        try await until { fixture.clock.sleeperCount == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(!ahead.isEnded && fixture.loader.waitingCount == 1)
        async let second = fixture.text(own)
        ahead.answer(whole: "data")
        #expect(try await second == "prefetch: data")
        #expect(fixture.upstream.count == 1)
    }

    @Test("A page that releases a response ends it, whether it was read or not", arguments: [true, false])
    func dropsTheBody(_ reads: Bool) async throws {
        let fixture = Fixture()
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        ahead.answer()
        do {
            let response = try #require(try await fixture.loader.load(fixture.own()))
            guard case .stream(let stream) = response.body else { return #expect(Bool(false), "no stream") }
            if reads {
                ahead.send("one")
                var pieces = stream.makeAsyncIterator()
                #expect(try await pieces.next() == Data("one".utf8))
            }
        }
        try await until { ahead.isEnded }
        #expect(fixture.upstream.count == 1)
    }

    @Test(
        "Only a request with the same requester gets a response",
        arguments: [
            ([.cookie: "user=1", .acceptLanguage: "de,en;q=0.5"], true),
            ([.cookie: "user=1", .acceptLanguage: "de, en;q=0.5", .accept: "*/*", .userAgent: "x"], true),
            ([.cookie: "user=1", .acceptLanguage: "de, en;q=0.5", .origin: "https://m.example.com"], true),
            ([.cookie: "user=2", .acceptLanguage: "de, en;q=0.5"], false), ([.acceptLanguage: "de, en;q=0.5"], false),
            ([.cookie: "user=1", .acceptLanguage: "en"], false), ([.cookie: "user=1"], false),
            ([.cookie: "user=1", .acceptLanguage: "de, en;q=0.5", .authorization: "Bearer x"], false),
            ([.cookie: "user=1", .acceptLanguage: "de, en;q=0.5", .origin: "https://other.test"], false),
            ([.cookie: "user=1", .acceptLanguage: "de, en;q=0.5", .cacheControl: "no-cache"], false),
            ([.cookie: "user=1", .acceptLanguage: "de, en;q=0.5", .range: "bytes=0-1"], false),
            ([.cookie: "user=1", .acceptLanguage: "de, en;q=0.5", .ifNoneMatch: "\"1\""], true),
        ] as [(HTTPFields, Bool)])
    func askers(_ fields: HTTPFields, _ isSame: Bool) async throws {
        let fixture = Fixture()
        try fixture.open()
        try await fixture.upstream.exchange(1).answer(whole: "data")
        try await until { fixture.loader.waitingCount == 1 }
        async let answer = fixture.text(fixture.own(fields: fields))
        if !isSame { try await fixture.upstream.exchange(2).answer(whole: "own") }
        #expect(try await answer == (isSame ? "prefetch: data" : "network: own"))
        #expect(fixture.loader.counters.mismatches == (isSame ? 0 : 1))
    }

    @Test(
        "The Vary field decides which requests get a response",
        arguments: [
            ("Accept-Encoding, Cookie", true), ("accept", false), ("*", false), ("Origin, Accept-Language", true),
        ])
    func vary(_ vary: String, _ isFor: Bool) async throws {
        let fixture = Fixture()
        try fixture.open()
        var fields = FixedFields().fields
        fields[.accept] = "text/plain"
        let own = try fixture.own(fields: fields)
        async let answer = fixture.text(own)
        try await fixture.upstream.exchange(1).answer(whole: "data", [.vary: vary])
        if !isFor { try await fixture.upstream.exchange(2).answer(whole: "own") }
        #expect(try await answer == (isFor ? "prefetch: data" : "network: own"))
    }

    /// Sends the whole response to a prefetch request.
    private func answer(_ exchange: Upstream.Exchange, _ text: String, _ fields: HTTPFields) async throws {
        exchange.answer(.ok, fields)
        exchange.send(text)
        exchange.end()
        try await until { exchange.isEnded }
    }

    @Test(
        "Cookies that the prefetched response set do not change the requester, and other cookies do",
        arguments: [
            ("session=a; Path=/", "user=1; session=a", true), ("user=2; HttpOnly", "user=2", true),
            ("user=2", "user=1", true), ("user=2", "user=3", false), ("user=2", nil, false),
            ("user=2", "user=2; more=1", false), ("session=a", "session=a", false), ("other=2", "user=2", false),
            ("user=; Path=/", nil, true), ("user=gone; max-age = 0", nil, true), ("user=gone; Max-Age=9", nil, false),
            ("user=gone; Max-Age=9; max-age=-1", nil, true), ("user=gone; Max-Age=-1; max-age=9", nil, false),
            ("user=gone; Max-Age=+0", nil, false), ("user=gone; Max-Age", nil, false), ("=; Max-Age=0", nil, false),
            ("a=b=c ", "a=b=c; user=1", true), ("bare", "user=1; bare", true), ("", "user=1", true),
        ] as [(String, String?, Bool)])
    func grantedCookies(_ setCookie: String, _ own: String?, _ isSame: Bool) async throws {
        let fixture = Fixture(FixedFields(fields: [.cookie: "user=1"]))
        try fixture.open()
        try await answer(fixture.upstream.exchange(1), "data", [.setCookie: setCookie, .vary: "Cookie"])
        var fields = HTTPFields()
        fields[.cookie] = own
        let request = try fixture.own(fields: fields)
        async let answer = fixture.text(request)
        if !isSame { try await fixture.upstream.exchange(2).answer(whole: "own") }
        #expect(try await answer == (isSame ? "prefetch: data" : "network: own"))
    }

    @Test("Cookies that a loader stores and removes are granted by its callback, before the head arrives")
    func storedCookies() async throws {
        let fixture = Fixture(FixedFields(fields: [.cookie: "user=1"]))
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        let receive = try #require(ahead.request.onSetCookie)
        receive(["user=2; Path=/"])
        // The page has the stored cookies before the head arrives.
        let renewed = try fixture.own(fields: [.cookie: "user=2"])
        async let joined = fixture.text(renewed)
        try await until { fixture.clock.sleeperCount == 2 }
        ahead.answer(whole: "data")
        #expect(try await joined == "prefetch: data")
        #expect(fixture.upstream.count == 1 && fixture.loader.counters.mismatches == 0)
    }

    @Test("A removed cookie may exist for other paths")
    func grantedPaths() {
        var grants = CookieGrants()
        grants.record(["a=; Path=/old", "a=3; Path=/", "b=; Path=/"])
        #expect(grants.lead(from: "a=1; a=2; b=1", to: "a=3; a=2"))
        #expect(!grants.lead(from: "a=1; a=2", to: "a=3"))
        #expect(!grants.lead(from: "a=1", to: nil))
        // Cookies are octets.
        grants.record(["\u{E9}=\u{301}1"])
        #expect(grants.lead(from: nil, to: "\u{E9}=\u{301}1"))
        #expect(!grants.lead(from: nil, to: "e\u{301}=\u{301}1"))
        #expect(!grants.lead(from: "c=\u{E9}", to: "c=e\u{301}"))
        #expect(grants.lead(from: "b=1", to: nil) && !grants.lead(from: "b=1", to: "b=2"))
    }

    @Test(
        "The last valid Max-Age removes a cookie (RFC 6265bis, section 5.6.2)",
        arguments: [
            ("Max-Age=0", true), ("Max-Age=000", true), ("Max-Age=-5", true), ("max-age = -0", true),
            ("Max-Age=5; Max-Age=0", true), ("Max-Age=0; Max-Age=5", false), ("Max-Age=0; Max-Age=x", true),
            ("Max-Age=0; Max-Age", true), ("Max-Age=5", false), ("Max-Age=", false), ("Max-Age=-", false),
            ("Max-Age=+0", false), ("Max-Age=0.5", false), ("Max-Age=--1", false),
            // Arabic digits, and a full-width digit.
            ("Max-Age=-\u{661}", false), ("Max-Age=-\u{FF11}", false), ("Max-Age=-\u{301}1", false),
        ])
    func removals(attributes: String, isRemoved: Bool) {
        var grants = CookieGrants()
        grants.record(["a=1; \(attributes)"])
        #expect(grants.lead(from: "a=0", to: nil) == isRemoved)
    }

    @Test("Cookies of another response may belong to another account's session")
    func grantsOfOthers() async throws {
        let fixture = Fixture(FixedFields(fields: [.cookie: "user=1"]))
        try fixture.open(#"{"api":"https://m.example.com/session"},{"api":"https://m.example.com/me"}"#)
        for number in 1...2 {
            let exchange = try await fixture.upstream.exchange(number)
            let path = exchange.request.head.path ?? ""
            try await answer(exchange, path, path == "/session" ? [.setCookie: "user=2"] : [:])
        }
        let renewed = try fixture.own("https://m.example.com/me", fields: [.cookie: "user=2"])
        async let other = fixture.text(renewed)
        try await fixture.upstream.exchange(3).answer(whole: "own")
        #expect(try await other == "network: own")
        let own = try fixture.own("https://m.example.com/session", fields: [.cookie: "user=2"])
        #expect(try await fixture.text(own) == "prefetch: /session")
    }

    @Test("A response that does not match its claimant expires even without another request")
    func strangersAge() async throws {
        let fixture = Fixture()
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        try await until { fixture.clock.sleeperCount == 1 }
        fixture.clock.advance(by: .seconds(25))
        var fields = FixedFields().fields
        fields[.accept] = "text/plain"
        let own = try fixture.own(fields: fields)
        async let answer = fixture.text(own)
        try await until { fixture.clock.sleeperCount == 2 }
        // All responses are claimed, so the sweeper does not sleep again.
        fixture.clock.advance(by: .seconds(6))
        try await until { fixture.clock.sleeperCount == 1 }
        ahead.answer(whole: "data", [.vary: "Accept"])
        try await fixture.upstream.exchange(2).answer(whole: "own")
        #expect(try await answer == "network: own")
        try await until { fixture.clock.sleeperCount == 1 }
        fixture.clock.advance(by: .seconds(31))
        try await until { fixture.loader.waitingCount == 0 }
        #expect(fixture.loader.counters.wasted == 1)
    }

    @Test("The order of cookies does not matter")
    func cookieOrder() async throws {
        let fixture = Fixture(FixedFields(fields: [.cookie: "a=1; b=2"]))
        try fixture.open()
        try await fixture.upstream.exchange(1).answer(whole: "data")
        #expect(try await fixture.text(fixture.own(fields: [.cookie: "b=2; a=1"])) == "prefetch: data")
    }

    @Test("A body is compared by meaning; a body that does not match is forwarded completely")
    func bodies() async throws {
        let interface = #"{"api":"https://m.example.com/api","method":"POST","bodyParam":true,"body":{"a":1,"b":2}}"#
        let fixture = Fixture()
        try fixture.open(interface)
        try await fixture.upstream.exchange(1).answer(whole: "data")
        func body(_ text: String, length: Int64?) -> ResourceBody {
            .stream(
                ByteStream(
                    AsyncThrowingStream { continuation in
                        for byte in text.utf8 { continuation.yield(Data([byte])) }
                        continuation.finish()
                    }, length: length))
        }
        let url = "https://m.example.com/api"
        for (text, length) in [(#"{"a":1,"b":3,"id":7}"#, 20), (#"{"id":7,"a":1,"b":2}"#, nil)] as [(String, Int64?)] {
            async let other = fixture.text(fixture.own(url, .post, body: body(text, length: length)))
            let exchange = try await fixture.upstream.exchange(fixture.upstream.count + 1)
            #expect(try await exchange.request.body.collect(upTo: 100) == Data(text.utf8))
            exchange.answer(whole: "own")
            #expect(try await other == "network: own")
        }
        let text = #"{"id": 7.0, "b":2,"a":1}"#
        let same = try fixture.own(url, .post, body: body(text, length: Int64(text.utf8.count)))
        #expect(try await fixture.text(same) == "prefetch: data")
    }

    @Test("The document can be prefetched, and does not match a script's request for the same URL")
    func document() async throws {
        let fixture = Fixture()
        let document = try #require(PrefetchRequest.document(Fixture.url + "#top"))
        fixture.loader.prefetch([document], for: fixture.page)
        let ahead = try await fixture.upstream.exchange(1)
        #expect(ahead.request.destination == .document && ahead.request.mode == .navigate)
        ahead.answer(whole: "<html>")
        async let script = fixture.text(fixture.own(Fixture.url))
        try await fixture.upstream.exchange(2).answer(whole: "own")
        #expect(try await script == "network: own")
        var own = try fixture.own(Fixture.url)
        own.destination = .document
        #expect(try await fixture.text(own) == "prefetch: <html>")
    }

    @Test("No request is sent twice for one opening, and responses belong to one page")
    func pages() async throws {
        let fixture = Fixture()
        try fixture.open()
        try fixture.open()
        try await fixture.upstream.exchange(1).answer(whole: "data")
        let other = PageReference(id: PageID(rawValue: 2), documentURL: Fixture.url)
        async let foreign = fixture.text(fixture.own(page: other))
        try await fixture.upstream.exchange(2).answer(whole: "own")
        #expect(try await foreign == "network: own")
        var appOwn = try fixture.own()
        appOwn.page = nil
        let anonymous = appOwn
        async let nobody = fixture.text(anonymous)
        try await fixture.upstream.exchange(3).answer(whole: "app")
        #expect(try await nobody == "network: app")
        // If the engine cannot identify the page, the requester must be the same.
        #expect(try await fixture.text(fixture.own(page: other, confidence: .inferred)) == "prefetch: data")
        try fixture.open()
        #expect(fixture.loader.counters.started == 1)
        fixture.loader.removePage(fixture.page.id)
        try fixture.open()
        #expect(fixture.loader.counters.started == 2)
    }

    @Test("Closing a page drops its unused responses, and signing out drops all", arguments: [true, false])
    func ends(_ signsOut: Bool) async throws {
        let fixture = Fixture()
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        ahead.answer()
        ahead.send("data")
        try await until { ahead.requestCount == 2 }
        if signsOut { fixture.loader.removeAll() } else { fixture.loader.removePage(fixture.page.id) }
        try await until { ahead.isEnded }
        let counters = fixture.loader.counters
        #expect(counters.wasted == 1 && counters.wastedBytes == 4 && fixture.loader.waitingCount == 0)
        async let answer = fixture.text(fixture.own())
        try await fixture.upstream.exchange(2).answer(whole: "own")
        #expect(try await answer == "network: own")
    }

    @Test("No requests are sent beyond the limit on their number")
    func maxCount() async throws {
        let fixture = Fixture { $0.maxCount = 1 }
        try fixture.open(#"{"api":"https://m.example.com/api","urlParam":true},{"api":"https://m.example.com/other"}"#)
        #expect(fixture.loader.counters.started == 1 && fixture.loader.counters.skipped == 1)
        #expect(try await fixture.upstream.exchange(1).request.head.urlText == Fixture.api)
    }

    @Test("A large response is received further only when it is requested, and no piece is lost")
    func backPressure() async throws {
        let fixture = Fixture {
            $0.maxAnswerBytes = 8
            $0.readAhead = 8
        }
        try fixture.open()
        let ahead = try await fixture.upstream.exchange(1)
        ahead.answer()
        for _ in 0..<100 { ahead.send("1234") }
        ahead.end()
        try await until { ahead.requestCount == 2 }
        for _ in 0..<100 { await Task.yield() }
        #expect(ahead.requestCount == 2)
        let response = try #require(try await fixture.loader.load(fixture.own()))
        #expect(try await response.body.collect(upTo: 1_000).count == 400)
        #expect(fixture.loader.counters.joins == 1)
    }

    @Test("All responses together have a limit, and other responses use released space")
    func maxBytes() async throws {
        let fixture = Fixture { $0.maxBytes = 8 }
        try fixture.open(#"{"api":"https://m.example.com/api","urlParam":true},{"api":"https://m.example.com/other"}"#)
        let both = [try await fixture.upstream.exchange(1), try await fixture.upstream.exchange(2)]
        let (first, second) = both[0].request.head.urlText == Fixture.api ? (both[0], both[1]) : (both[1], both[0])
        first.answer()
        first.send("12345678")
        first.end()
        for _ in 0..<100 { await Task.yield() }
        #expect(first.requestCount <= 1)
        second.answer()
        second.send("123")
        second.end()
        #expect(try await fixture.text(fixture.own()) == "prefetch: 12345678")
        #expect(try await fixture.text(fixture.own("https://m.example.com/other")) == "prefetch: 123")
        #expect(fixture.upstream.count == 2)
    }

    @Test("A complete response without space is dropped")
    func tooLarge() async throws {
        let fixture = Fixture { $0.maxAnswerBytes = 3 }
        try fixture.open()
        try await fixture.upstream.exchange(1).answer(whole: "1234")
        try await until { fixture.loader.counters.failures == 1 }
        #expect(fixture.loader.waitingCount == 0)
    }

    @Test("Requests without a prefetch request are passed to the next loader immediately")
    func immediate() async throws {
        let fixture = Fixture()
        func isLater(_ request: ResourceRequest) -> Bool {
            if case .later = fixture.loader.immediateResponse(to: request) { true } else { false }
        }
        #expect(try !isLater(fixture.own()))
        try fixture.open()
        #expect(try isLater(fixture.own()))
        #expect(try !isLater(fixture.own("https://m.example.com/app.js")))
        try await fixture.upstream.exchange(1).answer(whole: "data")
        _ = try await fixture.text(fixture.own())
        #expect(try !isLater(fixture.own()))
    }
}
