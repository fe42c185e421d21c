// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) import BodyBridge
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@MainActor
@Suite("Posts that open pages", .timeLimit(.minutes(1)))
struct OpeningPostsTests {
    private let posts = OpeningPosts<Int>()
    private let url = "https://shop.example/a?b"
    private let formType = "application/x-www-form-urlencoded"

    private func post(_ body: String, _ fields: HTTPFields = [.contentType: "a/b"]) throws -> PostNavigation {
        PostNavigation(
            try #require(HTTPRequest(method: .post, urlText: url, headerFields: fields)), body: Data(body.utf8))
    }

    /// Returns a request with a form, as an engine sends it.
    private func form(
        _ body: Data, to url: String = "https://shop.example/a?b", method: HTTPRequest.Method = .post,
        fields: HTTPFields = [:], isDocument: Bool = true
    ) throws -> ResourceRequest {
        var fields = fields
        if fields[.contentType] == nil { fields[.contentType] = formType }
        let head = try #require(HTTPRequest(method: method, urlText: url, headerFields: fields))
        return ResourceRequest(head, body: .bytes(body), destination: isDocument ? .document : .subresource)
    }

    private func text(_ request: ResourceRequest) async throws -> String {
        String(decoding: try await request.body.collect(upTo: 1_000), as: UTF8.self)
    }

    @Test("A post replaces one GET of its view for its document")
    func replaces() throws {
        let post = try post("x")
        posts.hold(post, at: "app://shop.example/a", for: 1)
        #expect(posts.removePost(at: "app://shop.example/a", for: 2) == nil)
        #expect(posts.removePost(at: "app://shop.example/b", for: 1) == nil)
        #expect(posts.removePost(at: "app://shop.example/a", for: 1) == post)
        #expect(posts.removePost(at: "app://shop.example/a", for: 1) == nil)
        posts.hold(post, at: "app://shop.example/a", for: 1)
        posts.documentChanged(at: 1)
        #expect(posts.removePost(at: "app://shop.example/a", for: 1) == nil)
    }

    @Test(
        "A post is found by the engine's spelling of its URL",
        arguments: [
            ("app://shop.example/ü?é", "app://shop.example/%C3%BC?%C3%A9"),
            ("app://shop.example/b/../a", "app://shop.example/a"),
            ("app://shop.example/a b?\"'", "app://shop.example/a%20b?%22'"),
            ("App://shop.example", "app://shop.example/"),
        ])
    func spellings(url: String, spelled: String) throws {
        let post = try post("x")
        posts.hold(post, at: url, for: 1)
        #expect(posts.removePost(at: "app-http" + spelled.dropFirst(3), for: 1) == nil)
        #expect(posts.removePost(at: spelled + "/", for: 1) == nil)
        #expect(posts.removePost(at: spelled, for: 1) == post)
    }

    @Test("A mark is a form of letters and digits, and each is different")
    func marks() throws {
        let one = posts.mark(try post("x"), for: 1)
        let two = posts.mark(try post("x"), for: 1)
        #expect(one != two)
        #expect(String(decoding: one, as: UTF8.self).wholeMatch(of: /containerkit=[0-9a-f]{32}/) != nil)
    }

    @Test("Each request with a mark gets the body of its own page, until the page ends")
    func completes() async throws {
        let first = posts.mark(try post("first"), for: 1)
        let second = posts.mark(try post("second"), for: 2)
        // Reload and back repeat the request.
        for (mark, body) in [(first, "first"), (second, "second"), (first, "first")] {
            var request = try form(mark)
            #expect(posts.isCarried(by: request))
            #expect(try await posts.complete(&request))
            #expect(try await text(request) == body && request.head.headerFields[.contentType] == "a/b")
        }
        posts.documentChanged(at: 1)
        var again = try form(first)
        #expect(try await posts.complete(&again))
        posts.removeAll { $0 == 1 }
        var ended = try form(first)
        await #expect(throws: ResourceError.self) { try await posts.complete(&ended) }
        var other = try form(second)
        #expect(try await posts.complete(&other))
    }

    @Test("The fields of the form are replaced by those of the app; those of the engine remain")
    func fields() async throws {
        let site = try #require(HTTPField.Name("Sec-Fetch-Site"))
        let own = try #require(HTTPField.Name("X-Own"))
        let host = try #require(HTTPField.Name("Host"))
        var given: HTTPFields = [
            .contentType: "a/b", .authorization: "Basic x", .cookie: "app=1", .contentLength: "7",
            .connection: "close", .userAgent: "app",
        ]
        given[host] = "other.example"
        given.append(HTTPField(name: own, value: "1"))
        given.append(HTTPField(name: own, value: "2"))
        let mark = posts.mark(try post("body", given), for: 1)
        let sent: HTTPFields = [
            .origin: "null", .referer: url, .contentLength: "45", .cookie: "engine=1", .userAgent: "engine",
            .accept: "text/html", site: "same-origin",
        ]
        var request = try form(mark, fields: sent)
        #expect(try await posts.complete(&request))
        var expected: HTTPFields = [
            .cookie: "engine=1", .userAgent: "app", .accept: "text/html", site: "none", .contentType: "a/b",
            .authorization: "Basic x",
        ]
        expected.append(HTTPField(name: own, value: "1"))
        expected.append(HTTPField(name: own, value: "2"))
        #expect(request.head.headerFields == expected)
        // Engines send no Fetch metadata to an insecure origin. The redirect target has another origin.
        var moved = try form(mark, to: "http://shop.example/a?b", fields: [.origin: "null"])
        #expect(try await posts.complete(&moved))
        #expect(moved.head.headerFields[site] == nil && moved.head.headerFields[.origin] == nil)
        #expect(moved.head.headerFields[.authorization] == nil && moved.head.headerFields[values: own] == ["1", "2"])
        #expect(try await text(moved) == "body")
    }

    @Test("An empty body stays empty, and without a content type none is sent")
    func empty() async throws {
        var request = try form(posts.mark(try post("", [:]), for: 1))
        #expect(try await posts.complete(&request))
        #expect(request.body.length == 0 && request.head.headerFields[.contentType] == nil)
    }

    @Test("Only a form for a document that is as long as a mark may carry one")
    func carried() throws {
        let mark = posts.mark(try post("x"), for: 1)
        #expect(posts.isCarried(by: try form(mark)))
        #expect(!posts.isCarried(by: try form(mark, method: .put)))
        #expect(!posts.isCarried(by: try form(mark, isDocument: false)))
        #expect(!posts.isCarried(by: try form(mark, fields: [.contentType: "text/plain"])))
        #expect(!posts.isCarried(by: try form(mark.dropLast())))
        #expect(!posts.isCarried(by: try form(mark + Data("0".utf8))))
        var stream = try form(mark)
        stream.body = .stream(ByteStream(AsyncStream<Data> { $0.finish() }))
        #expect(!posts.isCarried(by: stream))
    }

    @Test(
        "A form of the page that is as long as a mark is sent unchanged",
        arguments: [
            "containerKit=0123456789abcdef0123456789abcdef", "containerkit=0123456789ABCDEF0123456789abcdef",
            "containerkit:0123456789abcdef0123456789abcdef", "a=0123456789012345678901234567890123456789012",
            "containerkit=0123456789abcdef0123456789abcdeg",
        ])
    func ownForm(body: String) async throws {
        let fields: HTTPFields = [.origin: "https://shop.example", .referer: url]
        var request = try form(Data(body.utf8), fields: fields)
        #expect(posts.isCarried(by: request) && body.utf8.count == 45)
        #expect(try await !posts.complete(&request))
        #expect(try await text(request) == body && request.head.headerFields[.origin] == "https://shop.example")
        #expect(request.head.headerFields[.contentType] == formType)
    }

    @Test("A mark of no page fails")
    func unknown() async throws {
        var request = try form(Data("containerkit=0123456789abcdef0123456789abcdef".utf8))
        let error = await #expect(throws: ResourceError.self) { try await posts.complete(&request) }
        #expect(error?.code == .invalidRequest)
    }
}
