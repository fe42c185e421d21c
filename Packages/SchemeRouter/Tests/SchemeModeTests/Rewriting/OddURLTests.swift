// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
@_spi(Fuzzing) import SchemeMode
import Testing

/// WHATWG URL, section 4.4: http and https references are resolved differently than references of other schemes, such
/// as custom schemes. References with a different result are rewritten.
@Suite("Unusual spellings of URLs", .timeLimit(.minutes(1)))
struct OddURLTests {
    private func image(_ reference: String, _ context: RewritingContext = shopContext(), before: String = "") -> String
    {
        let result = rewritten("\(before)<img src=\"\(reference)\">", context)
        return String(result.dropFirst(rewritten(before, context).count + 10).dropLast(2))
    }

    @Test(
        "Backslashes in paths become slashes",
        arguments: [
            ("\\x.png", "/x.png"), ("a\\b.png", "a/b.png"), ("..\\x", "../x"), ("x?a\\b#c\\d", "x?a\\b#c\\d"),
            ("\\\\cdn.example\\x", "//cdn.example/x"), ("/\\other.example\\x", "https://other.example/x"),
            (" \\x", " /x"), ("a\\\nb", "a/\nb"), (":\\x", ":/x"), ("//cdn.example", "//cdn.example/"),
        ])
    func backslashes(reference: String, expected: String) {
        #expect(image(reference) == expected)
    }

    @Test(
        "A URL with an alias becomes the custom-scheme URL, or the real URL of a host that is not covered",
        arguments: [
            ("assets://cdn.example/x.js?y", "app://cdn.example/x.js?y"), ("Page://CDN.example", "app://cdn.example/"),
            ("assets://other.example/x", "https://other.example/x"), ("assets:x", "assets:x"),
            ("asset://cdn.example/x", "asset://cdn.example/x"), ("x/assets://cdn.example/", "x/assets://cdn.example/"),
        ])
    func aliases(reference: String, expected: String) throws {
        let names = try #require(SchemeNames(prefix: "app", aliases: ["page", "assets"]))
        let context = RewritingContext(names: names, url: "https://shop.example/dir/page") { url, _ in isCovered(url) }
        #expect(image(reference, context) == expected)
        #expect(rewrittenCSS("a{b:url(\(reference))}", context) == "a{b:url(\(expected))}")
        #expect(image(reference) == reference)
    }

    @Test(
        "The page's own scheme without a host is redundant",
        arguments: [
            ("https:x.png", "x.png"), ("https:/x.png", "/x.png"), ("https:\\x.png", "/x.png"),
            ("HT\nTPS:x", "x"), ("https:x:y", "./x:y"), ("https:a/x:y", "a/x:y"), ("https:?x", "?x"),
            ("https: x", "./ x"), ("https:\n x", "./\n x"), ("https:#x", "#x"),
            ("https:javascript:x", "./javascript:x"),
            ("https:\\\\cdn.example", "containerkit://cdn.example/"),
        ])
    func ownScheme(reference: String, expected: String) {
        #expect(image(reference) == expected)
    }

    @Test(
        "The other scheme without slashes is followed by a host",
        arguments: [
            ("http:cdn.example/x", "containerkit-http://cdn.example/x"),
            ("http:/cdn.example/x", "containerkit-http://cdn.example/x"),
            ("http:\\cdn.example", "containerkit-http://cdn.example/"), ("http:other.example", "http:other.example"),
        ])
    func otherScheme(reference: String, expected: String) {
        #expect(image(reference) == expected)
    }

    @Test(
        "Different spellings of a port are equal",
        arguments: [
            ("https://cdn.example:/x", "containerkit://cdn.example/x"),
            ("https://cdn.example:0443/x", "containerkit://cdn.example/x"),
            ("https://cdn.example:08443/x", "containerkit://cdn.example:8443/x"),
            ("http://cdn.example:000080/x", "containerkit-http://cdn.example/x"),
            ("//cdn.example:443/x", "//cdn.example/x"), ("https://cdn.example:80/x", "https://cdn.example:80/x"),
        ])
    func ports(reference: String, expected: String) {
        #expect(image(reference) == expected)
    }

    @Test(
        "Tabs, line breaks and blanks are ignored as in a browser",
        arguments: [
            ("\thttps://cdn.example/x\n", "containerkit://cdn.example/x\n"),
            ("h\tt\nt\rps\n:\n/\n/\ncdn.\nexample\n:\n443/x\ny", "containerkit://cdn.example/x\ny"),
            ("/\n\n/cdn.example/x", "//cdn.example/x"), ("/\t\\other.example", "https://other.example/"),
        ])
    func blanks(reference: String, expected: String) {
        #expect(image(reference) == expected)
    }

