// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing
import WebSyntax

@Suite("Completed requests", .timeLimit(.minutes(1)))
struct RequestCompletionTests {
    private static let navigation = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    private static let picture = "image/webp,image/avif,image/*;q=0.8,*/*;q=0.5"

    private func completed(
        _ url: String, _ fields: HTTPFields = [.accept: "*/*"], _ method: HTTPRequest.Method = .get,
        as destination: ResourceRequest.Destination = .subresource,
        opener: String? = "https://a.example/page?token", sites: (any PublicSuffixing)? = nil
    ) throws -> ResourceRequest {
        var request = try subrequest(url, method, fields)
        request.destination = destination
        RequestCompletion(.standard, sites: sites).complete(&request, opener: opener)
        return request
    }

    private func metadata(_ request: ResourceRequest) -> [String?] {
        ["Site", "Mode", "Dest"].map { request.head.headerFields[HTTPField.Name("Sec-Fetch-\($0)") ?? .accept] }
    }

    @Test("Sec-Fetch-Site, Sec-Fetch-Mode and Sec-Fetch-Dest describe the request")
    func metadata() throws {
        let own = "https://a.example/x"
        #expect(try metadata(completed(own, [:], as: .document, opener: nil)) == ["none", "navigate", "document"])
        #expect(try metadata(completed(own, [:], as: .document)) == ["same-origin", "navigate", "document"])
        #expect(
            try metadata(completed("https://b.example/", [:], as: .nestedDocument)) == [
                "cross-site", "navigate", "iframe",
            ])
        #expect(try metadata(completed(own, [.accept: Self.picture])) == ["same-origin", "no-cors", "image"])
        #expect(try metadata(completed(own, [.accept: "text/css,*/*;q=0.1"])) == ["same-origin", "no-cors", "style"])
        #expect(try metadata(completed(own + ".js?v=1.css")) == ["same-origin", "no-cors", "script"])
        #expect(try metadata(completed(own)) == ["same-origin", "cors", "empty"])
        #expect(try metadata(completed("https://a.example:8443/x")) == ["same-site", "cors", "empty"])
        #expect(try metadata(completed("https://c.a.example/x")) == ["cross-site", "cors", "empty"])
        // The Referer of a script's own request identifies its page.
        let fetch: HTTPFields = [.accept: "*/*", .referer: "containerkit://b.example/"]
        #expect(try metadata(completed("https://b.example/x.js", fetch)) == ["same-origin", "cors", "empty"])
        let font: HTTPFields = [.accept: "*/*", .origin: "containerkit://a.example"]
        #expect(try metadata(completed("https://b.example/f.woff2", font)) == ["cross-site", "cors", "font"])
        // A sandboxed frame has an opaque origin.
        let sandboxed: HTTPFields = [.accept: "*/*", .origin: "null", .referer: "containerkit://a.example/"]
        #expect(try metadata(completed(own, sandboxed)).first == "cross-site")
        // The fields are not sent over http, and values of a page are replaced.
        let name = try #require(HTTPField.Name("Sec-Fetch-Site"))
        #expect(try metadata(completed("http://a.example/", [name: "none"])) == [nil, nil, nil])
        #expect(
            try metadata(completed("http://127.0.0.1:8080/", opener: "http://127.0.0.1/")) == [
                "same-site", "cors", "empty",
            ])
        #expect(try metadata(completed(own, [name: "none"])).first == "same-origin")
    }

    @Test(
        "Hosts of one registrable domain and scheme are same-site",
        arguments: [
            ("https://cdn.shop.example/x", "https://www.shop.example/", "same-site"),
            ("https://shop.example:444/x", "https://www.shop.example/", "same-site"),
            ("https://shop.example/x", "http://www.shop.example/", "cross-site"),
            ("https://bank.example/x", "https://www.shop.example/", "cross-site"),
            ("https://a.co.example/x", "https://b.co.example/", "cross-site"),
            ("https://x.a.co.example/x", "https://y.a.co.example/", "same-site"),
            ("https://co.example/x", "https://a.co.example/", "cross-site"),
            ("https://127.0.0.1/x", "https://127.0.0.2/", "cross-site"),
            ("https://[::1]/x", "https://[::2]/", "cross-site"),
            ("https://[::1]:444/x", "https://[::1]/", "same-site"),
        ])
    func sites(url: String, opener: String, site: String) throws {
        #expect(try metadata(completed(url, opener: opener, sites: ListedSites())).first == site)
        // A sandboxed frame is of no site, independently of its ancestors.
        let sandboxed: HTTPFields = [.accept: "*/*", .origin: "null"]
        #expect(try metadata(completed(url, sandboxed, opener: opener, sites: ListedSites())).first == "cross-site")
    }

    @Test("Origin identifies CORS requests, and documents are navigations")
    func modes() throws {
        let cors = try completed("https://b.example/x", [.accept: "*/*", .origin: "containerkit://a.example"])
        #expect(cors.mode == .cors && cors.head.headerFields[.origin] == "https://a.example")
        #expect(try completed("https://b.example/x").mode == .unknown)
        #expect(try completed("https://b.example/x", [.accept: Self.picture]).mode == .noCORS)
        #expect(try completed("https://b.example/x", [.origin: "null"], as: .nestedDocument).mode == .navigate)
        // A script may send the `Accept` value of a frame.
        let origin: HTTPFields = [.accept: Self.navigation, .origin: "containerkit://a.example", .ifMatch: "x"]
        for fields in [origin, [.accept: Self.navigation, .origin: "containerkit://a.example"]] {
            let disguised = try completed("https://b.example/x", fields, as: .nestedDocument)
            #expect(disguised.mode == .cors && disguised.destination == .subresource)
        }
    }

    @Test("Unsafe same-origin requests have an Origin if the initiator is known")
    func origins() throws {
        let own = "https://a.example/x"
        for method in [HTTPRequest.Method.post, .put, .patch, .delete] {
            let request = try completed(own, [:], method)
            #expect(request.head.headerFields[.origin] == "https://a.example" && request.mode == .unknown)
            #expect(metadata(request) == ["same-origin", "cors", "empty"])
        }
        let from: HTTPFields = [.referer: "containerkit://a.example/page"]
        #expect(try completed(own, from, .post, opener: "https://b.example/").head.headerFields[.origin] != nil)
        #expect(try completed(own, [.origin: "null"], .post).head.headerFields[.origin] == "null")
        // `Origin` is not added for safe methods, unknown initiators, requests of the app, and documents.
        #expect(try completed(own).head.headerFields[.origin] == nil)
        #expect(try completed(own, [:], .head).head.headerFields[.origin] == nil)
        #expect(try completed("https://b.example/", [:], .post).head.headerFields[.origin] == nil)
        #expect(try completed(own, [.referer: "containerkit://b.example/"], .post).head.headerFields[.origin] == nil)
        #expect(try completed(own, [:], .post, opener: nil).head.headerFields[.origin] == nil)
        #expect(try completed(own, [:], .post, as: .document).head.headerFields[.origin] == nil)
        #expect(try completed(own, [:], .post, as: .nestedDocument).head.headerFields[.origin] == nil)
        // The page has a frame of another origin, which may have made the request.
        let completion = RequestCompletion(.standard)
        let page = PageReference(id: PageID(rawValue: 1), documentURL: "https://a.example/")
        var frame = try subrequest("https://b.example/frame")
        frame.destination = .nestedDocument
        var post = try subrequest(own, .post)
        frame.page = PageAttribution(page, confidence: .exact)
        post.page = frame.page
        var said = post
        said.head.headerFields[.referer] = "containerkit://a.example/"
        completion.complete(&frame, opener: "https://a.example/")
        completion.complete(&post, opener: "https://a.example/")
        completion.complete(&said, opener: "https://a.example/")
        #expect(post.head.headerFields[.origin] == nil && said.head.headerFields[.origin] == "https://a.example")
        #expect(post.mayComeFromOtherSite && !said.mayComeFromOtherSite)
        // No frame requests a document that the app reloads.
        var reload = try subrequest(own)
        reload.page = frame.page
        completion.complete(&reload, opener: nil)
        #expect(!reload.mayComeFromOtherSite)
    }

    @Test("A page with same-site frames makes same-site requests, unless it has too many frames")
    func sitesOfFrames() throws {
        let completion = RequestCompletion(.standard, sites: ListedSites())
        let page = PageAttribution(
            PageReference(id: PageID(rawValue: 1), documentURL: "https://www.shop.example/"), confidence: .exact)
        func ask(_ url: String, as destination: ResourceRequest.Destination) throws -> Bool {
            var request = try subrequest(url)
            request.page = page
            request.destination = destination
            completion.complete(&request, opener: "https://www.shop.example/")
            return request.mayComeFromOtherSite
        }
        for number in 1...32 { _ = try ask("https://a\(number).shop.example/", as: .nestedDocument) }
        #expect(try !ask("https://www.shop.example/x", as: .subresource))
        #expect(try !ask("https://bank.example/", as: .nestedDocument))
        #expect(try ask("https://www.shop.example/x", as: .subresource))
        #expect(try ask("https://www.shop.example/x", as: .document))
    }

    @Test("Origin is kept when a request is posted again and removed when it becomes GET")
    func originOfHops() async throws {
        for (status, expected) in [(307, "https://a.example"), (303, nil)] as [(Int, String?)] {
            let site = Site([
                "https://a.example/1": (status, "/2"), "https://a.example/2": (status, "https://b.example/"),
            ])
            let request = try completed("https://a.example/1", [.contentType: "text/plain"], .post)
            _ = try await RedirectFollower(site, names: .standard).load(request)
            #expect(
                site.receivedRequests.map { $0.headerFields[.origin] } == [
                    "https://a.example", expected, "https://a.example",
                ])
        }
    }

    @Test("Requests without Accept get a default value, except requests for documents")
    func accept() throws {
        let own = "https://a.example/x"
        #expect(try completed(own, [:]).head.headerFields[.accept] == "*/*")
        #expect(try completed(own, [:], as: .unknown).head.headerFields[.accept] == "*/*")
        #expect(try completed(own, [.accept: Self.picture]).head.headerFields[.accept] == Self.picture)
        #expect(try completed(own, [.accept: ""]).head.headerFields[.accept] == "")
        #expect(try completed(own, [:], as: .document).head.headerFields[.accept] == nil)
    }

    @Test("Requests without Accept-Language get the user's languages")
    func languages() throws {
        let completion = RequestCompletion(.standard, acceptLanguage: "de-AT,de;q=0.90")
        for destination in [ResourceRequest.Destination.subresource, .nestedDocument, .document] {
            for (given, expected) in [(nil, "de-AT,de;q=0.90"), ("fr", "fr")] as [(String?, String)] {
                var request = try subrequest("https://b.example/x")
                request.head.headerFields[.acceptLanguage] = given
                request.destination = destination
                completion.complete(&request, opener: "https://a.example/")
                #expect(request.head.headerFields[.acceptLanguage] == expected)
            }
        }
        #expect(try completed("https://a.example/x").head.headerFields[.acceptLanguage] == nil)
        // The value is cut to the languages that need no permission.
        let many = (0..<20).map { "de-\($0);q=0.5" }.joined(separator: ",")
        var request = try subrequest("https://b.example/x")
        RequestCompletion(.standard, acceptLanguage: many).complete(&request, opener: nil)
        let said = try #require(request.head.headerFields[.acceptLanguage])
        #expect(many.hasPrefix(said + ",") && said.utf8.count <= 128 && said.hasSuffix(";q=0.5"))
        request = try subrequest("https://b.example/x")
        RequestCompletion(.standard, acceptLanguage: String(repeating: "a", count: 129)).complete(&request, opener: nil)
        #expect(request.head.headerFields[.acceptLanguage] == nil)
    }

    @Test("The referrer is complete within an origin, the origin elsewhere, and absent without TLS")
    func referrer() throws {
        let from: HTTPFields = [.referer: "containerkit://a.example/secret?x"]
        let referrer = { try completed($0, from).head.headerFields[.referer] }
        #expect(try referrer("https://a.example/y") == "https://a.example/secret?x")
        #expect(try referrer("https://b.example/y") == "https://a.example/")
        #expect(try referrer("https://a.example:444/y") == "https://a.example/")
        #expect(try referrer("http://b.example/y") == nil)
        #expect(try referrer("http://localhost:80/y") == "https://a.example/")
        #expect(try completed("https://b.example/").head.headerFields[.referer] == nil)
    }

    @Test("A referrer of more than 4,096 characters is the origin (Referrer Policy, section 8.3, step 6)")
    func longReferrer() throws {
        func referrer(ofLength length: Int, at url: String) throws -> String? {
            let start = "https://a.example/"
            let page = start + String(repeating: "x", count: length - start.utf8.count)
            let from: HTTPFields = [.referer: page]
            return try completed(url, from).head.headerFields[.referer] == page
                ? "whole" : completed(url, from).head.headerFields[.referer]
        }
        #expect(try referrer(ofLength: 4_096, at: "https://a.example/y") == "whole")
        #expect(try referrer(ofLength: 4_097, at: "https://a.example/y") == "https://a.example/")
        #expect(try referrer(ofLength: 4_097, at: "https://b.example/y") == "https://a.example/")
        #expect(try referrer(ofLength: 4_097, at: "http://b.example/y") == nil)
    }

    @Test("An https page requests nothing over http; image requests are upgraded")
    func mixedContent() throws {
        let completion = RequestCompletion(.standard)
        func checked(_ url: String, _ accept: String = "*/*", in page: String? = "https://a.example/") throws -> String?
        {
            do {
                return try completion.checked(subrequest(url, .get, [.accept: accept]).head, in: page).urlText
            } catch let error as ResourceError where error.code == .blocked {
                return nil
            }
        }
        #expect(try checked("http://b.example/x.js") == nil)
        #expect(try checked("http://b.example/", Self.navigation) == nil)
        #expect(try checked("http://b.example/x", Self.picture) == "https://b.example/x")
        #expect(try checked("http://192.0.2.1/x", Self.picture) == nil)
        #expect(try checked("http://[2001:db8::1]/x", Self.picture) == nil)
        for host in ["127.0.0.1:80", "127.9.9.9", "localhost:9", "x.localhost", "[::1]:80"] {
            #expect(try checked("http://\(host)/x") == "http://\(host)/x")
        }
        for host in ["127.0.0.1.example", "localhost.example", "128.0.0.1", "[::2]"] {
            #expect(try checked("http://\(host)/x") == nil)
        }
        #expect(try checked("http://b.example/x", in: "http://a.example/") == "http://b.example/x")
        #expect(try checked("http://b.example/x", in: nil) == "http://b.example/x")
        #expect(try checked("https://b.example/x") == "https://b.example/x")
        // The rules also apply to an https frame in an http page.
        let frame = try subrequest("http://b.example/x", .get, [.referer: "containerkit://c.example/"])
        #expect(throws: ResourceError.self) { try completion.checked(frame.head, in: "http://a.example/") }
    }
}
