// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading
@_spi(Facade) import SchemeMode
import Testing

@Suite("Preflights", .timeLimit(.minutes(1)))
struct PreflightTests {
    private static let page = "https://a.example"
    private static let target = "https://b.example/x"

    private func request(
        _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], to target: String = target,
        from origin: String = page, mode: ResourceRequest.Mode = .cors,
        credentials: ResourceRequest.Credentials = .unknown
    ) throws -> ResourceRequest {
        var request = try subrequest(target, .get, fields)
        request.head.method = method
        request.head.headerFields[.origin] = origin
        request.head.headerFields[.accept] = request.head.headerFields[.accept] ?? "*/*"
        request.mode = mode
        request.credentials = credentials
        return request
    }

    /// Creates a server that permits these methods and fields to the page.
    private func server(
        methods: String? = nil, fields: String? = nil, origin: String? = page, status: HTTPResponse.Status = .noContent,
        maxAge: String? = nil, credentials: String? = nil
    ) -> Server {
        Server { _ in
            var answer = HTTPResponse(status: status)
            answer.headerFields[.accessControlAllowOrigin] = origin
            answer.headerFields[.accessControlAllowMethods] = methods
            answer.headerFields[.accessControlAllowHeaders] = fields
            answer.headerFields[.accessControlMaxAge] = maxAge
            answer.headerFields[.accessControlAllowCredentials] = credentials
            return answer
        }
    }

    private func isBlocked(_ request: ResourceRequest, by server: Server) async -> Bool {
        do {
            _ = try await PreflightLoader(server).load(request)
            return false
        } catch {
            return (error as? ResourceError)?.code == .blocked && server.methods == [.options]
        }
    }

    @Test(
        "Safelisted requests need no preflight",
        arguments: [
            [:], [.accept: "text/html, */*;q=0.1"], [.acceptLanguage: "de-DE,*;q=0.5"], [.range: "bytes=0-99"],
            [.range: "bytes=7-"], [.contentType: "text/plain;charset=utf-8"], [.userAgent: "x (y)"],
            [.cacheControl: "no-cache"], [.referer: "https://a.example/"],
        ] as [HTTPFields])
    func safe(fields: HTTPFields) async throws {
        for method in [HTTPRequest.Method.get, .head, .post] {
            let server = server(origin: nil)
            _ = try await PreflightLoader(server).load(request(method, fields))
            #expect(server.methods == [method])
        }
    }

    @Test(
        "Other fields and methods need a preflight with sorted names",
        arguments: [
            (.delete, [:], nil), (.get, [.authorization: "Basic x"], "authorization"),
            (.get, [.contentType: "application/json"], "content-type"), (.get, [.range: "bytes=-5"], "range"),
            (.get, [.range: "bytes=9-5"], "range"), (.get, [.range: "bytes=0-1,3-4"], "range"),
            (.get, [.accept: "a\"b"], "accept"), (.get, [.acceptLanguage: "d_e"], "accept-language"),
            (.get, [.accept: String(repeating: "a", count: 129)], "accept"),
            (.get, [.cacheControl: "no-store"], "cache-control"),
            (.patch, [.ifMatch: "x", .authorization: "y"], "authorization,if-match"),
            (.get, [.contentType: "text/plain, application/json"], "content-type"),
        ] as [(HTTPRequest.Method, HTTPFields, String?)])
    func unsafe(method: HTTPRequest.Method, fields: HTTPFields, asked: String?) async throws {
        let server = server(methods: method.rawValue, fields: asked)
        let response = try await PreflightLoader(server).load(request(method, fields))
        #expect(response != nil && server.methods == [.options, method])
        let question = try #require(server.receivedRequests.first)
        #expect(question.headerFields[.accessControlRequestMethod] == method.rawValue)
        #expect(question.headerFields[.accessControlRequestHeaders] == asked)
        #expect(question.headerFields[.origin] == Self.page && question.headerFields[.accept] == "*/*")
        #expect(question.headerFields[.authorization] == nil && question.urlText == Self.target)
    }

    @Test("Fields that engines add themselves need no permission")
    func engines() async throws {
        let server = server(origin: nil)
        let loader = PreflightLoader(server)
        let id = try #require(HTTPField.Name("Last-Event-ID"))
        _ = try await loader.load(request(.get, [.ifNoneMatch: "\"x\"", .ifModifiedSince: "x"]))
        _ = try await loader.load(request(.get, [.accept: "text/event-stream", id: "7"]))
        #expect(server.methods == [.get, .get])
        #expect(await isBlocked(try request(.get, [id: "7"]), by: self.server()))
    }

    @Test("A permission above the size limit is not cached")
    func large() async throws {
        let server = server(methods: "DELETE", maxAge: "60")
        let loader = PreflightLoader(server)
        let url = "https://b.example/?" + String(repeating: "x", count: 10_000)
        for _ in 0..<2 { _ = try await loader.load(request(.delete, to: url)) }
        #expect(server.methods == [.options, .delete, .options, .delete])
    }

    @Test("Fields that are safelisted alone need a permission if their total size exceeds the limit")
    func total() async throws {
        var fields: HTTPFields = [:]
        for _ in 0..<9 { fields.append(.init(name: .acceptLanguage, value: String(repeating: "a", count: 120))) }
        #expect(await isBlocked(try request(.get, fields), by: server()))
    }

    @Test("A request without permission is not sent")
    func refused() async throws {
        let delete = try request(.delete)
        #expect(await isBlocked(delete, by: server(methods: "GET, PUT")))
        #expect(await isBlocked(delete, by: server()))
        #expect(await isBlocked(delete, by: server(methods: "delete")))
        #expect(await isBlocked(delete, by: server(methods: "DELETE", origin: nil)))
        #expect(await isBlocked(delete, by: server(methods: "DELETE", origin: "https://c.example")))
        #expect(await isBlocked(delete, by: server(methods: "DELETE", origin: "null")))
        #expect(await isBlocked(delete, by: server(methods: "DELETE", status: .found)))
        #expect(await isBlocked(delete, by: server(methods: "DELETE", status: .internalServerError)))
        let composed = try request(.delete, from: "https://\u{E9}.example")
        #expect(await isBlocked(composed, by: server(methods: "DELETE", origin: "https://e\u{301}.example")))
        let fields = try request(.get, [.ifMatch: "x", .authorization: "y"])
        #expect(await isBlocked(fields, by: server(fields: "if-match")))
        #expect(await isBlocked(fields, by: server(fields: "*")))
        #expect(await isBlocked(fields, by: server()))
    }

    @Test("Wildcards, lists with blanks, and case-insensitive names are supported")
    func permitted() async throws {
        for server in [
            server(methods: "*", fields: "*, Authorization"),
            server(methods: " PUT ,DELETE", fields: "IF-Match , AUTHORIZATION"),
            server(methods: "DELETE", fields: "authorization,if-match", origin: "*", status: .ok),
        ] {
            let request = try request(.delete, [.ifMatch: "x", .authorization: "y"])
            _ = try await PreflightLoader(server).load(request)
            #expect(server.methods == [.options, .delete])
        }
    }

    @Test(
        "A list with an invalid name permits nothing",
        arguments: [
            ("DELETE", "x, Bad value", false), ("DELETE, Bad value", "x", false), ("DELETE, (", "x", false),
            ("DELETE", "x, \u{e4}", false), ("DELETE", "x\ty", false), ("DELETE, , PUT,", " ,x,", true),
        ])
    func lists(methods: String, fields: String, isPermitted: Bool) async throws {
        let field = try #require(HTTPField.Name("X"))
        let server = server(methods: methods, fields: fields)
        #expect(await isBlocked(try request(.delete, [field: "1"]), by: server) != isPermitted)
    }

    @Test("Credentials require a permission for credentials, and a wildcard then permits nothing")
    func credentials() async throws {
        let request = try request(.delete, [.ifMatch: "x"], credentials: .include)
        let permitting = server(methods: "DELETE", fields: "if-match", credentials: "true")
        _ = try await PreflightLoader(permitting).load(request)
        #expect(permitting.methods == [.options, .delete])
        for closed in [
            server(methods: "DELETE", fields: "if-match"),
            server(methods: "DELETE", fields: "if-match", credentials: "True"),
            server(methods: "DELETE", fields: "if-match", origin: "*", credentials: "true"),
            server(methods: "*", fields: "if-match", credentials: "true"),
            server(methods: "DELETE", fields: "*", credentials: "true"),
        ] {
            #expect(await isBlocked(request, by: closed))
        }
    }

    @Test("A permission without credentials does not apply to requests with credentials")
    func credentialsApart() async throws {
        let server = server(methods: "DELETE", maxAge: "60", credentials: "true")
        let loader = PreflightLoader(server)
        for credentials in [ResourceRequest.Credentials.sameOrigin, .include, .sameOrigin, .include] {
            _ = try await loader.load(request(.delete, credentials: credentials))
        }
        #expect(server.methods == [.options, .delete, .options, .delete, .delete, .delete])
    }

    @Test("Same-origin and non-CORS requests need no preflight")
    func own() async throws {
        let server = server(origin: nil)
        let loader = PreflightLoader(server)
        _ = try await loader.load(request(.delete, to: "https://a.example/x"))
        _ = try await loader.load(request(.delete, to: "https://A.example:443/x"))
        _ = try await loader.load(request(.delete, mode: .navigate))
        #expect(server.methods == [.delete, .delete, .delete])
        // Another port and another scheme are other origins.
        #expect(await isBlocked(try request(.delete, to: "https://a.example:444/"), by: self.server(origin: nil)))
        #expect(await isBlocked(try request(.delete, to: "http://a.example/"), by: self.server(origin: nil)))
        #expect(await isBlocked(try request(.delete, from: "null"), by: self.server(origin: nil)))
    }

    @Test(
        "A permission lasts five seconds by default and two hours at most",
        arguments: [(nil, 5), ("60", 60), ("999999999", 7_200), ("x", 5), ("-1", 5), ("+60", 5)] as [(String?, Int)])
    func age(value: String?, seconds: Int) async throws {
        let server = server(methods: "DELETE, PUT", maxAge: value)
        let start = ContinuousClock.now
        let elapsed = Mutex(Duration.zero)
        let cache = PreflightCache { start.advanced(by: elapsed.withLock { $0 }) }
        let loader = PreflightLoader(server, cache: cache)
        _ = try await loader.load(request(.delete))
        elapsed.withLock { $0 = .seconds(seconds) - .milliseconds(1) }
        _ = try await loader.load(request(.delete))
        _ = try await loader.load(request(.put))
        #expect(server.methods == [.options, .delete, .delete, .put])
        elapsed.withLock { $0 = .seconds(seconds) }
        _ = try await loader.load(request(.delete))
        #expect(server.methods.suffix(2) == [.options, .delete])
    }

    @Test("A permission applies to one URL, one origin and its names; a permission with max-age 0 is not cached")
    func scope() async throws {
        let server = server(methods: "DELETE", origin: "*", maxAge: "60")
        let loader = PreflightLoader(server)
        _ = try await loader.load(request(.delete))
        _ = try await loader.load(request(.delete, to: "https://b.example/y"))
        _ = try await loader.load(request(.delete, from: "https://c.example"))
        #expect(server.methods == [.options, .delete, .options, .delete, .options, .delete])
        await #expect(throws: ResourceError.self) { try await loader.load(request(.put)) }
        // After a refusal, permissions of the same key are requested again.
        _ = try await loader.load(request(.delete))
        #expect(server.methods.suffix(3) == [.options, .options, .delete])

        // URLs and origins are compared by bytes.
        let other = self.server(methods: "DELETE", origin: "*", maxAge: "60")
        let otherLoader = PreflightLoader(other)
        for text in ["\u{E9}", "e\u{301}", "\u{E9}"] {
            _ = try await otherLoader.load(request(.delete, to: "https://b.example/\(text)"))
        }
        for text in ["\u{E9}", "e\u{301}", "\u{E9}"] {
            _ = try await otherLoader.load(request(.delete, from: "https://\(text).example"))
        }
        #expect(other.methods.count { $0 == .options } == 4 && other.methods.count { $0 == .delete } == 6)

        let brief = self.server(methods: "DELETE", maxAge: "0")
        let briefLoader = PreflightLoader(brief)
        for _ in 0..<2 { _ = try await briefLoader.load(request(.delete)) }
        #expect(brief.methods == [.options, .delete, .options, .delete])
    }
}
