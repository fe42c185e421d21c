// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
@_spi(Facade) import SchemeMode
import Testing

/// Redirects and permissions of CORS requests of the page at `a.example`.
@Suite("CORS redirects", .timeLimit(.minutes(1)))
struct CrossOriginRedirectTests {
    private static let page = "https://a.example"
    private static let start = "https://b.example/1"

    /// Follows redirects from ``start``; `permits` returns the permission of each response.
    private func follow(
        _ hops: [String: String], permits: @escaping @Sendable (HTTPRequest) -> String?
    ) async throws -> (asked: [HTTPRequest], permission: String?) {
        let server = Server { request in
            var answer = HTTPResponse(status: hops[request.urlText] == nil ? .ok : .found)
            answer.headerFields[.location] = hops[request.urlText]
            answer.headerFields[.accessControlAllowOrigin] = permits(request)
            return answer
        }
        var request = try subrequest(
            Self.start, .get,
            [.origin: "containerkit://a.example", .referer: "containerkit://a.example/p", .accept: "*/*"])
        RequestCompletion(.standard).complete(&request, opener: nil)
        let response = try await RedirectFollower(server, names: .standard).load(request)
        return (server.receivedRequests, response?.head.headerFields[.accessControlAllowOrigin])
    }

    private func site(_ request: HTTPRequest) throws -> String? {
        request.headerFields[try #require(HTTPField.Name("Sec-Fetch-Site"))]
    }

    @Test("Only a permission for the real origin becomes a permission for the custom-scheme origin")
    func names() async throws {
        #expect(try await follow([:]) { $0.headerFields[.origin] }.permission == "containerkit://a.example")
        #expect(try await follow([:]) { _ in "*" }.permission == "*")
        for value in ["https://c.example", "null", "containerkit://c.example", "https://a.example, *", "", nil] {
            #expect(await isBlocked { try await follow([:]) { _ in value } }, "\(value ?? "none")")
        }
    }

    private func isBlocked<Answer>(_ load: () async throws -> Answer) async -> Bool {
        do {
            _ = try await load()
            return false
        } catch {
            return (error as? ResourceError)?.code == .blocked
        }
    }

    @Test(
        "A CORS redirect to a URL with user information is blocked across origins",
        arguments: [
            ("https://c.example/2", false), ("https://@c.example/2", false), ("https://:@c.example/2", false),
            ("https://u@c.example/2", true), ("https://u:p@c.example/2", true), ("https://:p@c.example/2", true),
            ("https://u@b.example/2", true), ("https://u@a.example/2", true),
        ])
    func users(location: String, isRefused: Bool) async throws {
        #expect(await isBlocked { try await follow([Self.start: location]) { _ in "*" } } == isRefused)
        // A script's same-origin request is a CORS request too; an element's request is not.
        for credentials in [ResourceRequest.Credentials.sameOrigin, .include, .unknown] {
            var request = try subrequest("https://a.example/1", .get, [.accept: "image/png"])
            request.credentials = credentials
            RequestCompletion(.standard).complete(&request, opener: "https://a.example/")
            request.mode = .unknown
            let permission: HTTPFields = [
                .accessControlAllowOrigin: "https://a.example", .accessControlAllowCredentials: "true",
            ]
            let site = Site(["https://a.example/1": (302, location)], fields: permission)
            let isFollowed = credentials == .unknown || !isRefused || location == "https://u@a.example/2"
            let sent = request
            #expect(
                await isBlocked { try await RedirectFollower(site, names: .standard).load(sent) } != isFollowed,
                "\(credentials)")
            #expect(site.receivedRequests.count == (isFollowed ? 2 : 1))
        }
    }

    @Test("After a redirect from one foreign origin to another, Origin is null, and the request may still be permitted")
    func tainted() async throws {
        let hops = [Self.start: "https://c.example/2", "https://c.example/2": "https://c.example/3"]
        let result = try await follow(hops) { $0.headerFields[.origin] }
        #expect(result.asked.map { $0.headerFields[.origin] } == [Self.page, "null", "null"])
        #expect(result.asked.map { $0.headerFields[.referer] } == Array(repeating: "https://a.example/", count: 3))
        #expect(result.permission == "containerkit://a.example")
        #expect(try result.asked.map(site) == ["cross-site", "cross-site", "cross-site"])
        // `Origin` is also `null` after a redirect back to the page's own origin.
        let back = try await follow([Self.start: "https://a.example/2"]) { $0.headerFields[.origin] }
        #expect(back.asked.map { $0.headerFields[.origin] } == [Self.page, "null"])
        // Within the foreign origin, the page's origin is kept.
        let within = try await follow([Self.start: "/2"]) { $0.headerFields[.origin] }
        #expect(within.asked.map { $0.headerFields[.origin] } == [Self.page, Self.page])
    }

