// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

/// The cases were measured in WebKitGTK 2.50 over https. The results are those of the engine unless a comment states
/// otherwise.
@Suite("Embedding policies", .timeLimit(.minutes(1)))
struct EmbeddingTests {
    static let page = "https://a.example/page"
    static let own = "https://a.example/x"
    static let other = "https://b.example/x"

    private func response(
        to url: String, with fields: HTTPFields, as destination: ResourceRequest.Destination,
        in page: String = Self.page, asking: HTTPFields = [:], completion: RequestCompletion? = nil
    ) async throws -> ResourceResponse {
        var request = try subrequest(url, .get, asking)
        request.destination = destination
        request.page = PageAttribution(
            PageReference(id: PageID(rawValue: 1), documentURL: page), confidence: .exact)
        completion?.complete(&request, opener: page)
        let follower = RedirectFollower(
            Site([:], fields: fields), names: .standard,
            completion: completion ?? RequestCompletion(.standard, sites: ListedSites()))
        return try #require(try await follower.load(request))
    }

    private func isShown(
        _ url: String, _ fields: HTTPFields, in page: String = Self.page
    ) async throws -> Bool {
        let answer = try await response(to: url, with: fields, as: .nestedDocument, in: page)
        if answer.provenance.source == .synthetic {
            #expect(answer.head.headerFields[.contentSecurityPolicy] == "sandbox")
            return false
        }
        return true
    }

    private func fields(_ name: String, _ values: [String]) throws -> HTTPFields {
        let name = try #require(HTTPField.Name(name))
        return HTTPFields(values.map { HTTPField(name: name, value: $0) })
    }

    @Test(
        "X-Frame-Options",
        arguments: [
            (["DENY"], false, false), (["deny"], false, false), (["SAMEORIGIN"], true, false),
            (["sameorigin"], true, false), ([" SameOrigin "], true, false), (["ALLOWALL"], true, true),
            (["DENY, SAMEORIGIN"], false, false), (["SAMEORIGIN, SAMEORIGIN"], true, false),
            (["SAMEORIGIN", "DENY"], false, false), (["SAMEORIGIN", "SAMEORIGIN"], true, false),
            (["ALLOW-FROM https://a.example"], true, true), (["junk"], true, true), ([""], true, true),
            (["junk, other"], true, true), (["junk, DENY"], false, false),
        ])
    func frameOptions(values: [String], own: Bool, other: Bool) async throws {
        let fields = try fields("X-Frame-Options", values)
        #expect(try await isShown(Self.own, fields) == own)
        #expect(try await isShown(Self.other, fields) == other)
    }

    @Test(
        "frame-ancestors",
        arguments: [
            ("'none'", false, false), ("'self'", true, false), ("'SELF'", true, false), ("", false, false),
            ("https://a.example", true, true), ("HTTPS://A.example", true, true), ("a.example", true, true),
            ("a.example:443", true, true), ("a.example:*", true, true), ("a.example:8443", false, false),
            ("http://a.example", true, true), ("http://a.example:80", true, true), ("*", true, true),
            ("https:", true, true), ("http:", true, true), ("*.example", true, true), ("*.a.example", false, false),
            ("https://c.example", false, false), ("https://c.example https://a.example", true, true),
            ("https://a.example/", true, true), ("https://a.example/page", false, false),
            ("containerkit://a.example", false, false), ("containerkit:", false, false), ("xa.example", false, false),
            // Only ASCII whitespace separates sources.
            ("https://c.example\u{2003}https://a.example", false, false),
        ])
    func frameAncestors(sources: String, own: Bool, other: Bool) async throws {
        let fields: HTTPFields = [.contentSecurityPolicy: "default-src *; Frame-Ancestors \(sources); img-src *"]
        #expect(try await isShown(Self.own, fields) == own)
        #expect(try await isShown(Self.other, fields) == other)
    }

