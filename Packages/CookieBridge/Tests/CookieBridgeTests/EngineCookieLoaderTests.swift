// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@_spi(Facade) @testable import CookieBridge

@Suite("EngineCookieLoader", .timeLimit(.minutes(1)))
@MainActor
struct EngineCookieLoaderTests {
    private let cookies = FakeCookies()

    /// A loader that answers each request with fields and the `Cookie` field of the request.
    private struct Server: ResourceLoader {
        let fields: [(HTTPField.Name, String)]
        var source = Provenance.Source.network

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            var head = HTTPResponse(status: .ok)
            for (name, value) in fields { head.headerFields.append(HTTPField(name: name, value: value)) }
            return ResourceResponse(
                head: head, body: .bytes(Data((request.head.headerFields[.cookie] ?? "").utf8)),
                provenance: Provenance(source, reason: "a test"))
        }
    }

    private func load(_ server: Server, page: String? = "https://shop.example/") async throws -> ResourceResponse? {
        let head = try #require(HTTPRequest(urlText: "https://shop.example/a"))
        let attribution = page.map {
            PageAttribution(
                PageReference(id: PageID(rawValue: 1), documentURL: $0, generations: []), confidence: .exact)
        }
        return try await EngineCookieLoader(server, store: cookies).load(
            ResourceRequest(head, destination: .document, page: attribution))
    }

    @Test("the engine's cookies are sent, and those of the response are in the engine before the response")
    func both() async throws {
        cookies.put(EngineCookie(name: "a", value: "1", domain: "shop.example", isHTTPOnly: true))
        cookies.put(EngineCookie(name: "other", value: "1", domain: "other.example"))
        let server = Server(fields: [(.setCookie, "b=2; HttpOnly; Secure"), (.setCookie, "a=; Max-Age=0")])
        let response = try #require(try await load(server))
        #expect(try await response.body.collect(upTo: 100) == Data("a=1".utf8))
        #expect(response.head.headerFields[.setCookie] == nil)
        #expect(cookies.cookies.map(\.name).sorted() == ["b", "other"])
        #expect(cookies.cookies.first { $0.name == "b" }?.isHTTPOnly == true)
    }

    @Test("a package sets no cookies, and a validated response of the cache does")
    func sources() async throws {
        #expect(try await load(Server(fields: [(.setCookie, "b=2")], source: .package)) != nil)
        #expect(cookies.cookies.isEmpty)
        #expect(try await load(Server(fields: [(.setCookie, "b=2")], source: .disk)) != nil)
        #expect(cookies.cookies.map(\.name) == ["b"])
    }

    @Test("a request of no page carries no cookies, and a cookie that the engine rejects is no error")
    func exceptions() async throws {
        cookies.put(EngineCookie(name: "a", value: "1", domain: "shop.example"))
        let response = try #require(try await load(Server(fields: []), page: nil))
        #expect(try await response.body.collect(upTo: 100).isEmpty)
        cookies.failure = EngineError(.cookie, "rejected")
        #expect(try await load(Server(fields: [(.setCookie, "b=2")])) != nil)
    }
}
