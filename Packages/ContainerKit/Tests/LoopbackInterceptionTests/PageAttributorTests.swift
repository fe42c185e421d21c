// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import Testing

@testable import LoopbackInterception

@Suite("Attribution of requests to pages", .timeLimit(.minutes(1)))
struct PageAttributorTests {
    private let pages = PageAttributor()

    private func record(_ id: UInt64, at url: String) {
        pages.record(PageReference(id: PageID(rawValue: id), documentURL: url))
    }

    private func attributed(
        _ url: String, _ fields: [String: String] = [:]
    ) throws -> (page: UInt64?, destination: ResourceRequest.Destination) {
        var head = try #require(HTTPRequest(urlText: url))
        for (name, value) in fields { head.headerFields[try #require(HTTPField.Name(name))] = value }
        var request = ResourceRequest(head)
        pages.attribute(&request)
        return (request.page?.page.id.rawValue, request.destination)
    }

    @Test("The attribution is exact until a second page opens, and inferred afterwards")
    func confidence() throws {
        let confidence = { () throws -> PageAttribution.Confidence? in
            var request = ResourceRequest(try #require(HTTPRequest(urlText: "https://a.example/x")))
            pages.attribute(&request)
            return request.page?.confidence
        }
        #expect(try confidence() == nil)
        record(1, at: "https://a.example/one")
        #expect(try confidence() == .exact)
        record(1, at: "https://a.example/moved")
        #expect(try confidence() == .exact)
        record(2, at: "https://a.example/two")
        #expect(try confidence() == .inferred)
        pages.removePage(PageID(rawValue: 1))
        #expect(try confidence() == .inferred)
        record(2, at: "https://a.example/moved")
        #expect(try confidence() == .inferred)
    }

    @Test("A document request belongs to the page that navigates, a frame request to the page that contains the frame")
    func documents() throws {
        record(1, at: "https://a.example/one#part")
        record(2, at: "https://a.example/two")
        #expect(try attributed("https://a.example/one", ["sec-fetch-dest": "document"]) == (1, .document))
        #expect(try attributed("https://a.example/two", ["sec-fetch-dest": "document"]) == (2, .document))
        let frame = ["sec-fetch-dest": "iframe", "referer": "https://a.example/one"]
        #expect(try attributed("https://a.example/two", frame) == (1, .nestedDocument))
    }

    @Test("Other requests belong to the page in Referer or Origin; if several pages match, to the newest page")
    func subresources() throws {
        record(1, at: "https://a.example/one")
        record(2, at: "https://b.example/")
        record(3, at: "https://a.example/three")
        let url = "https://cdn.example/x"
        #expect(try attributed(url, ["referer": "https://a.example/one"]) == (1, .subresource))
        #expect(try attributed(url, ["referer": "https://a.example/"]) == (3, .subresource))
        #expect(try attributed(url, ["origin": "https://b.example"]) == (2, .subresource))
        #expect(try attributed(url, ["origin": "null"]) == (nil, .subresource))
        #expect(try attributed(url) == (nil, .subresource))
        #expect(try attributed("https://b.example/x") == (2, .subresource))
    }

    @Test("All pages that may have sent a request are its requesters, the page that was recorded last first")
    func requesters() throws {
        record(1, at: "https://a.example/one")
        record(2, at: "https://a.example/two#part")
        record(3, at: "https://b.example/")
        let requesters = { (url: String, fields: [String: String]) throws -> [UInt64] in
            var head = try #require(HTTPRequest(urlText: url))
            for (name, value) in fields { head.headerFields[try #require(HTTPField.Name(name))] = value }
            var request = ResourceRequest(head)
            pages.attribute(&request)
            return request.page?.requesters.map(\.rawValue) ?? []
        }
        let url = "https://cdn.example/x"
        #expect(try requesters(url, ["referer": "https://a.example/one"]) == [1])
        #expect(try requesters(url, ["referer": "https://a.example/style.css"]) == [2, 1])
        #expect(try requesters(url, ["origin": "https://a.example"]) == [2, 1])
        #expect(try requesters("https://a.example/x", [:]) == [2, 1])
        #expect(try requesters(url, [:]) == [])
        let document = ["sec-fetch-dest": "document", "referer": "https://b.example/"]
        #expect(try requesters("https://a.example/one", document) == [1])
        #expect(try requesters("https://a.example/three", document) == [3])
        // The page that is recorded again is the most probable one, also of two pages at one URL.
        record(1, at: "https://a.example/two")
        #expect(try requesters(url, ["referer": "https://a.example/two"]) == [1, 2])
        #expect(try requesters("https://a.example/two", ["sec-fetch-dest": "document"]) == [1])
    }

    @Test("With one open page, all requests belong to it; with none, to no page")
    func single() throws {
        #expect(try attributed("https://cdn.example/x") == (nil, .subresource))
        record(1, at: "https://a.example/")
        #expect(try attributed("https://cdn.example/x") == (1, .subresource))
        record(1, at: "https://a.example/moved")
        #expect(try attributed("https://a.example/moved", ["sec-fetch-dest": "document"]) == (1, .document))
        pages.removePage(PageID(rawValue: 1))
        #expect(try attributed("https://cdn.example/x") == (nil, .subresource))
    }

    @Test("Without Fetch Metadata, document requests are recognised by their Accept field")
    func accepts() throws {
        record(1, at: "https://a.example/")
        let accept = ["accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"]
        #expect(try attributed("https://a.example/", accept) == (1, .document))
        #expect(try attributed("https://a.example/frame", accept) == (1, .nestedDocument))
    }

    @Test(
        "A request marks all pages as busy that may have sent it"
    )
    func waiting() throws {
        record(1, at: "https://a.example/one")
        record(2, at: "https://a.example/two")
        record(3, at: "https://b.example/")
        let busy = { (1...3).filter { pages.isBusy(PageID(rawValue: $0)) } }
        let began = { (referrer: String?) throws -> UInt64 in
            var head = try #require(HTTPRequest(urlText: "https://cdn.example/x"))
            head.headerFields[.referer] = referrer
            var request = ResourceRequest(head)
            pages.attribute(&request)
            return pages.began(request)
        }
        #expect(busy().isEmpty)
        let one = try began("https://a.example/one")
        #expect(busy() == [1, 2])
        let third = try began("https://b.example/")
        #expect(busy() == [1, 2, 3])
        pages.ended(one)
        #expect(busy() == [3])
        let anyone = try began(nil)
        pages.ended(third)
        #expect(busy() == [1, 2, 3])
        pages.ended(anyone)
        #expect(busy().isEmpty)
    }
}