    @Test("All policies must permit the frame, and frame-ancestors replaces X-Frame-Options")
    func several() async throws {
        #expect(
            try await isShown(Self.other, try fields("Content-Security-Policy", ["frame-ancestors *", "img-src *"])))
        for values in [["frame-ancestors *", "frame-ancestors 'none'"], ["frame-ancestors *, frame-ancestors 'none'"]] {
            #expect(try await !isShown(Self.other, try fields("Content-Security-Policy", values)))
        }
        // The first of two directives with the same name counts.
        #expect(
            try await isShown(
                Self.other, try fields("Content-Security-Policy", ["frame-ancestors *; frame-ancestors 'none'"])))
        var both = try fields("X-Frame-Options", ["DENY"])
        both[.contentSecurityPolicy] = "frame-ancestors *"
        #expect(try await isShown(Self.other, both))
        var reported = try fields("X-Frame-Options", ["DENY"])
        reported[.contentSecurityPolicyReportOnly] = "frame-ancestors *"
        #expect(try await !isShown(Self.other, reported))
    }

    @Test("frame-ancestors also applies to http pages and to hosts with ports")
    func schemes() async throws {
        let page = "http://a.example:8080/page"
        for (sources, shown) in [
            ("http://a.example:8080", true), ("a.example:8080", false), ("http://a.example", false), ("https:", false),
            ("http:", true),
        ] {
            let fields: HTTPFields = [.contentSecurityPolicy: "frame-ancestors \(sources)"]
            #expect(try await isShown(Self.other, fields, in: page) == shown, "\(sources)")
        }
    }

    @Test("A nested frame is checked against all ancestor origins")
    func chains() async throws {
        let completion = RequestCompletion(.standard, sites: ListedSites())
        let mayShow = { completion.mayShow(documentAt: $0, below: $1) }
        let own = "https://a.example", other = "https://b.example"
        _ = try await response(
            to: Self.own, with: try fields("X-Frame-Options", ["SAMEORIGIN"]), as: .nestedDocument,
            completion: completion)
        #expect(mayShow(Self.own, [own, own]) && mayShow(Self.own + "#x", [own, own]))
        #expect(!mayShow(Self.own, [other, own]) && !mayShow(Self.own + "#x", [other, own]))
        #expect(!mayShow(Self.own, ["null", own]))
        // The document is found although the engine spells its URL differently.
        _ = try await response(
            to: Self.own + "?%27", with: try fields("X-Frame-Options", ["SAMEORIGIN"]), as: .nestedDocument,
            completion: completion)
        #expect(!mayShow(Self.own + "?'", [other, own]))
        // Without a policy, any origin is permitted.
        #expect(mayShow(Self.other, [other, own]))
        _ = try await response(to: Self.own, with: [:], as: .nestedDocument, completion: completion)
        #expect(mayShow(Self.own, [other, own]))
    }

    @Test("Framing policies apply only to documents of frames")
    func others() async throws {
        let fields: HTTPFields = [.contentSecurityPolicy: "frame-ancestors 'none'", .contentType: "image/png"]
        for destination in [ResourceRequest.Destination.document, .subresource] {
            #expect(try await response(to: Self.own, with: fields, as: destination).provenance.source == .network)
        }
    }

    private func isGiven(
        _ url: String, _ policy: String, in page: String = Self.page, asking: HTTPFields = [:],
        completion: RequestCompletion? = nil
    ) async throws -> Bool {
        var fields = try fields("Cross-Origin-Resource-Policy", [policy])
        fields[.accessControlAllowOrigin] = "*"
        do {
            _ = try await response(
                to: url, with: fields, as: .subresource, in: page, asking: asking, completion: completion)
            return true
        } catch let error as ResourceError where error.code == .blocked {
            return false
        }
    }

    @Test(
        "Cross-Origin-Resource-Policy",
        arguments: [
            ("same-origin", true, false, false), ("same-site", true, true, false), ("cross-origin", true, true, true),
            ("junk", true, true, true), ("Same-Origin", true, true, true),
            ("same-origin, same-origin", true, true, true),
        ])
    func resourcePolicy(policy: String, own: Bool, site: Bool, other: Bool) async throws {
        #expect(try await isGiven(Self.own, policy) == own)
        #expect(try await isGiven("https://www.a.example/x", policy) == site)
        #expect(try await isGiven(Self.other, policy) == other)
    }

    @Test("Same-site ignores the scheme, but an http page cannot load https resources")
    func schemefulness() async throws {
        #expect(try await isGiven("http://www.a.example/x", "same-site"))
        #expect(try await !isGiven(Self.own, "same-site", in: "http://a.example/"))
    }

    @Test("CORS requests are exempt, and the Referer of other requests identifies the initiator")
    func asking() async throws {
        let completion = RequestCompletion(.standard, sites: ListedSites())
        #expect(
            try await isGiven(
                Self.other, "same-origin", asking: [.origin: "containerkit://a.example", .accept: "*/*"],
                completion: completion))
        #expect(
            try await isGiven(
                Self.other, "same-origin", asking: [.referer: "containerkit://b.example/frame"], completion: completion)
        )
        #expect(
            try await !isGiven(
                Self.other, "same-origin", asking: [.referer: "containerkit://a.example/"], completion: completion))
    }

    @Test("A frame of another origin may load its own resources")
    func frames() async throws {
        let completion = RequestCompletion(.standard, sites: ListedSites())
        #expect(try await !isGiven(Self.other, "same-origin", completion: completion))
        _ = try await response(
            to: "https://b.example/frame", with: [:], as: .nestedDocument, completion: completion)
        #expect(try await isGiven(Self.other, "same-origin", completion: completion))
    }

    @Test("Each response of a redirect chain is checked")
    func redirects() async throws {
        var request = try subrequest(Self.other)
        request.page = PageAttribution(
            PageReference(id: PageID(rawValue: 1), documentURL: Self.page), confidence: .exact)
        let site = Site(
            [Self.other: (302, "https://c.example/x")],
            fields: try fields("Cross-Origin-Resource-Policy", ["same-origin"]))
        await #expect(throws: ResourceError.self) {
            try await RedirectFollower(site, names: .standard).load(request)
        }
        #expect(site.receivedRequests.count == 1)
    }
}

extension HTTPField.Name {
    fileprivate static let contentSecurityPolicyReportOnly =
        HTTPField.Name("Content-Security-Policy-Report-Only") ?? .accept
}
