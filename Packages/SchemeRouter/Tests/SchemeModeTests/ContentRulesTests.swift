// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
@_spi(Facade) import SchemeMode
import Testing

/// The tests apply the rules as WebKit does, to one request at a time.
@Suite("Content rules")
struct ContentRulesTests {
    private struct Rule: Decodable {
        var trigger: [String: Value]
        var action: [String: String]
    }

    private enum Value: Decodable {
        case text(String)
        case list([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .list(try container.decode([String].self))
            }
        }
    }

    private let rules: [Rule]

    init() throws {
        let site = try #require(PageSite(of: "https://www.shop.example/", sites: ListedSites()))
        rules = try Self.rules(site)
    }

    private static func rules(_ sites: PageSite?...) throws -> [Rule] {
        let json = ContentRules(names: .standard, sites: sites.compactMap(\.self)).json
        return try JSONDecoder().decode([Rule].self, from: Data(json.utf8))
    }

    /// Returns the actions for a request, in the order of the rules.
    private func actions(
        on url: String, _ type: String = "fetch", top: String = "containerkit://www.shop.example/",
        frame: String? = nil, by rules: [Rule]? = nil
    ) throws -> Set<String> {
        var actions: Set<String> = []
        for rule in rules ?? self.rules {
            let matches = try rule.trigger.allSatisfy { name, value in
                switch (name, value) {
                case ("url-filter", .text(let pattern)): try url.contains(Regex(pattern))
                case ("resource-type", .list(let types)): types.contains(type)
                case ("if-top-url", .list(let all)): try all.contains { try top.contains(Regex($0)) }
                case ("unless-top-url", .list(let all)): try !all.contains { try top.contains(Regex($0)) }
                case ("if-frame-url", .list(let all)): try all.contains { try (frame ?? top).contains(Regex($0)) }
                case ("unless-frame-url", .list(let all)): try !all.contains { try (frame ?? top).contains(Regex($0)) }
                default: throw Unknown(name: name)
                }
            }
            guard matches, let action = rule.action["type"] else { continue }
            if action == "ignore-previous-rules" { actions.removeAll() } else { actions.insert(action) }
        }
        return actions
    }

    private struct Unknown: Error {
        var name: String
    }

    @Test(
        "Requests to other sites carry no cookies; same-site requests carry cookies if a same-site document makes them",
        arguments: [
            ("https://api.shop.example/x", nil, false), ("https://shop.example/", nil, false),
            ("https://shop.example:8443/", nil, false), ("wss://api.shop.example/", nil, false),
            ("https://api.shop.example/x", "containerkit://shop.example/frame", false),
            ("https://api.shop.example/x", "https://login.shop.example/frame", false),
            ("https://other.example/", nil, true), ("https://xshop.example/", nil, true),
            ("https://shop.example.other.example/", nil, true), ("https://shop.example@other.example/", nil, true),
            ("https://shop.example:1@other.example/", nil, true), ("http://other.example/", nil, true),
            ("wss://other.example/", nil, true),
            ("https://api.shop.example/x", "https://other.example/frame", true),
            ("https://api.shop.example/x", "containerkit://other.example/frame", true),
            ("https://api.shop.example/x", "containerkit-http://shop.example/frame", true),
            ("https://api.shop.example/x", "about:blank", true), ("https://api.shop.example/x", "about:srcdoc", true),
        ] as [(String, String?, Bool)])
    func cookies(url: String, frame: String?, blocked: Bool) throws {
        #expect(try actions(on: url, frame: frame).contains("block-cookies") == blocked)
        #expect(try actions(on: url, "image", frame: frame).contains("block-cookies") == blocked)
        // For a frame's document, the rules cannot determine the initiator.
        #expect(try actions(on: url, "document", frame: frame).contains("block-cookies"))
        // Without a site, and with the rules of another site, no request carries cookies.
        #expect(try actions(on: url, frame: frame, by: try Self.rules(nil)).contains("block-cookies"))
        let other = try Self.rules(PageSite(of: "https://else.example/", sites: ListedSites()))
        #expect(try actions(on: url, frame: frame, by: other).contains("block-cookies"))
        // With the rules of several sites, each page uses those of its own site.
        let both = try Self.rules(
            PageSite(of: "https://shop.example/", sites: ListedSites()),
            PageSite(of: "https://else.example/", sites: ListedSites()))
        #expect(try actions(on: url, frame: frame, by: both).contains("block-cookies") == blocked)
        let elsewhere = "containerkit://else.example/"
        #expect(try actions(on: url, top: elsewhere, frame: frame, by: both).contains("block-cookies"))
    }

