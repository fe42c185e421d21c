// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

/// The responses of another origin that the page at `a.example` receives, with and without checks of the engine.
@Suite("CORS responses", .timeLimit(.minutes(1)))
struct CORSAnswerTests {
    private static let target = "https://b.example/x"

    private struct Fixed: ResourceLoader {
        let head: HTTPResponse
        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            ResourceResponse(
                head: head, body: .bytes(Data("secret".utf8)), provenance: Provenance(.network, reason: "test"))
        }
    }

    /// Creates a completed request of an engine.
    private func request(
        _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:],
        from origin: String? = "containerkit://a.example",
        to url: String = target, with credentials: ResourceRequest.Credentials = .unknown,
        as destination: ResourceRequest.Destination = .subresource, withoutCORS: Bool = false
    ) throws -> ResourceRequest {
        var request = try subrequest(url, method, fields)
        if withoutCORS { request.mode = .noCORS }
        request.head.headerFields[.origin] = origin
        request.destination = destination
        request.credentials = credentials
        RequestCompletion(.standard).complete(&request, opener: "https://a.example/")
        return request
    }

    /// Returns the response of a server with these fields; `nil` if it is blocked.
    private func answer(
        to request: ResourceRequest, _ fields: HTTPFields, status: HTTPResponse.Status = .ok
    ) async throws -> ResourceResponse? {
        let server = Fixed(head: HTTPResponse(status: status, headerFields: fields))
        return try await unlessBlocked { try await RedirectFollower(server, names: .standard).load(request) }
    }

    private func unlessBlocked(_ load: () async throws -> ResourceResponse?) async throws -> ResourceResponse? {
        do {
            return try await load()
        } catch let error as ResourceError where error.code == .blocked {
            return nil
        }
    }

    @Test("A response without permission is blocked, because the engine does not check synchronous requests")
    func refused() async throws {
        let json: HTTPFields = [.contentType: "application/json"]
        for request in [
            try request(), try request(.get, [.accept: "image/png"]), try request(.head), try request(.delete),
            try request(.post, json), try request(from: "null"), try request(with: .sameOrigin),
            // For a sandboxed frame, the page's own host is another origin.
            try request(from: "null", to: "https://a.example/x"),
        ] {
            #expect(try await answer(to: request, json) == nil)
            #expect(try await answer(to: request, json, status: .notFound) == nil)
            #expect(try await answer(to: request, [.accessControlAllowOrigin: "https://c.example"]) == nil)
            let open = try #require(try await answer(to: request, [.accessControlAllowOrigin: "*"]))
            #expect(try await open.body.collect(upTo: 10) == Data("secret".utf8))
        }
    }

    @Test("A request that may be no-cors succeeds with an empty response")
    func unread() async throws {
        let cookie: HTTPFields = [.setCookie: "a=b"]
        for credentials in [ResourceRequest.Credentials.unknown, .sameOrigin, .include] {
            // A request of the page's script declares its mode.
            let isScripts = credentials != .unknown
            let request = try request(
                .post, [.contentType: "text/plain"], with: credentials, withoutCORS: isScripts)
            let fields: HTTPFields = [.contentType: "text/plain", .eTag: "x", .contentLength: "6", .setCookie: "a=b"]
            let response = try #require(try await answer(to: request, fields, status: .notFound))
            #expect(response.head == HTTPResponse(status: .ok, headerFields: cookie))
            #expect(try await response.body.collect(upTo: 10).isEmpty)
            // A beacon may follow a redirect that permits all origins.
            let site = Site(["https://c.example/": (302, Self.target)])
            let moved = try self.request(
                .post, [.accept: "*/*"], to: "https://c.example/", with: credentials, withoutCORS: isScripts)
            let end = try #require(try await RedirectFollower(site, names: .standard).load(moved))
            #expect(end.head.status == .ok && end.movedTo == (isScripts ? nil : Self.target))
        }
    }

    @Test("A redirect back to the page's origin sends the origin null, also without CORS")
    func back() async throws {
        for method in [HTTPRequest.Method.post, .get] {
            let site = Site([Self.target: (307, "https://a.example/transfer")])
            let request = try request(
                method, [.accept: "*/*"], from: method == .post ? "containerkit://a.example" : nil, with: .include,
                withoutCORS: true)
            let response = try #require(try await RedirectFollower(site, names: .standard).load(request))
            let said = method == .post ? ["https://a.example", "null"] : [nil, nil]
            #expect(site.receivedRequests.map { $0.headerFields[.origin] } == said)
            #expect(response.body.length == 0 && response.movedTo == nil)
        }
    }

    @Test("POST requests of scripts are checked; declared no-cors requests must be safelisted")
    func scriptsPost() async throws {
        let fields: HTTPFields = [.contentType: "text/plain"]
        for credentials in [ResourceRequest.Credentials.sameOrigin, .include] {
            #expect(try await answer(to: try request(.post, fields, with: credentials), fields) == nil)
        }
        let json: HTTPFields = [.contentType: "application/json"]
        let asking = try request(.post, json, with: .include, withoutCORS: true)
        #expect(asking.mode == .cors)
        #expect(try await answer(to: asking, fields) == nil)
        let own = try request(.post, fields, to: "https://a.example/x", with: .include, withoutCORS: true)
        #expect(own.mode == .noCORS)
        let response = try #require(try await answer(to: own, fields))
        #expect(try await response.body.collect(upTo: 10) == Data("secret".utf8))
    }

    @Test("Elements and forms need no permission")
    func withoutCORS() async throws {
        let navigation = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        for request in [
            try request(from: nil), try request(.get, [.accept: "image/png"], from: nil),
            try request(.post, [.contentType: "text/plain", .accept: navigation], as: .nestedDocument),
            try request(.post, [.contentType: "text/plain"], as: .document),
            // A page that requests its own origin.
            try request(.post, [:], to: "https://a.example/x"), try request(.get, [:], to: "https://a.example/x"),
        ] {
            let key = try #require(HTTPField.Name("X-Key"))
            let response = try #require(try await answer(to: request, [.contentType: "text/plain", key: "1"]))
            #expect(try await response.body.collect(upTo: 10) == Data("secret".utf8))
            #expect(response.head.headerFields[key] == "1")
        }
    }

    @Test("A 304 response needs no permission for the engine's memory cache, but does for a script")
    func revalidation() async throws {
        let element = try request(.get, [.ifNoneMatch: "\"x\""])
        let response = try await answer(to: element, [.eTag: "\"x\""], status: .notModified)
        #expect(response?.head.headerFields == [.eTag: "\"x\""])
        let script = try request(.get, [.ifNoneMatch: "\"x\""], with: .sameOrigin)
        #expect(try await answer(to: script, [.eTag: "\"x\""], status: .notModified) == nil)
    }

    @Test(
        "With credentials, the origin and the credentials must be permitted",
        arguments: [
            ("https://a.example", "true", true), ("https://a.example", "TRUE", false),
            ("https://a.example", nil, false),
            ("*", "true", false), ("*", nil, false), (nil, "true", false),
            // The custom-scheme origin of the page, which its scripts may have sent to the server.
            ("containerkit://a.example", "true", true),
        ] as [(String?, String?, Bool)])
    func credentials(origin: String?, credentials: String?, isPermitted: Bool) async throws {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[.accessControlAllowOrigin] = origin
        fields[.accessControlAllowCredentials] = credentials
        #expect((try await answer(to: request(with: .include), fields) != nil) == isPermitted)
        // The engine checks credentials that the script did not request.
        #expect((try await answer(to: request(with: .sameOrigin), fields) != nil) == (origin != nil))
        // The same applies to the first and the last hop of a redirect.
        for start in ["https://a.example/", "https://c.example/"] {
            let site = Site([start: (302, Self.target)], fields: fields)
            let isOwn = start == "https://a.example/"
            let moved = try request(from: isOwn ? nil : "https://a.example", to: start, with: .include)
            let response = try await unlessBlocked { try await RedirectFollower(site, names: .standard).load(moved) }
            // A redirect from one foreign origin to another has the origin `null`.
            #expect((response != nil) == (isPermitted && isOwn))
        }
    }

    @Test(
        "The custom-scheme origin of another page permits nothing",
        arguments: [
            "containerkit-http://a.example", "containerkit://b.example", "containerkit://a.example/",
            "other://a.example",
        ])
    func names(of origin: String) async throws {
        let fields: HTTPFields = [.contentType: "text/plain", .accessControlAllowOrigin: origin]
        #expect(try await answer(to: request(with: .sameOrigin), fields) == nil)
    }

    @Test(
        "A page receives the exposed fields of another origin",
        arguments: [
            (nil, .unknown, []), ("X-B", .unknown, ["x-b"]), ("y , x-a,X-B", .sameOrigin, ["x-a", "x-b"]),
            ("*", .unknown, ["x-a", "x-b"]), ("*", .include, []), ("*, x-a", .include, ["x-a"]),
        ] as [(String?, ResourceRequest.Credentials, [String])])
    func fields(exposed: String?, credentials: ResourceRequest.Credentials, expected: [String]) async throws {
        let own = ["x-a", "x-b"]
        var fields: HTTPFields = [
            .contentType: "text/plain", .cacheControl: "no-store", .contentLanguage: "de", .contentLength: "6",
            .expires: "0", .lastModified: "x", .setCookie: "a=b", .contentRange: "bytes 0-1/2",
        ]
        let kept = fields.map(\.name)
        for name in own { fields[try #require(HTTPField.Name(name))] = "1" }
        fields[.accessControlAllowOrigin] = "https://a.example"
        fields[.accessControlAllowCredentials] = "true"
        fields[.accessControlExposeHeaders] = exposed
        // The engine receives the foreign origin of a direct request, but not the foreign origin of a redirect.
        let site = Site(["https://a.example/": (302, Self.target)], fields: fields)
        let moved = try request(from: nil, to: "https://a.example/", with: credentials)
        for response in [
            try await answer(to: request(with: credentials), fields),
            try await RedirectFollower(site, names: .standard).load(moved),
        ] {
            let left = try #require(response).head.headerFields
            #expect(kept.allSatisfy { left[$0] == fields[$0] })
            #expect(own.filter { name in left.contains { $0.name.canonicalName == name } } == expected)
        }
    }
}