    @Test(
        "References without a covered host are unchanged",
        arguments: [
            "data:text/html,<a href=//cdn.example>\\", "javascript:a='\\\\x';//cdn.example/",
            "blob:https://cdn.example/x",
            "about:blank", "mailto:a\\b@cdn.example", "C:\\x", "view-source:https://cdn.example/", "java\nscript:'\\n'",
            "https://me@cdn.example/x", "https://me:\\@cdn.example/x", "https://cdn.example@other.example/",
            "https://other.example\\@cdn.example/", "https://other.example#@cdn.example/",
            "https://other.example?@cdn.example/", "https://cdn.example%2fother.example/",
            "https://c%64n.example/x", "https://\u{FF43}dn.example/", "https://cdn\u{3002}example/x",
            "https://cdn.example\n.other.example/x", "https://cdn.example.other.example/x", "https://xcdn.example/",
            "https://cdn.example:99999/x", "https://cdn.example:x/", "https://cdn.example:1:443/x",
            "https://cdn .example/",
            "https://cdn.example\u{0}/", "https://[cdn.example]/", "https://cdn.example]/x",
            "https://cdn&shy;.example/",
            "https:", "https:///", "#\\", "?\\", "", " ", "//cdn.example/x", "ws://cdn.example/", "https//cdn.example/",
            "1:/x", ":/x",
        ])
    func stays(reference: String) {
        #expect(image(reference) == reference)
    }

    @Test(
        "A reference with an unsupported host gets the real scheme",
        arguments: [
            "//me@cdn.example/x", "//c%64n.example/x", "//caf\u{E9}.example/x", "\\\\cdn.example:99999/x", "/\t/a b/x",
            "//127.1/x", "//0x7f.0.0.1/x", "//2130706433/",
        ])
    func strangeHosts(reference: String) {
        #expect(image(reference) == "https:" + reference)
    }

    @Test("A non-canonical address is never rewritten, even if all hosts are covered")
    func addresses() {
        let context = RewritingContext(names: .standard, url: "https://shop.example/") { _, _ in true }
        for host in ["127.1", "0x7f.0.0.1", "2130706433", "127.0.0.01", "1.2.3.4.5", "256.0.0.1", "127.0.0.1."] {
            #expect(image("https://\(host)/x", context) == "https://\(host)/x")
        }
        for host in ["127.0.0.1", "[::1]", "[2001:db8::1]:8443", "1.example", "a_b.example", "cdn.example."] {
            #expect(image("https://\(host)/x", context) == "containerkit://\(host)/x")
        }
    }

    @Test("The second byte of a two-byte character is not a slash")
    func twoByteLetters() {
        for reference in ["https://cdn.example/", "", "/"] {
            let text = Data("<img src='\(reference)".utf8) + [0x95, 0x5C] + Data(".png'>".utf8)
            var context = shopContext()
            context.hasTwoByteLetters = true
            var rewriter = HTMLRewriter(context)
            let expected =
                Data("<img src='\(reference.replacing("https", with: "containerkit"))".utf8) + [0x95, 0x5C]
                + Data(".png'>".utf8)
            #expect(rewriter.rewrite(text) == expected)
        }
    }

    @Test("A base URL determines the scheme of references without a scheme")
    func bases() {
        let other = "<base href=https://other.example/>"
        // Below this base URL, references without a scheme resolve to real URLs.
        #expect(image("//cdn.example/x", before: other) == "containerkit://cdn.example/x")
        #expect(image("//other.example/x", before: other) == "//other.example/x")
        #expect(image("//me@cdn.example/x", before: other) == "//me@cdn.example/x")
        // A document in `srcdoc` inherits the base URL, and may have its own.
        #expect(
            rewritten(
                "\(other)<iframe srcdoc='<img src=//cdn.example/x><base href=//shop.example/><img src=//cdn.example/x>'>"
            )
                == "\(other)<iframe srcdoc='<img src=containerkit://cdn.example/x><base href=containerkit://shop.example/>"
                + "<img src=//cdn.example/x>'>")
        let insecure = "<base href=http://shop.example/>"
        #expect(image("//other.example/x", before: insecure) == "http://other.example/x")
        #expect(image("//shop.example/x", before: insecure) == "//shop.example/x")
        #expect(image("http:x", before: insecure) == "x")
        #expect(image("https:cdn.example/x", before: insecure) == "containerkit://cdn.example/x")
        // The first base URL counts; a base URL with another scheme is ignored.
        #expect(image("//other.example/x", before: "<base href=data:,x>" + insecure) == "https://other.example/x")
    }

    @Test("An attribute name with a NUL is another name")
    func zeroes() {
        let tag = "<img \u{0}src=x src=https://cdn.example/x>"
        #expect(rewritten(tag) == tag.replacing("https", with: "containerkit"))
    }

    @Test("In import maps and speculation rules, a backslash is a character")
    func maps() {
        let map = #"<script type=importmap>{"imports":{"a\\b":"./a\\b.js","\\c":"/c"}}</script>"#
        #expect(rewritten(map) == map)
        let rules = #"<script type=speculationrules>{"prefetch":[{"where":{"href_matches":"/a\\?b"}}]}</script>"#
        #expect(rewritten(rules) == rules)
    }
}
