// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing
import WebSyntax

@testable import HTTPCache

/// Tests of the cache rules, which need no I/O.
@Suite(.timeLimit(.minutes(1)))
struct PolicyTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)
    private let personal = CachePolicy()
    private let shared = CachePolicy(scope: .shared)

    private func request(_ fields: HTTPFields = [:], _ method: HTTPRequest.Method = .get) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: "a.test", path: "/x", headerFields: fields)
    }

    private func stored(
        _ fields: HTTPFields, _ status: Int = 200, by policy: CachePolicy? = nil, to request: HTTPRequest? = nil,
        length: Int64? = 5
    ) -> StoredResponse? {
        (policy ?? personal).storable(
            HTTPResponse(status: .init(code: status), headerFields: fields), to: request ?? self.request(),
            requestTime: now, responseTime: now, length: length)
    }

    @Test(
        "Cache-Control determines the responses that private and shared caches store",
        arguments: [
            ("max-age=60", true, true), ("no-store, max-age=60", false, false), ("private, max-age=60", true, false),
            ("s-maxage=60", false, true), ("no-cache", false, false), ("public", false, false),
            ("max-age=60, no-store, must-understand", true, true), ("stale-if-error=60, max-age=0", true, true),
        ])
    func storability(control: String, isPersonal: Bool, isShared: Bool) {
        #expect((stored([.cacheControl: control]) != nil) == isPersonal)
        #expect((stored([.cacheControl: control], by: shared) != nil) == isShared)
    }

    @Test("The status determines whether a response without a lifetime, or any response, is stored")
    func statuses() {
        let old: HTTPFields = [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"]
        for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] { #expect(stored(old, status) != nil) }
        for status in [201, 202, 302, 307, 403, 500, 502, 503, 504] { #expect(stored(old, status) == nil) }
        #expect(stored([.cacheControl: "max-age=1, must-understand"], 599) == nil)
        #expect(stored([.cacheControl: "max-age=1"], 599) != nil)
        for status in [101, 103, 304, 999] { #expect(stored([.cacheControl: "max-age=1"], status) == nil) }
    }

    @Test("Authorization, cookies and methods can prevent storing")
    func exceptions() {
        let secret = request([.authorization: "x"])
        #expect(stored([.cacheControl: "max-age=60"], by: shared, to: secret) == nil)
        for control in ["max-age=60, public", "max-age=60, must-revalidate", "s-maxage=60"] {
            #expect(stored([.cacheControl: control], by: shared, to: secret) != nil)
        }
        #expect(stored([.cacheControl: "max-age=60"], to: secret) != nil)
        let cookie: HTTPFields = [.setCookie: "a=b", .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(stored(cookie, by: shared) == nil)
        #expect(stored(cookie) != nil)
        #expect(stored([.cacheControl: "max-age=60"], to: request([:], .put)) == nil)
        #expect(stored([.cacheControl: "max-age=60"], to: request([:], .post)) == nil)
        #expect(stored([.cacheControl: "max-age=60", .contentLocation: "/x"], to: request([:], .post)) != nil)
        #expect(stored([.cacheControl: "max-age=60", .contentLocation: "/y"], to: request([:], .post)) == nil)
        #expect(stored([.cacheControl: "max-age=60"], to: request([.cacheControl: "no-store"])) == nil)
        #expect(stored([.cacheControl: "max-age=60", .vary: "a, *"]) == nil)
    }

    @Test("Connection fields and fields named by a directive are not stored")
    func fields() throws {
        let names = ["A", "B", "C", "Keep-Alive"].compactMap { HTTPField.Name($0) }
        var fields: HTTPFields = [.cacheControl: #"max-age=60, private="b", no-cache="c""#, .connection: "a, close"]
        for name in names { fields[name] = "1" }
        let kept = try #require(stored(fields, by: shared))
        #expect(kept.head.headerFields.map(\.name.canonicalName) == ["cache-control"])
        #expect(try #require(stored(fields)).head.headerFields.map(\.name.canonicalName) == ["cache-control", "b"])
    }

    @Test("Lifetimes and ages are computed from the fields")
    func freshness() throws {
        func freshness(_ fields: HTTPFields, _ policy: CachePolicy? = nil, after seconds: Double = 0) throws
            -> Freshness
        {
            let response = StoredResponse(
                head: HTTPResponse(status: .ok, headerFields: fields), selectors: [], requestTime: now - 2,
                responseTime: now, range: 0..<0, length: 0)
            return Freshness(of: response, now: now + seconds, policy: policy ?? personal)
        }
        let date = HTTPDate.format(now)
        #expect(try freshness([.cacheControl: "max-age=60, s-maxage=5"]).lifetime == 60)
        #expect(try freshness([.cacheControl: "max-age=60, s-maxage=5"], shared).lifetime == 5)
        #expect(try freshness([.cacheControl: "max-age=60", .expires: "0"]).lifetime == 60)
        #expect(try freshness([.date: date, .expires: HTTPDate.format(now + 30)]).lifetime == 30)
        #expect(try freshness([.date: date, .expires: "0"]).lifetime == 0)
        let guess = try freshness([.date: date, .lastModified: HTTPDate.format(now - 1_000)])
        #expect(guess.lifetime == 100 && guess.isHeuristic)
        #expect(try freshness([.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"]).lifetime == 7 * 86_400)
        #expect(try freshness([.lastModified: HTTPDate.format(now + 1_000)]).lifetime == 0)
        #expect(try freshness([.date: date], after: 3).age == 5)
        #expect(try freshness([.date: date, .age: "10"], after: 3).age == 15)
        #expect(try freshness([.date: HTTPDate.format(now - 100), .age: "x"]).age == 100)
        #expect(try freshness([.date: HTTPDate.format(now + 100), .age: "99999999999999999999"]).age == 2_147_483_650)
    }

    @Test("Equivalent field values select the same variant")
    func selection() {
        func same(_ name: HTTPField.Name, _ left: String, _ right: String) -> Bool {
            let response = HTTPResponse(status: .ok, headerFields: [.vary: name.rawName])
            guard let selectors = Vary.selectors(of: response, for: request([name: left])) else { return false }
            return Vary.matches(selectors, request([name: right]))
        }
        #expect(same(.acceptLanguage, "en, de", "DE ,en"))
        #expect(same(.acceptEncoding, "gzip;q=0.5, br", "br, gzip; q=0.500"))
        #expect(!same(.acceptLanguage, "en, de;q=0.5", "de, en;q=0.5"))
        #expect(same(.origin, "a,b", "a, b"))
        #expect(!same(.origin, "a, b", "b, a"))
        #expect(!same(.userAgent, "a,b", "a, b"))
        #expect(!same(.acceptLanguage, "en", "en;q=0"))
        // Canonically equivalent texts have different bytes, and only ASCII letters have a case.
        #expect(same(.origin, "\u{E9}", "\u{E9}"))
        #expect(!same(.origin, "\u{E9}", "e\u{301}"))
        #expect(!same(.userAgent, "\u{E9}", "e\u{301}"))
        #expect(!same(.acceptLanguage, "k", "\u{212A}"))
    }

    @Test("Keys and selectors are compared by bytes")
    func keys() {
        let texts = ["\u{E9}", "e\u{301}", "K", "\u{212A}"]
        #expect(Set(texts.map { CacheKey(partition: "", url: "https://a.test/\($0)") }).count == texts.count)
        #expect(Set(texts.map { CacheKey(partition: $0, url: "https://a.test/") }).count == texts.count)
        #expect(Set(texts.map { StoredResponse.Selector(name: "a", value: $0) }).count == texts.count)
        var bodies = ReadBodies()
        for text in texts { bodies.put(.empty, text, 1, seen: 0) }
        for text in texts { #expect(bodies.removeBody(text, 1) != nil) }
    }

    @Test("The latest matching response is used, and preconditions for the origin are forwarded")
    func decisions() throws {
        let old = try #require(
            stored([.cacheControl: "max-age=60", .date: HTTPDate.format(now - 9), .eTag: "\"old\""]))
        let new = try #require(
            stored([.cacheControl: "max-age=60", .date: HTTPDate.format(now - 1), .eTag: "\"new\""]))
        #expect(personal.decide(request(), candidates: [new, old], now: now) == .use(new))
        #expect(personal.decide(request(), candidates: [], now: now) == .forward)
        #expect(personal.decide(request([:], .put), candidates: [new], now: now) == .forward)
        #expect(personal.decide(request([.ifMatch: "\"new\""]), candidates: [new], now: now) == .forward)
        #expect(personal.decide(request([.cacheControl: "no-cache"]), candidates: [new], now: now) == .validate(new))
        let checked = personal.validation(of: new, for: request([.ifNoneMatch: "\"mine\", \"new\""]))
        #expect(checked.headerFields[.ifNoneMatch] == "\"new\", \"mine\"")
    }

    @Test("If-Range uses the strong comparison")
    func ifRange() throws {
        func status(_ tag: String, _ condition: String) throws -> Int {
            let response = try #require(stored([.cacheControl: "max-age=60", .eTag: tag]))
            let wanted = request([.range: "bytes=0-1", .ifRange: condition])
            return StoredAnswer(response, to: wanted, now: now).head.status.code
        }
        #expect(try status("\"1\"", "\"1\"") == 206)
        #expect(try status("\"1\"", "\"2\"") == 200)
        #expect(try status("W/\"1\"", "W/\"1\"") == 200)
        #expect(try status("\"1\"", "Sun, 06 Nov 1994 08:49:37 GMT") == 200)
    }

    /// RFC 9110, section 8.8.3: a value without quotation marks is not an entity tag and matches no condition. It is
    /// still sent to the origin, which compares its own text.
    @Test("A tag without quotation marks is used for validation and matches no condition")
    func unquotedTag() throws {
        let response = try #require(stored([.cacheControl: "max-age=60", .eTag: "one"]))
        #expect(response.strongTag == nil)
        #expect(personal.validation(of: response, for: request()).headerFields[.ifNoneMatch] == "one")
        let known = StoredAnswer(response, to: request([.ifNoneMatch: "one"]), now: now)
        #expect(known.head.status == .ok)
        let part = StoredAnswer(response, to: request([.range: "bytes=0-1", .ifRange: "one"]), now: now)
        #expect(part.head.status == .ok)
        func freshened(_ tag: String) -> StoredResponse? {
            personal.freshened(
                response, by: HTTPResponse(status: .notModified, headerFields: [.eTag: tag]), requestTime: now,
                responseTime: now)
        }
        #expect(freshened("one") != nil)
        #expect(freshened("two") == nil)
        #expect(freshened("\"one\"") == nil)
    }

    @Test("References are resolved, and origins are compared without the default port")
    func references() throws {
        let base = "https://a.test/b/c?d"
        #expect(Invalidation.resolve("e", against: base)?.urlText == "https://a.test/b/e")
        #expect(Invalidation.resolve("/e?f#g", against: base)?.urlText == "https://a.test/e?f")
        #expect(Invalidation.resolve("", against: base)?.urlText == base)
        #expect(Invalidation.resolve("//b.test/x", against: base)?.urlText == "https://b.test/x")
        #expect(Invalidation.resolve("mailto:x", against: base) == nil)
        func others(_ location: String, by url: String) throws -> [String] {
            let request = try #require(HTTPRequest(method: .post, urlText: url))
            let response = HTTPResponse(status: .ok, headerFields: [.location: location])
            return Array(Invalidation.urls(after: response, to: request).dropFirst())
        }
        #expect(try others("https://u@a.test/x", by: "https://a.test:443/") == ["https://u@a.test/x"])
        #expect(try others("https://a.test/", by: "https://a.test:444/") == [])
        #expect(try others("https://a.test/x", by: "http://a.test/") == [])
        #expect(HostPartitioning().site(of: "https://u:p@A.test:8080/x?y") == "https://a.test")
        #expect(HostPartitioning().site(of: "https://[::1]:80/") == "https://[::1]")
    }
}
