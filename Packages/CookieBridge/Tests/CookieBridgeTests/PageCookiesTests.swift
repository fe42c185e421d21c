// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import CookieJar
import HTTPTypes
import PublicSuffixList
import ResourceLoading
import Testing

@_spi(Facade) @testable import CookieBridge

/// Tests of the rules by which page requests send cookies and their responses set them.
@Suite("Page cookies", .timeLimit(.minutes(1)))
struct PageCookiesTests {
    private let jar = CookieStore(publicSuffixes: SuffixList())
    private let page = "https://www.shop.example/cart"

    private func request(
        _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], page: String? = nil,
        _ change: (inout ResourceRequest) -> Void = { _ in }
    ) throws -> ResourceRequest {
        let head = try #require(HTTPRequest(method: method, urlText: url, headerFields: fields))
        let reference = PageReference(id: PageID(rawValue: 1), documentURL: page ?? self.page)
        var request = ResourceRequest(head, page: PageAttribution(reference, confidence: .exact))
        change(&request)
        return request
    }

    private func fill(_ host: String) throws {
        jar.store(
            setCookies: ["strict=1; Secure; SameSite=Strict", "lax=1; Secure", "all=1; Secure; SameSite=None"],
            from: try #require(CookieURL("https://\(host)/")))
    }

    @Test(
        "Cookies depend on the page's site, the requesting document and the kind of request",
        arguments: [
            ("https://www.shop.example/a", [:], "strict=1; lax=1; all=1"),
            ("https://www.shop.example/a", [.origin: "https://ad.example"], "all=1"),
            ("https://www.shop.example/a", [.referer: "https://api.shop.example/x"], "strict=1; lax=1; all=1"),
            ("https://ad.example/a", [:], "all=1"), ("http://www.shop.example/a", [:], nil),
        ] as [(String, HTTPFields, String?)])
    func header(_ url: String, _ fields: HTTPFields, _ expected: String?) throws {
        try fill("www.shop.example")
        try fill("ad.example")
        let cookies = PageCookies(jar: jar, acceptsThirdParties: false)
        #expect(cookies.header(for: try request(url, .get, fields)) == expected)
    }

    @Test("Navigations and requests that may come from another site send fewer cookies")
    func navigations() throws {
        try fill("www.shop.example")
        let cookies = PageCookies(jar: jar, acceptsThirdParties: false)
        func sent(
            _ method: HTTPRequest.Method, in page: String, _ change: (inout ResourceRequest) -> Void
        ) throws -> String? {
            cookies.header(for: try request("https://www.shop.example/a", method, page: page, change))
        }
        let other = "https://ad.example/"
        let followed = try sent(.get, in: other) { $0.destination = .document }
        let posted = try sent(.post, in: other) { $0.destination = .document }
        let saved = try sent(.get, in: other) { $0.isSaved = true }
        let framed = try sent(.get, in: other) { $0.destination = .nestedDocument }
        let unproven = try sent(.get, in: page) { $0.mayComeFromOtherSite = true }
        #expect(followed == "lax=1; all=1" && saved == followed)
        #expect(posted == "all=1" && framed == "all=1" && unproven == "all=1")
    }

    @Test("The credentials mode, a CORS preflight request and a request of no page exclude cookies")
    func credentials() throws {
        try fill("www.shop.example")
        try fill("api.shop.example")
        let cookies = PageCookies(jar: jar, acceptsThirdParties: false)
        let changes: [(change: (inout ResourceRequest) -> Void, toOwn: Bool, toOther: Bool)] = [
            ({ _ in }, true, true), ({ $0.credentials = .omit }, false, false),
            ({ $0.credentials = .sameOrigin }, true, false), ({ $0.credentials = .include }, true, true),
            ({ $0.mode = .cors }, true, false), ({ $0.page = nil }, false, false),
            ({ $0.head.method = .options }, false, false),
        ]
        for (number, expected) in changes.enumerated() {
            let own = cookies.header(for: try request("https://www.shop.example/a", .get, [:], expected.change))
            let other = cookies.header(for: try request("https://api.shop.example/a", .get, [:], expected.change))
            #expect((own != nil) == expected.toOwn && (other != nil) == expected.toOther, "\(number)")
        }
    }

    @Test("Third parties set cookies only if the app allows it")
    func thirdParties() throws {
        for isAllowed in [false, true] {
            let cookies = PageCookies(jar: jar, acceptsThirdParties: isAllowed)
            let script = try #require(cookies.cookieTarget(ofScriptAt: "https://ad.example/frame", in: page))
            #expect(script.context == .crossSite && cookies.accepts(from: script) == isAllowed)
            let own = try #require(cookies.cookieTarget(ofScriptAt: "https://shop.example/", in: page))
            #expect(own.context == .sameSite && cookies.accepts(from: own))
            #expect(cookies.cookieTarget(ofScriptAt: "about:blank", in: page) == nil)
            // A request to the page's own site is never third-party, even if a frame of another site may have made it.
            let request = try request("https://www.shop.example/a") { $0.mayComeFromOtherSite = true }
            let target = try #require(cookies.cookieTarget(of: request))
            #expect(target.context == .crossSite && cookies.accepts(from: target, for: request))
        }
    }

    // MARK: Loaders

    /// A network loader whose response sets cookies.
    private struct Network: ResourceLoader {
        var fields: HTTPFields = [.setCookie: "id=1; Secure", .contentType: "text/plain"]
        var before: @Sendable (ResourceRequest) -> Void = { _ in }

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            before(request)
            return ResourceResponse(
                head: HTTPResponse(status: .ok, headerFields: fields), body: .empty,
                provenance: Provenance(.network, reason: "test"))
        }
    }

    @Test("A page request gets the cookies of the jar in place of its own cookies; a request of no page is unchanged")
    func sending() async throws {
        try fill("www.shop.example")
        let sent = Mutex<[String?]>([])
        let network = Network { request in sent.withLock { $0.append(request.head.headerFields[.cookie]) } }
        let loader = CookieSendingLoader(network, cookies: PageCookies(jar: jar, acceptsThirdParties: false))
        let url = "https://www.shop.example/a"
        _ = try await loader.load(request(url, .get, [.cookie: "forged=1"]))
        _ = try await loader.load(request(url, .get, [.cookie: "forged=1"]) { $0.credentials = .omit })
        _ = try await loader.load(request(url, .get, [.cookie: "app=1"]) { $0.page = nil })
        #expect(sent.withLock { $0 } == ["strict=1; lax=1; all=1", nil, "app=1"])
    }

    @Test("`onSetCookie` gets the values before the jar stores the cookies, and the response has no Set-Cookie field")
    func storing() async throws {
        let received = Mutex<[(values: [String], stored: Int)]>([])
        let loader = CookieStoringLoader(Network(), cookies: PageCookies(jar: jar, acceptsThirdParties: false))
        let asking = try request("https://www.shop.example/a") { [jar] in
            $0.onSetCookie = { values in received.withLock { $0.append((values, jar.cookies.count)) } }
        }
        let response = try #require(try await loader.load(asking))
        #expect(received.withLock { $0.map(\.values) } == [["id=1; Secure"]])
        #expect(received.withLock { $0.map(\.stored) } == [0] && jar.cookies.map(\.value) == ["1"])
        #expect(response.head.headerFields == [.contentType: "text/plain"])
        // Third-party cookies are neither stored nor received.
        let foreign = try request("https://ad.example/a") { $0.onSetCookie = asking.onSetCookie }
        let other = try #require(try await loader.load(foreign))
        #expect(received.withLock { $0.count } == 1 && jar.cookies.count == 1)
        #expect(other.head.headerFields[.setCookie] == nil)
        // The response to a request of no page has the field for the app.
        let own = try await loader.load(request("https://www.shop.example/a") { $0.page = nil })
        #expect(own?.head.headerFields[.setCookie] == "id=1; Secure" && jar.cookies.count == 1)
    }

    @Test("A response to a request from before a clear operation sets no cookie in the cleared scope")
    func clearedMeanwhile() async throws {
        let cookies = PageCookies(jar: jar, acceptsThirdParties: false)
        let url = "https://www.shop.example/a"
        for (scope, isStored) in [
            (CookieScope.domains(["shop.example"]), false), (.domains(["other.example"]), true), (.all, false),
        ] {
            let loader = CookieStoringLoader(Network { _ in cookies.processor.clear(scope) }, cookies: cookies)
            _ = try await loader.load(request(url))
            #expect(jar.cookies.isEmpty != isStored, "\(scope)")
            jar.removeAll()
        }
        // The response to a request that began before the oldest remembered clear operation sets no cookie either.
        let loader = CookieStoringLoader(
            Network { _ in for _ in 0...64 { cookies.processor.clear(.domains(["other.example"])) } }, cookies: cookies)
        _ = try await loader.load(request(url))
        #expect(jar.cookies.isEmpty)
        _ = try await CookieStoringLoader(Network(), cookies: cookies).load(request(url))
        #expect(jar.cookies.map(\.value) == ["1"])
    }

    @Test("A recording contains the cookies of the responses, or reports that whole sites have changed")
    func recording() async throws {
        let cookies = PageCookies(jar: jar, acceptsThirdParties: false)
        let changes = cookies.processor.beginRecording()
        let url = "https://www.shop.example/a"
        _ = try await CookieStoringLoader(Network(), cookies: cookies).load(request(url))
        #expect(changes.identities?.map(\.name) == ["id"])
        let clearing = Network(fields: [try #require(HTTPField.Name("Clear-Site-Data")): "\"cookies\""])
        _ = try await CookieStoringLoader(clearing, cookies: cookies).load(request(url))
        #expect(changes.identities == nil && jar.cookies.isEmpty)
        cookies.processor.end(changes)
    }
}