    @Test("Navigations of the page, and pages outside the container, are not affected")
    func others() throws {
        for url in ["https://other.example/", "https://api.shop.example/", "http://other.example/"] {
            #expect(try actions(on: url, "document", top: url) == [])
            for type in ["fetch", "image", "document"] {
                #expect(try actions(on: url, type, top: "https://plain.example/") == [])
                #expect(
                    try actions(on: url, type, top: "https://plain.example/", by: try Self.rules(nil)) == [])
            }
        }
    }

    @Test(
        "An https page loads nothing over http, except upgraded images and images of this machine",
        arguments: [
            ("http://other.example/x", "block", "make-https"), ("http://shop.example/x", "block", "make-https"),
            ("http://other.example:8080/x", "block", "block"), ("http://192.0.2.1/x", "block", "block"),
            ("http://[2001:db8::1]/x", "block", "block"), ("http://127.0.0.1:8080/x", "block", nil),
            ("http://localhost/x", "block", nil), ("http://a.localhost:1/x", "block", nil),
            ("http://localhost.other.example/x", "block", "make-https"),
            ("http://127.0.0.1.other.example/x", "block", "make-https"), ("http://[::1]:8080/x", "block", nil),
            ("ws://other.example/", "block", nil),
        ] as [(String, String, String?)])
    func mixedContent(url: String, other: String, picture: String?) throws {
        for frame in [nil, "containerkit://other.example/frame"] {
            for type in ["fetch", "script", "style-sheet", "font", "raw", "websocket", "ping", "other"] {
                #expect(try actions(on: url, type, frame: frame).contains(other), "\(type)")
            }
            for type in ["image", "media"] {
                let actions = try actions(on: url, type, frame: frame).subtracting(["block-cookies"])
                #expect(picture.map { actions.contains($0) } ?? actions.isEmpty, "\(type) \(actions)")
            }
        }
        // An http page may load http resources.
        for type in ["fetch", "script", "image", "document"] {
            let found = try actions(on: url, type, top: "containerkit-http://shop.example/")
            #expect(found.isSubset(of: ["block-cookies"]), "\(type)")
        }
        // The https frames of an http page may not load http resources.
        #expect(
            try actions(
                on: url, "script", top: "containerkit-http://shop.example/", frame: "containerkit://shop.example/"
            ).contains("block"))
    }

    @Test("Documents outside the container cannot load its resources")
    func names() throws {
        let frame = "https://other.example/"
        for url in ["containerkit://shop.example/", "containerkit-http://shop.example/"] {
            #expect(try actions(on: url, "image", frame: frame) == ["block"])
            #expect(try actions(on: url, "fetch", top: frame) == ["block"])
            #expect(try actions(on: url, "image") == [])
            // A link may navigate to the container.
            #expect(try actions(on: url, "document", top: url, frame: frame) == [])
        }
    }

    @Test(
        "Sites",
        arguments: [
            ("https://a.shop.example/x?y", "https", "shop.example", true),
            ("http://shop.example:80/", "http", "shop.example", true),
            ("https://a.shop.co.example/", "https", "shop.co.example", true),
            ("https://127.0.0.1:8443/", "https", "127.0.0.1", false),
            ("https://localhost/", "https", "localhost", false),
        ])
    func sites(url: String, scheme: String, domain: String, hasSubdomains: Bool) throws {
        let site = try #require(PageSite(of: url, sites: ListedSites()))
        #expect(site.scheme == scheme && site.domain == domain && site.hasSubdomains == hasSubdomains)
        #expect(site.contains(url) && site.contains("\(scheme)://a.\(domain)/") == hasSubdomains)
        #expect(!site.contains("\(scheme)://x\(domain)/") && !site.contains("ftp://\(domain)/"))
        #expect(PageSite(of: "about:blank", sites: ListedSites()) == nil)
    }
}