    @Test("Each response in a redirect chain must give permission")
    func hops() async throws {
        let hops = [Self.start: "https://c.example/2"]
        let long = [Self.start: "https://c.example/2", "https://c.example/2": "https://d.example/3"]
        for (hops, closed) in [
            (hops, "b.example"), (hops, "c.example"), (long, "b.example"), (long, "c.example"), (long, "d.example"),
        ] {
            #expect(await isBlocked { try await follow(hops) { $0.authority == closed ? nil : "*" } })
        }
    }

    @Test("The loader checks a redirected same-origin request with Origin, because the engine does not check it")
    func own() async throws {
        func load(_ permission: String?, _ fields: HTTPFields = [:]) async throws -> [HTTPRequest] {
            let server = Server { request in
                var answer = HTTPResponse(status: request.authority == "a.example" ? .seeOther : .ok)
                answer.headerFields[.location] = request.authority == "a.example" ? "https://b.example/" : nil
                answer.headerFields[.accessControlAllowOrigin] = permission
                return answer
            }
            var request = try subrequest("https://a.example/1", .get, fields)
            RequestCompletion(.standard).complete(&request, opener: "https://a.example/")
            _ = try await RedirectFollower(PreflightLoader(server), names: .standard).load(request)
            return server.receivedRequests
        }
        let origin: HTTPFields = [.origin: "containerkit://a.example", .accept: "*/*"]
        #expect(try await load("https://a.example", origin).count == 2)
        await #expect(throws: ResourceError.self) { try await load(nil, origin) }
        await #expect(throws: ResourceError.self) { try await load("https://c.example", origin) }
        // A script's own fields need a preflight at the other origin, even if the request looks like an image request.
        let key = try #require(HTTPField.Name("X-Key"))
        for accept in ["*/*", "image/png"] {
            await #expect(throws: ResourceError.self) { try await load("*", [.accept: accept, key: "1"]) }
        }
        #expect(try await load("*", [.accept: "image/png"]).map(\.method) == [.get, .get])
    }

    @Test("Sec-Fetch-Site has the weakest value of all hops")
    func metadata() async throws {
        let server = Server { request in
            let next = [
                "/1": "/2", "/2": "https://a.example:444/3", "/3": "https://a.example/4", "/4": "https://b.example/5",
            ]
            var answer = HTTPResponse(status: next[request.path ?? ""] == nil ? .ok : .found)
            answer.headerFields[.location] = next[request.path ?? ""]
            answer.headerFields[.accessControlAllowOrigin] = "*"
            return answer
        }
        var request = try subrequest("https://a.example/1", .get, [.accept: "*/*"])
        RequestCompletion(.standard).complete(&request, opener: "https://a.example/")
        _ = try await RedirectFollower(server, names: .standard).load(request)
        #expect(
            try server.receivedRequests.map(site) == [
                "same-origin", "same-origin", "same-site", "same-site", "cross-site",
            ])
    }

    @Test("A redirect to another host of the same site is same-site, and so is a redirect back")
    func sites() async throws {
        let server = Server { request in
            let next = ["/1": "https://cdn.a.example/2", "/2": "https://a.example/3", "/3": "https://b.example/4"]
            var answer = HTTPResponse(status: next[request.path ?? ""] == nil ? .ok : .found)
            answer.headerFields[.location] = next[request.path ?? ""]
            answer.headerFields[.accessControlAllowOrigin] = "*"
            return answer
        }
        var request = try subrequest("https://a.example/1", .get, [.accept: "*/*"])
        let completion = RequestCompletion(.standard, sites: ListedSites())
        completion.complete(&request, opener: "https://a.example/")
        _ = try await RedirectFollower(server, names: .standard, completion: completion).load(request)
        #expect(try server.receivedRequests.map(site) == ["same-origin", "same-site", "same-site", "cross-site"])
    }
}
