// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

@Suite("Redirects to another origin", .timeLimit(.minutes(1)))
struct ForeignAnswerTests {
    private let start = "https://a.example/"

    /// Returns the response of another origin with these fields after a redirect.
    private func answer(
        to target: String = "https://b.example/x", _ fields: HTTPFields,
        as destination: ResourceRequest.Destination = .subresource, accept: String = "*/*",
        with credentials: ResourceRequest.Credentials = .unknown
    ) async throws -> ResourceResponse? {
        var request = try subrequest(start, .get, [.accept: accept])
        request.destination = destination
        request.credentials = credentials
        let site = Site([start: (302, target)], fields: fields)
        return try await RedirectFollower(site, names: .standard).load(request)
    }

    private func failure(of load: () async throws -> ResourceResponse?) async -> ResourceError.Code? {
        do {
            _ = try await load()
            return nil
        } catch {
            return (error as? ResourceError)?.code
        }
    }

    private func isBlocked(_ load: () async throws -> ResourceResponse?) async -> Bool {
        await failure(of: load) == .blocked
    }

    @Test(
        "Documents and data of another origin are not available to scripts",
        arguments: [
            "text/html", "text/html; charset=utf-8", "TEXT/HTML", "application/xhtml+xml", "text/xml",
            "application/json", "text/plain", "application/octet-stream", "", "image/svg+xml", "font/woff2",
            "textx/javascript", "text/javascript2",
        ])
    func refused(type: String) async throws {
        #expect(await isBlocked { try await answer([.contentType: type]) })
        #expect(await isBlocked { try await answer([.contentType: type], as: .unknown) })
    }

    @Test(
        "Types that elements load from any origin pass",
        arguments: [
            "image/png", "Image/WebP", "video/mp4", "audio/ogg", "text/css;charset=utf-8", "text/javascript ; x=y",
            "application/javascript",
        ])
    func passes(type: String) async throws {
        #expect(try await answer([.contentType: type])?.head.status == .ok)
    }

    @Test("Types that elements load from any origin are not available to the page's script")
    func scripts() async throws {
        for type in ["image/png", "text/css", "text/javascript"] {
            let fields: HTTPFields = [.contentType: type]
            #expect(await isBlocked { try await answer(fields, with: .sameOrigin) })
            let open: HTTPFields = [.contentType: type, .accessControlAllowOrigin: "*"]
            #expect(try await answer(open, with: .sameOrigin)?.head.status == .ok)
        }
    }

    @Test("An SVG image passes if an image is requested")
    func pictures() async throws {
        let fields: HTTPFields = [.contentType: "image/svg+xml"]
        #expect(try await answer(fields, accept: "image/webp,image/*;q=0.8")?.head.status == .ok)
    }

    @Test(
        "The other origin may permit all origins or this origin",
        arguments: [
            ("*", true), ("https://a.example", true), ("https://b.example", false), ("http://a.example", false),
            ("https://a.example:8443", false), ("null", false), ("", false), ("https://a.example, *", false),
        ])
    func permission(value: String, permits: Bool) async throws {
        let fields: HTTPFields = [.contentType: "application/json", .accessControlAllowOrigin: value]
        #expect(await isBlocked { try await answer(fields) } == !permits)
    }

    @Test("The same origin needs no permission")
    func sameOrigin() async throws {
        let fields: HTTPFields = [.contentType: "application/json"]
        #expect(try await answer(to: "/x", fields)?.head.status == .ok)
        #expect(try await answer(to: "https://A.example:443/x", fields)?.head.status == .ok)
    }

    @Test("A redirect from https to http is blocked", arguments: ["http://a.example/x", "http://b.example/x"])
    func downgrade(target: String) async throws {
        #expect(await isBlocked { try await answer(to: target, [.accessControlAllowOrigin: "*"]) })
        // The page's own document may be redirected there, because the page then has the URL of the target.
        #expect(try await answer(to: target, [:], as: .document)?.provenance.source == .synthetic)
    }

