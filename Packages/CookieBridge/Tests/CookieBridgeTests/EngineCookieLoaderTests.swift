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
        /// A closure that runs before the response.
        var respond: @MainActor @Sendable () -> Void = {}

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            await respond()
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

    @Test("the response changes what pages have set since the request began, and no other cookie")
    func pagesSetCookiesDuringTheRequest() async throws {
        func cookie(_ name: String, _ value: String) -> EngineCookie {
            EngineCookie(name: name, value: value, domain: "shop.example")
        }
        cookies.put(cookie("again", "1"))
        cookies.put(cookie("renewed", "1"))
        // The limits of a jar do not apply to the engine.
        for number in 0..<400 { cookies.put(cookie("other\(number)", "1")) }
        let fields: [(HTTPField.Name, String)] = [
            (.setCookie, "gone=; Max-Age=0"), (.setCookie, "again=1"), (.setCookie, "new=1"),
        ]
        let server = Server(fields: fields) { [cookies] in
            cookies.put(cookie("gone", "2"))
            cookies.put(cookie("kept", "2"))
            for name in ["again", "renewed"] {
                cookies.change(name, to: "2")
            }
        }
        #expect(try await load(server) != nil)
        let values = Dictionary(cookies.cookies.map { ($0.name, $0.value) }) { $1 }
        #expect(values["gone"] == nil)
        #expect(values["again"] == "1" && values["new"] == "1")
        #expect(values["renewed"] == "2" && values["kept"] == "2")
        #expect(values.count == 404)
    }

    @Test("a response that names no cookie changes none")
    func noCookies() async throws {
        let server = Server(fields: []) { [cookies] in
            cookies.put(EngineCookie(name: "new", value: "1", domain: "shop.example"))
        }
        #expect(try await load(server) != nil)
        #expect(cookies.writes == 0 && cookies.cookies.map(\.name) == ["new"])
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
