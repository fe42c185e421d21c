// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
@_spi(Fuzzing) import SchemeMode
import Testing

@Suite("URLs in style sheets", .timeLimit(.minutes(1)))
struct CSSRewriterTests {
    @Test(
        "Covered URLs that are loaded become custom-scheme URLs",
        arguments: [
            ("a{b:url(https://cdn.example/x)}", "a{b:url(containerkit://cdn.example/x)}"),
            ("a{b:URL( 'https://cdn.example/x' )}", "a{b:URL( 'containerkit://cdn.example/x' )}"),
            ("a{b:url(\n\thttps://cdn.example/x\n)}", "a{b:url(\n\tcontainerkit://cdn.example/x\n)}"),
            (#"a{b:u\72 l(https://cdn.example/x)}"#, #"a{b:u\72 l(containerkit://cdn.example/x)}"#),
            (#"a{b:\000075RL("https://cdn.example/x")}"#, #"a{b:\000075RL("containerkit://cdn.example/x")}"#),
            (#"a{b:url(https\3a //cdn.example/\)x)}"#, #"a{b:url(containerkit://cdn.example/\)x)}"#),
            (#"a{b:url("https:/\2f cdn.example/\22x")}"#, #"a{b:url("containerkit://cdn.example/\22x")}"#),
            ("a{b:url('https://cdn.exa\\\nmple/x')}", "a{b:url('containerkit://cdn.example/x')}"),
            ("@import \"https://cdn.example/x\" screen;", "@import \"containerkit://cdn.example/x\" screen;"),
            ("@IMPORT/**/'https://cdn.example/x'", "@IMPORT/**/'containerkit://cdn.example/x'"),
            ("@import url(https://cdn.example/x)", "@import url(containerkit://cdn.example/x)"),
            (
                "a{b:image-set('https://cdn.example/x' 1x, \"https://cdn.example/y\" type('https://cdn.example/') 2x)}",
                "a{b:image-set('containerkit://cdn.example/x' 1x, \"containerkit://cdn.example/y\" type('https://cdn.example/') 2x)}"
            ),
            (
                "a{b:-webkit-image-set(url(https://cdn.example/x) 1x)}",
                "a{b:-webkit-image-set(url(containerkit://cdn.example/x) 1x)}"
            ),
            ("a{b:src('https://cdn.example/x')}", "a{b:src('containerkit://cdn.example/x')}"),
            ("a{--b:url(https://cdn.example/x)}", "a{--b:url(containerkit://cdn.example/x)}"),
            (
                "@font-face{src:local(x),url(https://cdn.example/x)format('woff2')}",
                "@font-face{src:local(x),url(containerkit://cdn.example/x)format('woff2')}"
            ),
            ("a{b:1 url(https://cdn.example/x)", "a{b:1 url(containerkit://cdn.example/x)"),
            ("a{b:url(https://cdn.example/x", "a{b:url(containerkit://cdn.example/x"),
            ("a{b:url('https://cdn.example/x", "a{b:url('containerkit://cdn.example/x"),
            ("a{b:url(//other.example/x)}", "a{b:url(https://other.example/x)}"),
            ("a{b:1.url(https://cdn.example/x)}", "a{b:1.url(containerkit://cdn.example/x)}"),
            ("'a\nb' url(https://cdn.example/x)", "'a\nb' url(https://cdn.example/x)"),
            ("'a\nurl(https://cdn.example/x)", "'a\nurl(containerkit://cdn.example/x)"),
            ("a\\\"{b:url(https://cdn.example/x)}", "a\\\"{b:url(containerkit://cdn.example/x)}"),
            (
                "@namespace x url(https://cdn.example/x);@import 'https://cdn.example/x'",
                "@namespace x url(https://cdn.example/x);@import 'containerkit://cdn.example/x'"
            ),
            ("<!--a{b:url(https://cdn.example/x)}-->", "<!--a{b:url(containerkit://cdn.example/x)}-->"),
        ])
    func rewrites(css: String, expected: String) {
        #expect(rewrittenCSS(css) == expected)
    }

    @Test(
        "Style sheets without covered URLs that are loaded are unchanged",
        arguments: [
            "/* url(https://cdn.example/x) */", "a{content:'url(https://cdn.example/x)'}",
            "a{b:'https://cdn.example/x'}",
            "@namespace 'https://cdn.example/x';", "@namespace url('https://cdn.example/x');",
            "a{b:1url(https://cdn.example/x)}",
            "a{b:#url(https://cdn.example/x)}", "a{b:@url(https://cdn.example/x)}", "a{b:xurl(https://cdn.example/x)}",
            "a{b:url (https://cdn.example/x)}", "a{b:url(x https://cdn.example/x)}", "a{b:url(https://cdn.example/'x)}",
            "a{b:url(https://cdn.example/x y)}", "a{b:url(https://cdn.example/(x)}",
            "a{b:url(https://other.example/x)}",
            "a{b:url(\\\nhttps://cdn.example/x)}", "a{b:url('https://cdn.example/x\n')}",
            "@import x 'https://cdn.example/x'",
            "@charset 'https://cdn.example/x'", "a{b:url()}", "a{b:url(data:image/png;base64,https://cdn.example/x)}",
            "/*", "\\", "@", "'", "url(",
            "a{b:1e3url(https://cdn.example/x)}", "a{b:-url(https://cdn.example/x)}",
            "a{b:--url(https://cdn.example/x)}",
        ])
    func stays(css: String) {
        #expect(rewrittenCSS(css) == css)
    }

    @Test("A URL above the limit and an unclosed name are unchanged")
    func limits() {
        let long = String(repeating: "a", count: 20_000)
        let tail = ";b:url(https://cdn.example/x)}"
        for text in [
            "a{b:url(https://cdn.example/\(long))", "a{b:url('https://cdn.example/\(long)')", "a{\(long):x",
            "a{@\(long)",
        ] {
            var rewriter = CSSRewriter(shopContext())
            let result = rewriter.rewrite(pieces: Data((text + tail).utf8).map { Data([$0]) })
            #expect(String(decoding: result, as: UTF8.self) == text + tail.replacing("https", with: "containerkit"))
        }
        let deep = String(repeating: "(", count: 2_000)
        #expect(rewrittenCSS("a{b:\(deep)url(https://cdn.example/x)") == "a{b:\(deep)url(containerkit://cdn.example/x)")
    }
}
