// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Settings of a session apply to the app's own requests", .timeLimit(.minutes(2)))
struct SessionSettingsTests {
    @Test("Redirects are followed internally, and the response has the final URL")
    func redirects() async throws {
        let loader = AnsweringLoader { request in
            switch request.head.path {
            case "/old": AnsweringLoader.redirect(302, to: "/newer")
            case "/newer": AnsweringLoader.redirect(301, to: "https://other.example:443/new?x")
            default: AnsweringLoader.text("here")
            }
        }
        let faced = try FacedSession(loader)
        var request = try FacedSession.request("https://app.example/old")
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        request.setValue("id=1", forHTTPHeaderField: "Cookie")
        let (text, head) = try await faced.data(request)
        #expect(text == "here" && head.url?.absoluteString == "https://other.example/new?x")
        let hops = loader.requests.withLock { $0.map(\.head) }
        #expect(hops.map { $0.headerFields[.authorization] } == ["Bearer secret", "Bearer secret", nil])
        #expect(hops.map { $0.headerFields[.cookie] } == ["id=1", "id=1", nil])
    }

    @Test(
        "Methods and bodies after a redirect follow Fetch",
        arguments: [(302, "GET", ""), (303, "GET", ""), (307, "POST", "x"), (308, "POST", "x")])
    func methods(status: Int, method: String, body: String) async throws {
        let loader = AnsweringLoader { request in
            if request.head.path == "/first" { return AnsweringLoader.redirect(status, to: "/second") }
            let sent = String(decoding: try await request.body.collect(upTo: 10), as: UTF8.self)
            return AnsweringLoader.text("\(request.head.method.rawValue) \(sent)")
        }
        let faced = try FacedSession(loader)
        let request = try FacedSession.request("https://app.example/first", "POST", body: "x")
        #expect(try await faced.data(request).text == "\(method) \(body)")
    }

    @Test(
        "A redirect loop and a redirect to a non-HTTP URL are errors",
        arguments: [("/", URLError.Code.httpTooManyRedirects), ("file:///etc/passwd", .badURL)])
    func badRedirects(location: String, code: URLError.Code) async throws {
        let loader = AnsweringLoader { _ in AnsweringLoader.redirect(302, to: location) }
        let faced = try FacedSession(loader)
        let error = await #expect(throws: URLError.self) { try await faced.data("https://app.example/") }
        #expect(error?.code == code)
        #expect(loader.requests.withLock(\.count) == (location == "/" ? Redirect.limit + 1 : 1))
    }

    @Test("At every hop, the cookies of its host are sent and stored")
    func cookies() async throws {
        let loader = AnsweringLoader { request in
            guard request.head.path == "/login" else {
                return AnsweringLoader.text(request.head.headerFields[.cookie] ?? "none")
            }
            var fields = HTTPFields()
            fields.append(.init(name: .setCookie, value: "a=1; Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT"))
            fields.append(.init(name: .setCookie, value: "b=2; Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT"))
            return AnsweringLoader.redirect(303, to: request.head.headerFields[.referer] ?? "/", fields)
        }
        let faced = try FacedSession(loader)
        let sent = try await faced.data("https://app.example/login").text
        #expect(Set(sent.split(separator: "; ")) == ["a=1", "b=2"])
        var elsewhere = try FacedSession.request("https://app.example/login")
        elsewhere.setValue("https://other.example/", forHTTPHeaderField: "Referer")
        #expect(try await faced.data(elsewhere).text == "none")
        #expect(Set(faced.cookies.cookies?.map(\.name) ?? []) == ["a", "b"])
    }

    @Test("A session that sends no cookies of its own sends the cookies of the request")
    func ownCookies() async throws {
        let loader = AnsweringLoader {
            AnsweringLoader.text($0.head.headerFields[.cookie] ?? "none", [.setCookie: "a=1"])
        }
        let faced = try FacedSession(loader, change: { $0.httpShouldSetCookies = false })
        #expect(try await faced.data("https://app.example/").text == "none")
        var request = try FacedSession.request("https://app.example/")
        request.setValue("own=1", forHTTPHeaderField: "Cookie")
        #expect(try await faced.data(request).text == "own=1")
        #expect(faced.cookies.cookies?.map(\.name) == ["a"])
    }

    @Test("A session that stores no cookies receives and sends none")
    func noCookies() async throws {
        let loader = AnsweringLoader { request in
            AnsweringLoader.text(request.head.headerFields[.cookie] ?? "none", [.setCookie: "a=1"])
        }
        let faced = try FacedSession(loader, change: { $0.httpCookieAcceptPolicy = .never })
        for _ in 0..<2 { #expect(try await faced.data("https://app.example/").text == "none") }
        #expect(faced.cookies.cookies?.isEmpty != false)
    }

    @Test("Session fields are added, request fields have priority, and cache policies become Cache-Control")
    func fields() async throws {
        let loader = AnsweringLoader { request in
            let fields = request.head.headerFields
            return AnsweringLoader.text(
                "\(fields[.accept] ?? "-") \(fields[.userAgent] ?? "-") \(fields[.cacheControl] ?? "-")")
        }
        let fields = ["Accept": "text/plain", "User-Agent": "App/1"]
        let faced = try FacedSession(
            loader,
            change: {
                $0.httpAdditionalHeaders = fields
                $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: nil)
            })
        #expect(try await faced.data("https://app.example/").text == "text/plain App/1 -")
        var request = try FacedSession.request("https://app.example/")
        request.setValue("image/png", forHTTPHeaderField: "Accept")
        request.cachePolicy = .reloadIgnoringLocalCacheData
        #expect(try await faced.data(request).text == "image/png App/1 no-cache")
        request.cachePolicy = .returnCacheDataDontLoad
        #expect(try await faced.data(request).text == "image/png App/1 only-if-cached, max-stale")
        let ephemeral = try FacedSession(loader)
        #expect(try await ephemeral.data("https://app.example/").text == "- - no-cache, no-store")
    }

