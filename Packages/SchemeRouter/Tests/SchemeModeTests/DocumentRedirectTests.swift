// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

@Suite("Redirects of documents", .timeLimit(.minutes(1)))
struct DocumentRedirectTests {
    private func document(_ url: String, page: UInt64? = nil) throws -> ResourceRequest {
        var request = try subrequest(url)
        request.destination = .document
        request.page = page.map {
            PageAttribution(PageReference(id: PageID(rawValue: $0), documentURL: url), confidence: .exact)
        }
        return request
    }

    private func text(_ response: ResourceResponse?) async throws -> String {
        String(decoding: try await #require(response).body.collect(upTo: 10_000), as: UTF8.self)
    }

    @Test(
        "The page navigates to the custom-scheme URL of the target and keeps its fragment if the target has none",
        arguments: [
            ("/b?c", #"location.replace("containerkit:\/\/a.example\/b?c"+location.hash)"#),
            ("containerkit://b.example/c#d", #"location.replace("containerkit:\/\/b.example\/c#d")"#),
            ("/b#d", #"location.replace("containerkit:\/\/a.example\/b#d")"#),
            ("http://b.example/", #"location.replace("containerkit-http:\/\/b.example\/"+location.hash)"#),
        ])
    func replacement(location: String, script: String) async throws {
        let site = Site(["https://a.example/": (301, location)])
        let response = try await RedirectFollower(site, names: .standard).load(document("https://a.example/"))
        #expect(response?.head.status == .ok)
        #expect(response?.head.headerFields[.cacheControl] == "no-store")
        #expect(response?.head.headerFields[.contentType] == "text/html;charset=utf-8")
        #expect(response?.provenance.source == .synthetic)
        #expect(try await text(response).contains("<script>\(script)</script>"))
        // The page's own navigation requests the target.
        #expect(site.receivedRequests.count == 1)
    }

    @Test(
        "A page that redirects to its own URL reloads under its current URL",
        arguments: [
            ("/", "location.reload()"), ("https://A.example:443/", "location.reload()"),
            ("#x", ##"history.replaceState(null,'',"#x");location.reload()"##),
        ])
    func ownURL(location: String, script: String) async throws {
        let site = Site(["https://a.example/": (302, location)])
        let follower = RedirectFollower(site, names: .standard) { _ in false }
        let page = try await text(follower.load(document("https://a.example/")))
        #expect(page.contains("<script>\(script)</script>"), "\(page)")
    }

    @Test("A posted document that redirects to its own URL is requested by GET", arguments: ["/", "/#x"])
    func postToOwnURL(location: String) async throws {
        let site = Site(["https://a.example/": (303, location)])
        var request = try document("https://a.example/")
        request.head.method = .post
        let page = try await text(RedirectFollower(site, names: .standard).load(request))
        #expect(page.contains("<script>location.replace(location.href.split('#')[0])</script>"), "\(page)")
    }

    /// Creates a form request with the body `x`.
    private func form(
        _ url: String, as destination: ResourceRequest.Destination = .document, _ fields: HTTPFields = [:]
    ) throws -> ResourceRequest {
        var request = try subrequest(url, .post, fields)
        request.destination = destination
        request.page = PageAttribution(
            PageReference(id: PageID(rawValue: 1), documentURL: "https://a.example/"), confidence: .exact)
        return request
    }

    @Test(
        "A document that must be posted again is followed with its body within the origin", arguments: [307, 308],
        [ResourceRequest.Destination.document, .nestedDocument])
    func postAgain(status: Int, destination: ResourceRequest.Destination) async throws {
        let site = Site(["https://a.example/login": (status, "/v2/login")])
        let response = try await RedirectFollower(site, names: .standard).load(
            form("https://a.example/login", as: destination, [.contentType: "text/plain"]))
        #expect(response?.provenance.source == .network)
        #expect(site.receivedRequests.map(\.urlText) == ["https://a.example/login", "https://a.example/v2/login"])
        #expect(site.receivedRequests.map(\.method) == [.post, .post])
        #expect(site.receivedRequests.last?.headerFields[.contentType] == "text/plain")
        #expect(site.bodies == ["x", "x"])
    }

    @Test(
        "A document that must be posted again to another origin fails and is not sent without its body",
        arguments: ["https://b.example/", "http://a.example/"],
        [ResourceRequest.Destination.document, .nestedDocument])
    func postElsewhere(location: String, destination: ResourceRequest.Destination) async throws {
        let site = Site(["https://a.example/": (307, location)])
        await #expect {
            try await RedirectFollower(site, names: .standard).load(form("https://a.example/", as: destination))
        } throws: {
            ($0 as? ResourceError)?.code == .invalidRequest
        }
        #expect(site.receivedRequests.count == 1)
    }

    @Test(
        "After a redirect to GET, the page continues from its current URL",
        arguments: [
            ("/login", "location.replace(location.href.split('#')[0])"),
            ("/v2/login", #"location.replace("containerkit:\/\/a.example\/v2\/login"+location.hash)"#),
        ])
    func postAgainAndOn(location: String, script: String) async throws {
        let site = Site(["https://a.example/login": (307, "/v2/login"), "https://a.example/v2/login": (303, location)])
        let page = try await text(
            RedirectFollower(site, names: .standard).load(form("https://a.example/login")))
        #expect(page.contains("<script>\(script)</script>"), "\(page)")
        #expect(site.receivedRequests.map(\.method) == [.post, .post])
    }

    @Test("A loop of posted redirects fails after twenty hops")
    func postLoop() async throws {
        let site = Site(["https://a.example/": (307, "/")])
        await #expect {
            try await RedirectFollower(site, names: .standard).load(form("https://a.example/"))
        } throws: {
            ($0 as? ResourceError)?.code == .tooManyRedirects
        }
        #expect(site.receivedRequests.count == 21)
    }

    @Test("Sec-Fetch-Site of a redirected POST document also applies to the following request")
    func postedBy() async throws {
        let name = try #require(HTTPField.Name("Sec-Fetch-Site"))
        let site = Site(["https://a.example/": (303, "/2")])
        let follower = RedirectFollower(site, names: .standard)
        _ = try await follower.load(form("https://a.example/", [name: "cross-site"]))
        _ = try await follower.load(document("https://a.example/2", page: 1))
        #expect(site.receivedRequests.map { $0.headerFields[name] } == ["cross-site", "cross-site"])
    }

    @Test("The default port is removed, so that the custom-scheme URL has the same origin")
    func ownPort() async throws {
        let site = Site(["https://a.example/": (301, "https://a.example:443/b")])
        let page = try await text(RedirectFollower(site, names: .standard).load(document("https://a.example/")))
        #expect(page.contains(#""containerkit:\/\/a.example\/b""#), "\(page)")
    }

    @Test(
        "A target cannot break out of the script",
        arguments: [
            "</script><script>alert(1)//", "/\"+alert(1)+\"", "/x\\\"+alert(1)//", "/<!--<script>", "/%3C/script%3E",
            "/\u{2028}alert(1)", "/x?</ScRiPt>", "/x#</script>",
        ])
    func escaping(location: String) async throws {
        let site = Site(["https://a.example/": (301, location)])
        let page = try await text(
            RedirectFollower(site, names: .standard).load(document("https://a.example/")))
        #expect(page.lowercased().components(separatedBy: "<").count == 5, "\(page)")
        // The argument is one JSON string with a custom-scheme URL.
        let script = try #require(page.components(separatedBy: "location.replace(").last)
        let literal = try #require(script.components(separatedBy: ")</script>").first)
            .replacingOccurrences(of: "+location.hash", with: "")
        let url = try JSONDecoder().decode(String.self, from: Data(literal.utf8))
        #expect(url.hasPrefix("containerkit://a.example/"), "\(url)")
    }

    @Test("A target outside the container opens under its real URL")
    func uncovered() async throws {
        let site = Site([
            "https://a.example/": (301, "https://b.example/<"), "https://a.example/2": (301, "https://a.example/3"),
        ])
        let follower = RedirectFollower(site, names: .standard) { $0.hasPrefix("https://a.example/") }
        #expect(
            try await text(follower.load(document("https://a.example/"))).contains(#"replace("https:\/\/b.example\/"#))
        #expect(try await text(follower.load(document("https://a.example/2"))).contains("containerkit:"))
    }

    @Test("A loop of document redirects fails after twenty hops and can be tried again")
    func loop() async throws {
        let site = Site([
            "https://a.example/1": (302, "/2"), "https://a.example/2": (302, "/1"),
        ])
        let follower = RedirectFollower(site, names: .standard)
        for _ in 0..<2 {
            for hop in 0..<20 {
                _ = try await #require(follower.load(document("https://a.example/\(hop % 2 + 1)", page: 1)))
            }
            await #expect {
                try await follower.load(document("https://a.example/1", page: 1))
            } throws: {
                ($0 as? ResourceError)?.code == .tooManyRedirects
            }
        }
    }

    @Test("If there is one page more than the limit, only the hops of the oldest page are counted again from the start")
    func manyPages() async throws {
        let follower = RedirectFollower(Site(["https://a.example/1": (302, "/2")]), names: .standard, limit: 2)
        for page: UInt64 in 1...65 { _ = try await follower.load(document("https://a.example/1", page: page)) }
        _ = try await follower.load(document("https://a.example/1", page: 2))
        await #expect {
            try await follower.load(document("https://a.example/1", page: 2))
        } throws: {
            ($0 as? ResourceError)?.code == .tooManyRedirects
        }
        for _ in 0..<2 { _ = try await follower.load(document("https://a.example/1", page: 1)) }
    }

    @Test("Hops are counted per page, and a response that is not a redirect resets the count")
    func counts() async throws {
        let site = Site(["https://a.example/1": (302, "/2")])
        let follower = RedirectFollower(site, names: .standard, limit: 2)
        for page: UInt64 in 1...200 {
            for _ in 0..<2 { _ = try await follower.load(document("https://a.example/1", page: page)) }
        }
        for _ in 0..<10 {
            _ = try await follower.load(document("https://a.example/1", page: 1_000))
            _ = try await follower.load(document("https://a.example/2", page: 1_000))
            // Unknown pages are counted separately.
            _ = try await follower.load(document("https://a.example/1"))
        }
    }
}
