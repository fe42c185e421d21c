// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import ContentDigest
import Foundation
import HTTPTypes
import PackageFormat
import ProgramTesting
import Testing

extension RealEngine {
    /// A page that contains absolute URLs of its own host.
    @Suite("Absolute URLs, in a page", .timeLimit(.minutes(2)))
    struct RewritingTests {
        @Test("Images, style sheets and imports use the container and follow the page's policy and integrity")
        func page() async throws {
            let shop = try await Shop()
            let site = shop.origin.url
            let sheet = "@import url(\(site)/more.css); body { color: rgb(1, 2, 3) }"
            let digest = Data(SHA256Digest(of: Data(sheet.utf8)).bytes).base64EncodedString()
            let files = [
                "absolute.html": """
                <!DOCTYPE html><title>x</title><meta http-equiv=Content-Security-Policy
                content="default-src 'none'; style-src \(site); img-src \(site)/img/apple.svg">
                <link rel=stylesheet href="\(site)/sheet.css" integrity="sha256-\(digest)">
                <link rel=stylesheet href="\(site)/false.css" integrity="sha256-\(digest)">
                <body><img src="\(site)/img/apple.svg"><img src="\(site)/img/other.svg">
                """,
                "sheet.css": sheet,
                "more.css": "body { background: rgb(4, 5, 6) }",
                "false.css": "body { margin: 77px }",
                "img/other.svg": Shop.files["img/apple.svg"] ?? "",
            ]
            for (name, text) in files { try shop.folder.write("site/\(name)", text.utf8) }
            let value = try await shop.browser.value(
                of: """
                    [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor, \
                    getComputedStyle(document.body).marginTop, document.styleSheets[0].href.split(':')[0], \
                    ...[...document.images].map(image => image.naturalWidth > 0)]
                    """, in: site + "/absolute.html", "--mode", "scheme")
            let asked = Set(shop.origin.requests.map(\.path))
            await shop.origin.stop()
            #expect(value == #"["rgb(1, 2, 3)","rgb(4, 5, 6)","8px","containerkit-http",true,false]"#)
            #expect(asked == ["/absolute.html", "/sheet.css", "/more.css", "/false.css", "/img/apple.svg"])
        }

        /// Returns the target as the container's transport spells it, percent-encoded according to RFC 3986.
        private static func encoded(_ target: String) -> String {
            [
                "%zz": "%25zz", "%5c": "%5C", "|": "%7C", "\\": "%5C", "^": "%5E", "`": "%60", "{": "%7B", "}": "%7D",
            ].reduce(target) { $0.replacing($1.key, with: $1.value) }
        }

        @Test("Every spelling of a URL causes the same request as without the container")
        func spellings() async throws {
            let shop = try await Shop()
            let host = shop.origin.url.dropFirst(7)
            let references = [
                "\\a1\\b?c\\d", "a2\\b", "..\\a3", "a4/..\\b4", "http:a5", "http:/a6", "http:a7:b", "http: a8",
                "HT\tTP:a9",
                "http://\(host)/b1", "http:\\\\\(host)\\b2?c", "//\(host)/b3", "\\\\\(host)\\b4", "///\(host)/b5",
                "http:////\(host)/b6",
                "\n h\ntt\tp:/\n/\(host)/b\n7 ", "/\t/\(host)/b8", "http://127.1:\(host.split(separator: ":")[1])/b9",
                "http://\(host.replacing(":", with: ":0"))/c1", "/c2/../c3/./c4/%2e%2E/c5", "c6?'a'", "c7'?\\",
                "c8 d?e f", "c9?\u{E4}",
                "\u{E4}d1", "?d2", "d3#\\", "./d4:x", "d5|^`{}<>", "http://\(host)/d6|^`{}?'|^`{}", "d7%zz%2F%5c",
                "/./d8//e",
                "http://\(host)?d9", "//\(host)?e1", "http://\(host)\\..\\e2", "e3;f=1,2", "\\..\\..\\e4\\.",
            ]
            let escaped = references.map {
                $0.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
            }
            let style = ["\\5c f1", "f2\\5c g", "//\(host)/f3", "f4\\'?\\'", "f5\\29 "].map {
                "<p style=\"background:url(\($0))\">x</p>"
            }
            let page =
                "<!DOCTYPE html><meta charset=utf-8><title>x</title>" + escaped.map { "<img src=\"\($0)\">" }.joined()
                + style.joined()
            try shop.folder.write("site/deep/page.html", page.utf8)
            var asked: [[String]] = []
            for mode in ["plain", "scheme"] {
                let before = shop.origin.requests.count
                _ = try await shop.browser.value(
                    of: "document.images.length", in: shop.origin.url + "/deep/page.html",
                    until: "document.readyState === 'complete'", "--mode", mode)
                asked.append(
                    shop.origin.requests.dropFirst(before).map { $0.path + ($0.query.map { "?" + $0 } ?? "") }
                        .filter { !$0.contains("favicon") }.map(Self.encoded).sorted())
            }
            await shop.origin.stop()
            #expect(asked[0].count > references.count)
            #expect(asked[0] == asked[1])
            if asked[0] != asked[1] {
                Issue.record(
                    "missing: \(Set(asked[0]).subtracting(asked[1])), new: \(Set(asked[1]).subtracting(asked[0]))")
            }
        }

        @Test("A redirected style sheet loads relative URLs, also outside the covered part of another host")
        func moved() async throws {
            let cdn = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/app/main.css"))) { _ in
                    OriginResponse(.found, headers: [.location: "/other/deep/main.css"])
                },
                OriginRoute(.get, try #require(OriginPathPattern("/other/deep/main.css"))) { _ in
                    OriginResponse(
                        .ok, headers: [.contentType: "text/css"],
                        body: .bytes(Data("@import 'more.css'; p { color: rgb(1, 2, 3) }".utf8)))
                },
                OriginRoute(.get, try #require(OriginPathPattern("/other/deep/more.css"))) { _ in
                    OriginResponse(
                        .ok, headers: [.contentType: "text/css"],
                        body: .bytes(Data("p { background: rgb(4, 5, 6) url(x.png) }".utf8)))
                },
            ])
            let page =
                "<!DOCTYPE html><meta charset=utf-8><title>x</title><link rel=stylesheet href=\"\(cdn.origin.url)/app/main.css\"><p>x"
            let shop = try await Shop()
            try shop.folder.write("site/moved.html", page.utf8)
            // Both hosts are covered, because both are opened.
            let urls = try shop.folder.write(
                "urls", "\(shop.origin.url)/moved.html\n\(cdn.origin.url)/style.css\n".utf8)
            let outcome = try await Program("container-browser").run(
                [
                    "run", "--urls", urls, "--print",
                    "document.querySelector('p') ? [getComputedStyle(document.querySelector('p')).color, getComputedStyle(document.querySelector('p')).backgroundColor] : 0",
                    "--until", "document.readyState === 'complete'", "--mode", "scheme",
                ], in: shop.folder.path)
            let asked = cdn.origin.requests.map(\.path)
            await shop.origin.stop()
            await cdn.origin.stop()
            #expect(outcome.output.contains(#"["rgb(1, 2, 3)","rgb(4, 5, 6)"]"#), "\(outcome.output) \(outcome.errors)")
            #expect(asked.contains("/other/deep/more.css") && asked.contains("/other/deep/x.png"), "\(asked)")
        }
    }
}