    @Test("A 504 response of the cache is an error if the network must not be used")
    func nothingKept() async throws {
        let faced = try FacedSession(AnsweringLoader { _ in AnsweringLoader.response(504) })
        #expect(try await faced.data("https://app.example/").head.statusCode == 504)
        var request = try FacedSession.request("https://app.example/")
        request.cachePolicy = .returnCacheDataDontLoad
        let error = await #expect(throws: URLError.self) { try await faced.data(request) }
        #expect(error?.code == .notConnectedToInternet)
    }

    @Test("Cookies of a hop replace earlier ones and respect their path and Secure attribute")
    func newCookies() async throws {
        let loader = AnsweringLoader { request in
            switch request.head.urlText {
            case "https://app.example/login": AnsweringLoader.redirect(303, to: "/home", [.setCookie: "id=new; Path=/"])
            case "https://app.example/plain": AnsweringLoader.redirect(303, to: "http://app.example/")
            default: AnsweringLoader.text(request.head.headerFields[.cookie] ?? "none")
            }
        }
        let faced = try FacedSession(loader)
        let url = try #require(URL(string: "https://app.example/"))
        for field in ["id=old; Path=/", "far=1; Path=/elsewhere", "safe=1; Path=/; Secure"] {
            let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: url)
            faced.cookies.setCookies(cookies, for: url, mainDocumentURL: nil)
        }
        #expect(faced.cookies.cookies?.count == 3)
        let sent = try await faced.data("https://app.example/login").text
        #expect(Set(sent.split(separator: "; ")) == ["id=new", "safe=1"])
        #expect(try await faced.data("https://app.example/plain").text == "id=new")
    }

    @Test("A very long timeout means no limit", arguments: [Double.infinity, .greatestFiniteMagnitude, 0, -1, .nan])
    func noLimit(seconds: Double) async throws {
        let faced = try FacedSession(
            AnsweringLoader { _ in AnsweringLoader.text("here") }, change: { $0.timeoutIntervalForRequest = seconds })
        #expect(try await faced.data("https://app.example/").text == "here")
        var request = try FacedSession.request("https://app.example/")
        request.timeoutInterval = seconds
        #expect(try await faced.data(request).text == "here")
    }

    @Test("Inactivity beyond the request's limit is a timeout", arguments: [nil, 5.0])
    func timeOut(limit: Double?) async throws {
        let clock = GatedClock()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let loader = AnsweringLoader { _ in
            for await _ in AsyncStream<Void>.makeStream().stream {}
            end.yield()
            throw CancellationError()
        }
        let faced = try FacedSession(loader, clock: clock, change: { $0.timeoutIntervalForRequest = 20 })
        let request = try limited(FacedSession.request("https://app.example/"), to: limit)
        let answer = Task { try await faced.data(request) }
        for await sleep in clock.sleeps {
            #expect(sleep == .seconds(limit ?? 20))
            break
        }
        clock.open()
        let error = await #expect(throws: URLError.self) { _ = try await answer.value }
        #expect(error?.code == .timedOut)
        for await _ in ended { break }
    }

    private func limited(_ request: URLRequest, to limit: Double?) -> URLRequest {
        var request = request
        if let limit { request.timeoutInterval = limit }
        return request
    }

    #if canImport(FoundationNetworking)
        @Test("An upload whose body is not accessible fails and is not sent without the body")
        func uploads() async throws {
            let loader = AnsweringLoader { _ in AnsweringLoader.text("sent") }
            let faced = try FacedSession(loader)
            let request = try FacedSession.request("https://app.example/", "POST")
            let error = await #expect(throws: URLError.self) {
                _ = try await faced.session.upload(for: request, from: Data("body".utf8))
            }
            #expect(error?.code == .badURL && error?.localizedDescription.contains("upload task") == true)
            #expect(loader.requests.withLock(\.count) == 0)
        }

        @Test("A download task fails without a crash")
        func downloads() async throws {
            let faced = try FacedSession(AnsweringLoader { _ in AnsweringLoader.text("loaded") })
            let request = try FacedSession.request("https://app.example/")
            let error = await #expect(throws: URLError.self) { _ = try await faced.session.download(for: request) }
            #expect(error?.localizedDescription.contains("download task") == true)
        }

        @Test("A body above the limit for one piece fails")
        func tooLarge() async throws {
            var limits = URLProtocolFace.Limits()
            limits.wholeBody = 9
            let faced = try FacedSession(AnsweringLoader { AnsweringLoader.text($0.head.path ?? "") }, limits: limits)
            #expect(try await faced.data("https://app.example/12345678").text == "/12345678")
            let error = await #expect(throws: URLError.self) { try await faced.data("https://app.example/123456789") }
            #expect(error?.code == .dataLengthExceedsMaximum)
        }
    #endif

    @Test(
        "A 401 response is delivered, independently of its challenge",
        arguments: ["Basic", "Basic realm=\"x\"", "Bearer", "Digest realm=x", ""])
    func unauthorized(challenge: String) async throws {
        let faced = try FacedSession(
            AnsweringLoader { _ in AnsweringLoader.response(401, .bytes(Data("no".utf8)), [.wwwAuthenticate: challenge])
            })
        let (text, head) = try await faced.data("https://app.example/")
        #expect(text == "no" && head.statusCode == 401)
    }
}
