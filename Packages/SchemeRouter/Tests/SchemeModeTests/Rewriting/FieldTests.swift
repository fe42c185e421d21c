// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import SchemeMode

@Suite("URLs in header fields", .timeLimit(.minutes(1)))
struct FieldTests {
    @Test(
        "A policy keeps its meaning under a custom scheme",
        arguments: [
            ("img-src https://cdn.example", "img-src https://cdn.example containerkit://cdn.example"),
            ("img-src https://cdn.example:443/a/", "img-src https://cdn.example:443/a/ containerkit://cdn.example/a/"),
            ("IMG-SRC HTTPS://*.example:*", "IMG-SRC HTTPS://*.example:* containerkit://*.example:*"),
            (
                "img-src http://cdn.example:80",
                "img-src http://cdn.example:80 containerkit-http://cdn.example containerkit://cdn.example"
            ),
            ("img-src cdn.example", "img-src cdn.example https://cdn.example"),
            ("img-src cdn.example:443", "img-src cdn.example:443 https://cdn.example:443 containerkit://cdn.example"),
            ("img-src *", "img-src * containerkit: containerkit-http:"),
            ("img-src https: data:", "img-src https: containerkit: data:"),
            ("img-src http:", "img-src http: containerkit-http: containerkit:"),
            ("script-src 'self' 'nonce-a' 'sha256-b='", "script-src 'self' https://shop.example 'nonce-a' 'sha256-b='"),
            ("connect-src 'Self'", "connect-src 'Self' https://shop.example wss://shop.example"),
            (
                "a; frame-ancestors https://a.example , b",
                "a; frame-ancestors https://a.example containerkit://a.example , b"
            ),
            ("img-src https: https:", "img-src https: containerkit: https:"),
            (
                "report-uri /r https://r.example/x //r.example/y",
                "report-uri https://shop.example/r https://r.example/x https://r.example/y"
            ),
            (
                "form-action https://pay.example; base-uri 'none'",
                "form-action https://pay.example containerkit://pay.example; base-uri 'none'"
            ),
        ])
    func policies(policy: String, expected: String) {
        #expect(PolicyField.rewrite(policy, in: shopContext()) == expected)
    }

    @Test(
        "A policy without sources is unchanged",
        arguments: [
            "", ";", "default-src 'none'", "sandbox allow-scripts", "upgrade-insecure-requests",
            "report-to https://a.example",
            "img-src data: blob: wss://a.example 'unsafe-inline'", "require-trusted-types-for 'script'",
            "x https://a.example",
        ])
    func untouched(policy: String) {
        #expect(PolicyField.rewrite(policy, in: shopContext()) == policy)
    }

    @Test("The sources of an http page get equivalent custom-scheme sources")
    func insecure() {
        let context = shopContext("http://shop.example/")
        #expect(
            PolicyField.rewrite("img-src 'self' a.example", in: context)
                == "img-src 'self' http://shop.example containerkit://shop.example a.example http://a.example containerkit://a.example"
        )
    }

    @Test(
        "Covered URLs in the Link field become custom-scheme URLs if they are loaded",
        arguments: [
            ("<https://cdn.example/a>; rel=preload; as=style", "<containerkit://cdn.example/a>; rel=preload; as=style"),
            (
                "<https://cdn.example/a>; title=\"a, <b>\"; rel=\"x preconnect\", </b>; rel=next,<https://cdn.example/c>;rel=preload",
                "<containerkit://cdn.example/a>; title=\"a, <b>\"; rel=\"x preconnect\", </b>; rel=next,<containerkit://cdn.example/c>;rel=preload"
            ),
            ("<https://shop.example/a>; rel=canonical", "<https://shop.example/a>; rel=canonical"),
            ("<https://other.example/a>; rel=preload", "<https://other.example/a>; rel=preload"),
            ("<https://cdn.example/a>", "<https://cdn.example/a>"),
            ("<https://cdn.example/a", "<https://cdn.example/a"),
        ])
    func links(value: String, expected: String) {
        #expect(LinkField.rewrite(value, in: shopContext()) == expected)
    }

    @Test(
        "The URL of a refresh value is found",
        arguments: [
            ("5;url=https://a.example/", "https://a.example/"),
            (" 0.5 ; URL = 'https://a.example/' x", "https://a.example/"),
            ("0,https://a.example/", "https://a.example/"), ("0 url", "url"), ("5", nil), ("5x;url=b", nil), ("", nil),
            ("url=x", nil),
            (".5; urlx", "urlx"), ("0;url=\"x", "x"),
        ])
    func refreshes(value: String, url: String?) {
        let bytes = Array(value.utf8)
        #expect(RefreshValue.url(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) } == url)
    }

    @Test("Only the strongest integrity algorithm counts")
    func integrity() throws {
        let hashing = SumHashing()
        let right = hashing.metadata(of: "a", by: .sha384)
        let weak = hashing.metadata(of: "a", by: .sha256)
        let wrong = hashing.metadata(of: "b", by: .sha384)
        func matches(_ value: String) throws -> Bool {
            try #require(IntegrityMetadata(value)).matches(.init("a".utf8), by: hashing)
        }
        #expect(try matches(right))
        #expect(try matches("\(wrong) \(right)?opt"))
        #expect(try matches("  SHA384\(right.dropFirst(6)) md5-x"))
        #expect(try !matches(wrong))
        #expect(try !matches("\(weak) \(wrong)"))
        #expect(try !matches("sha512-!!! \(right)"))
        #expect(IntegrityMetadata("md5-abc nothing") == nil)
        #expect(IntegrityMetadata("") == nil)
    }
}
