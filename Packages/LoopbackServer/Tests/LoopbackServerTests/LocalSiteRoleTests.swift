// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOHTTP1
import Testing
import WebSyntax

@testable import LoopbackServer

@Suite("Translation of origins in requests and responses")
struct LocalSiteRoleTests {
    private static let local = "https://shop-example.localhost:7443"
    private let role: LocalSiteRole
    private let token = AccessToken()

    init() throws {
        role = LocalSiteRole(
            site: try #require(LocalSite(url: "https://shop.example/")), port: 7443, token: token, didIdentify: {})
    }

    private func restored(_ fields: [(String, String)]) -> HTTPHeaders {
        var headers = HTTPHeaders(fields)
        role.restore(&headers)
        return headers
    }

    private func localized(_ name: String, _ values: String...) -> [String] {
        var headers = HTTPHeaders(values.map { (name, $0) })
        role.localize(&headers)
        return headers[name]
    }

    @Test("The token is removed from requests; other cookies are forwarded")
    func cookie() {
        let said = "\(AccessToken.name)=\(token.value)"
        #expect(restored([("Cookie", said)])["cookie"].isEmpty)
        #expect(restored([("Cookie", "a=1; \(said); b=2")])["cookie"] == ["a=1; b=2"])
        #expect(restored([("Cookie", "\(said);a=1=2;flag")])["cookie"] == ["a=1=2; flag"])
        // The token of another launch, or a value guessed by a page.
        #expect(restored([("Cookie", "\(AccessToken.name)=old; a=1")])["cookie"] == ["a=1"])
        #expect(restored([("Cookie", "a=1")])["cookie"] == ["a=1"])
    }

    @Test("Origin and Referer contain the real origin")
    func origins() {
        let fields = restored([("Origin", Self.local), ("Referer", "\(Self.local)/a?b")])
        #expect(fields["origin"] == ["https://shop.example"])
        #expect(fields["referer"] == ["https://shop.example/a?b"])
        // URLs with the same prefix that do not belong to the site.
        for other in ["\(Self.local)5/", "\(Self.local).evil.example/", "https://other.localhost:7443/"] {
            #expect(restored([("Referer", other)])["referer"] == [other])
        }
    }

    @Test(
        "A redirect within the site stays on the server",
        arguments: [
            ("https://shop.example/a?b#c", "\(local)/a?b#c"), ("https://SHOP.example", "\(local)"),
            ("//shop.example/a", "\(local)/a"), ("https://shop.example:443/a", "\(local)/a"), ("/a", "/a"),
            ("a?b", "a?b"),
            ("http://shop.example/", "http://shop.example/"),
            ("https://shop.example.evil.example/", "https://shop.example.evil.example/"),
            ("https://shop.example:444/", "https://shop.example:444/"),
            ("https://other.example/", "https://other.example/"),
        ])
    func location(from: String, to: String) {
        #expect(localized("Location", from) == [to])
        #expect(localized("Content-Location", from) == [to])
    }

    @Test(
        "A cookie with a domain gets the name of the site as its domain",
        arguments: [
            ("a=1; Path=/; Domain=shop.example; Secure", "a=1; Path=/; Domain=shop-example.localhost; Secure"),
            ("a=1;domain = .Shop.Example", "a=1; Domain=shop-example.localhost"), ("a=1; Domain=example", "a=1"),
            ("a=1; Domain=", "a=1"),
            ("a=1; HttpOnly", "a=1; HttpOnly"), ("a=1; Domain=www.shop.example", nil),
            ("a=1; Domain=other.example", nil), ("a=1; Domain=op.example", nil),
            ("__Host-container=x; Secure; Path=/", nil), (" __Host-container =x", nil), ("domain=1", "domain=1"),
        ] as [(String, String?)])
    func cookies(from: String, to: String?) {
        #expect(localized("Set-Cookie", from) == (to.map { [$0] } ?? []))
    }

    @Test("Each Set-Cookie field is checked")
    func manyCookies() {
        #expect(
            localized("Set-Cookie", "a=1; Domain=shop.example", "b=2; Domain=x.example", "c=3")
                == ["a=1; Domain=shop-example.localhost", "c=3"])
    }

    @Test("Fields that apply only to the real host are removed")
    func dropped() {
        for name in [
            "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Expose-Headers",
            "Alt-Svc", "Strict-Transport-Security",
        ] {
            #expect(localized(name, "*").isEmpty)
        }
        #expect(localized("Content-Type", "text/html") == ["text/html"])
    }

    @Test(
        "Clear-Site-Data does not remove the token",
        arguments: [
            ("\"cookies\"", nil), ("\"*\"", "\"cache\", \"storage\""),
            ("\"cache\", \"cookies\", \"storage\"", "\"cache\", \"storage\""), ("\"cache\"", "\"cache\""),
        ] as [(String, String?)])
    func clearing(from: String, to: String?) {
        #expect(localized("Clear-Site-Data", from) == (to.map { [$0] } ?? []))
    }

    @Test("No description contains the token's value")
    func secret() {
        for text in ["\(token)", String(reflecting: token), "\(role)"] { #expect(!text.contains(token.value)) }
        var dumped = ""
        dump(role, to: &dumped)
        #expect(!dumped.contains(token.value))
        #expect(token.value.count == 64 && AccessToken() != AccessToken())
    }
}
