// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPSemantics
import HTTPTypes
import ResourceLoading
import Testing

/// Each title begins with the section of RFC 9110 that the test verifies, if there is one.
@Suite("Responses", .timeLimit(.minutes(1)))
struct ResponseTests {
    @Test("8.6, 14.3 A complete response has its length, Accept-Ranges and nosniff")
    func whole() async throws {
        let response = try #require(try await Files.digits().get())
        #expect(
            response.head.headerFields == [
                .contentType: "text/plain;charset=utf-8", .eTag: "\"one\"", .cacheControl: "no-cache",
                .contentLength: "10",
                .acceptRanges: "bytes", .xContentTypeOptions: "nosniff",
            ])
        #expect(try await response.text == "0123456789")
    }

    @Test("9.3.2 HEAD has the fields of GET and no body")
    func head() async throws {
        let get = try #require(try await Files.digits().get())
        let head = try #require(try await Files.digits().get([:], .head))
        #expect(head.head == get.head && head.body.length == 0)
    }

    @Test(
        "8.3.2 No charset is added",
        arguments: ["text/html", "text/javascript", "text/html;charset=gbk", "text/plain; format=flowed", "text/xml"])
    func charset(type: String) async throws {
        let files = Files.digits { $0.head.headerFields[.contentType] = type }
        #expect(try await files.get()?.field(.contentType) == type)
    }

    @Test("8.3 A response without a type gets no type and no nosniff")
    func noType() async throws {
        let response = try #require(
            try await Files.digits { $0.head.headerFields[.contentType] = nil }.get())
        #expect(response.field(.contentType) == nil && response.field(.xContentTypeOptions) == nil)
    }

    @Test("A response from a server is unchanged")
    func network() async throws {
        let files = Files.digits { $0.provenance = Provenance(.network, reason: "test") }
        let response = try #require(try await files.get([.ifNoneMatch: "*", .range: "bytes=0-1"]))
        #expect(response.head == files.response(at: "/digits")?.head && response.body.length == 10)
        let settled = try await files.get([.ifNoneMatch: "*"]) { $0.sources.insert(.network) }
        #expect(settled?.head.status == .notModified)
    }

    @Test(
        "Missing files and other methods are left to the next loader",
        arguments: [HTTPRequest.Method.post, .put, .options])
    func notMine(method: HTTPRequest.Method) async throws {
        let files = Files.digits()
        #expect(try await files.get([:], method) == nil)
        #expect(try await files.get(path: "/none") == nil)
        #expect(files.requests.count == 2)
    }

    private let site = Files([
        "/lab/": Files.file("index"), "/about.html": Files.file("about"), "/b/": Files.file("b"),
        "/b.html": Files.file("page"),
        "/gone": Files.file("gone") { $0.head.status = .notFound },
        "/gone/": Files.file("folder"),
    ])

    @Test("An option redirects to an existing folder; it is off by default")
    func folders() async throws {
        #expect(try await site.get(path: "/lab") == nil)
        for (path, location) in [
            ("/lab", "https://shop.example/lab/"), ("/lab?a=/b", "https://shop.example/lab/?a=/b"),
            ("/gone", "https://shop.example/gone/"),
        ] {
            let response = try #require(try await site.get(path: path) { $0.redirectsToFolders = true })
            #expect(response.head.status == .movedPermanently && response.field(.location) == location)
            #expect(response.field(.cacheControl) == "no-cache" && response.body.length == 0)
            #expect(response.field(.contentLength) == "0")
        }
        #expect(try await site.get(path: "/none") { $0.redirectsToFolders = true } == nil)
        #expect(try await site.get(path: "/lab/")?.text == "index")
    }

    @Test("An option serves paths without an extension from .html files; it is off by default")
    func extensions() async throws {
        #expect(try await site.get(path: "/about") == nil)
        let response = try #require(try await site.get(path: "/about?q") { $0.addsHTMLExtension = true })
        #expect(try await response.text == "about")
        let conditional = try await site.get([.ifNoneMatch: "\"one\""], path: "/about") { $0.addsHTMLExtension = true }
        #expect(conditional?.head.status == .notModified)
        for path in ["/about.x", "/lab", "/none"] {
            #expect(try await site.get(path: path) { $0.addsHTMLExtension = true } == nil, "\(path)")
        }
        // A page has priority over a folder of the same name, as on static hosts.
        let both = try await site.get(path: "/b") {
            $0.addsHTMLExtension = true
            $0.redirectsToFolders = true
        }
        #expect(try await both?.text == "page")
        #expect(try await site.get(path: "/gone") { $0.addsHTMLExtension = true }?.head.status == .notFound)
    }

    @Test("Boundaries are random")
    func boundaries() {
        #expect(SemanticsLoader.randomBoundary() != SemanticsLoader.randomBoundary())
        // RFC 2046, section 5.1.1.
        #expect(SemanticsLoader.randomBoundary().utf8.count <= 70)
    }
}