    @Test("A frame's redirect to another origin uses a replacement page; a redirect within the origin is followed")
    func frames() async throws {
        let fields: HTTPFields = [.contentType: "text/html", .accessControlAllowOrigin: "*"]
        let foreign = try #require(await answer(fields, as: .nestedDocument))
        #expect(foreign.provenance.source == .synthetic)
        let page = try await String(decoding: foreign.body.collect(upTo: 10_000), as: UTF8.self)
        #expect(page.contains("location.replace("))
        // The field is for a frame whose sandbox forbids scripts.
        let refresh = try #require(HTTPField.Name("Refresh"))
        #expect(foreign.head.headerFields[refresh] == "0;url=containerkit://b.example/x")
        #expect(try await answer(fields, as: .document)?.head.headerFields[refresh] == nil)
        #expect(try await answer(to: "/x", fields, as: .nestedDocument)?.provenance.source == .network)
        // This also applies after redirects within the origin.
        let site = Site([start: (302, "/2"), "https://a.example/2": (302, "https://b.example/")], fields: fields)
        var request = try subrequest(start)
        request.destination = .nestedDocument
        #expect(
            try await RedirectFollower(site, names: .standard).load(request)?.provenance.source == .synthetic)
        #expect(!site.receivedRequests.contains { $0.authority == "b.example" })
    }

    @Test("Many frames that are redirected to another origin are not a redirect loop")
    func manyFrames() async throws {
        let site = Site([start: (302, "https://b.example/")])
        let follower = RedirectFollower(site, names: .standard)
        for _ in 0..<50 { #expect(try await follower.load(frame(start))?.provenance.source == .synthetic) }
    }

    /// Creates the request of a frame in a page.
    private func frame(_ url: String) throws -> ResourceRequest {
        var request = try subrequest(url)
        request.destination = .nestedDocument
        request.page = PageAttribution(
            PageReference(id: PageID(rawValue: 1), documentURL: start), confidence: .exact)
        return request
    }

    @Test("A frame loop between two origins fails after twenty hops and can be tried again")
    func frameLoop() async throws {
        let urls = ["https://a.example/f", "https://b.example/f"]
        let follower = RedirectFollower(
            Site([urls[0]: (302, urls[1]), urls[1]: (302, urls[0])]), names: .standard)
        for _ in 0..<2 {
            for hop in 0..<20 {
                #expect(try await follower.load(frame(urls[hop % 2]))?.provenance.source == .synthetic)
            }
            #expect(await failure { try await follower.load(frame(urls[0])) } == .tooManyRedirects)
        }
    }

    @Test("Hops inside and outside an origin count together, and movedTo covers internal hops only")
    func frameHops() async throws {
        let site = Site([
            start: (302, "/2"), "https://a.example/2": (302, "https://b.example/"),
            "https://b.example/": (302, "https://c.example/"),
        ])
        for limit in 2...3 {
            let follower = RedirectFollower(site, names: .standard, limit: limit)
            #expect(try await follower.load(frame(start))?.provenance.source == .synthetic)
            let code = await failure { try await follower.load(frame("https://b.example/")) }
            #expect(code == (limit == 2 ? .tooManyRedirects : nil))
        }
        let follower = RedirectFollower(site, names: .standard)
        _ = try await follower.load(frame("https://b.example/"))
        let end = try #require(try await follower.load(frame("https://c.example/")))
        #expect(end.provenance.source == .network && end.movedTo == nil)
    }

    /// Returns `Referer` and `Origin` of each hop of a redirect chain.
    private func shown(_ hops: [String], accept: String = "*/*") async throws -> [[String?]] {
        let urls = [start] + hops
        let site = Site(Dictionary(uniqueKeysWithValues: zip(urls, hops).map { ($0, (302, $1)) }))
        _ = try await RedirectFollower(site, names: .standard).load(
            subrequest(start, .get, [.accept: accept, .referer: "https://a.example/secret?token=1"]))
        return site.receivedRequests.map { [$0.headerFields[.referer], $0.headerFields[.origin]] }
    }

    @Test("Another origin receives only the page's origin as the referrer")
    func referer() async throws {
        let full = "https://a.example/secret?token=1"
        #expect(
            try await shown(["https://a.example/2", "https://b.example/"]) == [
                [full, nil], [full, nil], ["https://a.example/", "https://a.example"],
            ])
        #expect(
            try await shown(["https://b.example/", "https://c.example/"]).last == ["https://a.example/", "null"])
        #expect(
            try await shown(["https://b.example/x.png"], accept: "image/png,*/*").last == ["https://a.example/", nil])
    }

    @Test("Only WebKit's navigations are document requests")
    func accept() throws {
        let navigation = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        for (accept, isDocument) in [(navigation, true), ("*/*", false), ("text/html", false), ("", false)] {
            #expect(try subrequest(start, .get, [.accept: accept]).head.isDocumentRequest == isDocument)
        }
    }
}
