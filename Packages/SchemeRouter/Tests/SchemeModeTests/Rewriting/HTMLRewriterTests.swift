// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
@_spi(Fuzzing) import SchemeMode
import Testing

@Suite("URLs in documents", .timeLimit(.minutes(1)))
struct HTMLRewriterTests {
    @Test(
        "Covered URLs in attributes that load or navigate become custom-scheme URLs",
        arguments: [
            ("<img src=\"https://cdn.example/a.png\">", "<img src=\"containerkit://cdn.example/a.png\">"),
            ("<IMG SRC='HTTPS://CDN.example/a.png' alt=x>", "<IMG SRC='containerkit://cdn.example/a.png' alt=x>"),
            ("<script src=https://cdn.example/a.js></script>", "<script src=containerkit://cdn.example/a.js></script>"),
            ("<a href = \"http://shop.example/\">", "<a href = \"containerkit-http://shop.example/\">"),
            ("<a href='https://shop.example?x'>", "<a href='containerkit://shop.example/?x'>"),
            ("<base href=https://cdn.example/x/>", "<base href=containerkit://cdn.example/x/>"),
            ("<form action=https://shop.example/a>", "<form action=containerkit://shop.example/a>"),
            ("<button formaction=https://shop.example/a>", "<button formaction=containerkit://shop.example/a>"),
            ("<video poster=https://cdn.example/p>", "<video poster=containerkit://cdn.example/p>"),
            ("<object data=https://cdn.example/p>", "<object data=containerkit://cdn.example/p>"),
            ("<iframe src=https://shop.example/f></iframe>", "<iframe src=containerkit://shop.example/f></iframe>"),
            ("<body background=https://cdn.example/p>", "<body background=containerkit://cdn.example/p>"),
            (
                "<link rel=stylesheet href=https://cdn.example/x>",
                "<link rel=stylesheet href=containerkit://cdn.example/x>"
            ),
            ("<link href=https://cdn.example/x rel='x ICON'>", "<link href=containerkit://cdn.example/x rel='x ICON'>"),
            (
                "<svg><image xlink:href=https://cdn.example/a /><use href=https://cdn.example/b#c></svg>",
                "<svg><image xlink:href=containerkit://cdn.example/a /><use href=containerkit://cdn.example/b#c></svg>"
            ),
            ("<rect fill='url(https://cdn.example/a#b)'>", "<rect fill='url(containerkit://cdn.example/a#b)'>"),
            (
                "<p style='background:url(https://cdn.example/a)'>",
                "<p style='background:url(containerkit://cdn.example/a)'>"
            ),
            (
                "<p style='background:url(&quot;https://cdn.example/a&quot;)'>",
                "<p style='background:url(&quot;containerkit://cdn.example/a&quot;)'>"
            ),
            ("<img src=https://cdn.example:8443/x>", "<img src=containerkit://cdn.example:8443/x>"),
            ("<img src=https://cdn.example:443/x>", "<img src=containerkit://cdn.example/x>"),
            ("<img src=https://part.example/app/x>", "<img src=containerkit://part.example/app/x>"),
            ("<img src=' \n ht\ntps://cdn.example/x '>", "<img src='containerkit://cdn.example/x '>"),
            ("<img src='https:\\\\cdn.example\\a\\b?c\\d'>", "<img src='containerkit://cdn.example/a/b?c\\d'>"),
            ("<img src='https:////cdn.example/x'>", "<img src='containerkit://cdn.example/x'>"),
            ("<img src='https&#58;//cdn.ex&#x61;mple/a&amp;b'>", "<img src='containerkit://cdn.example/a&amp;b'>"),
            ("<img src='https&colon;&sol;/cdn.example/a?x&y'>", "<img src='containerkit://cdn.example/a?x&y'>"),
            // A URL without a scheme resolves to the custom scheme, which has no response for a host that is not
            // covered.
            ("<img src=//CDN.example:443/x>", "<img src=//cdn.example/x>"),
            ("<img src=//other.example/x>", "<img src=https://other.example/x>"),
            ("<img src=https:x.png>", "<img src=x.png>"),
            ("<img src=https:/x.png>", "<img src=/x.png>"),
        ])
    func attributes(html: String, expected: String) {
        #expect(rewritten(html) == expected)
    }

    @Test(
        "Documents without covered URLs that are loaded are unchanged",
        arguments: [
            "<img src=https://other.example/x>", "<img src=//cdn.example/x>", "<img src=/x><img src=x><img src>",
            "<img data-src=https://cdn.example/x>", "<x-img src=https://cdn.example/x>",
            "<q cite=https://cdn.example/>",
            "<link rel=canonical href=https://shop.example/>", "<link href=https://shop.example/>",
            "<meta property=og:image content=https://cdn.example/x>", "<a ping=https://cdn.example/>",
            "<img src=https://part.example/x>", "<img src=https://me@cdn.example/x>",
            "<img src=https://cdn.example.evil/x>",
            "<img src=https://caf\u{E9}.example/>", "<img src=\"https://\">", "<img src=wss://cdn.example/>",
            "<!-- <img src=https://cdn.example/x> -->", "<!DOCTYPE html SYSTEM 'https://cdn.example/x'>",
            "<? <img src=https://cdn.example/x", "<title><img src=https://cdn.example/x></title>",
            "<textarea><img src=https://cdn.example/x></textarea>", "<xmp><img src=https://cdn.example/x></xmp>",
            "<noscript><img src=https://cdn.example/x></noscript>", "<iframe><img src=https://cdn.example/x></iframe>",
            "<script>var a = '<img src=https://cdn.example/x>'</script>", "<plaintext><img src=https://cdn.example/x>",
            "<script><!--<script></script><img src=https://cdn.example/x></script>",
            "<svg><![CDATA[<img src=https://cdn.example/x>]]></svg>", "<img src=https://cdn.example/x",
            "<img alt='> src=https://cdn.example/x>", "<img src=x src=https://cdn.example/x>",
            "https://cdn.example/x <p>https://cdn.example/ &amp; \r\n\u{0}</p>", "</img src=https://cdn.example/x>",
            "<", "</", "<!", "<!-",
        ])
    func untouched(html: String) {
        #expect(rewritten(html) == html)
    }

    @Test("Text ends where the standard specifies")
    func borders() {
        let image = "<img src=https://cdn.example/x>"
        let named = "<img src=containerkit://cdn.example/x>"
        for before in [
            "<!-->", "<!--->", "<!-- --!>", "<!-- <!-->", "<!>", "</>", "<?a>", "<title></titlex></title >",
            "<script></script/>", "<script><!-- </script>", "<script><!--<script></script></script>",
            "<svg><style>", "<svg><title>", "<svg><![CDATA[]]]>]]>", "<math><mi><script></script>",
            "<svg><div></svg><style></style>", "<img alt='>'>", "<a b='c'd=\"e\"f/>", "<![CDATA[ ]]>",
            "<svg/><textarea></textarea>",
        ] {
            #expect(rewritten(before + image) == before + named, "\(before)")
        }
        for before in [
            "<!--", "<!-- ->", "<title>", "<style/>", "<script><!--<script></script>", "<svg/><style>", "<a b='",
        ] {
            #expect(rewritten(before + image) == before + image, "\(before)")
        }
    }

    @Test("Covered URLs in lists of images become custom-scheme URLs")
    func sourceSets() {
        #expect(
            rewritten("<img srcset=\" https://cdn.example/a,b 1x,https://cdn.example/c, //other.example/d 2x , x 3x\">")
                == "<img srcset=\" containerkit://cdn.example/a,b 1x,containerkit://cdn.example/c, https://other.example/d 2x , x 3x\">"
        )
        #expect(
            rewritten(
                "<link rel=preload imagesrcset='https://cdn.example/a 1w (x,https://cdn.example/b), https://cdn.example/c'>"
            )
                == "<link rel=preload imagesrcset='containerkit://cdn.example/a 1w (x,https://cdn.example/b), containerkit://cdn.example/c'>"
        )
    }

    @Test("Style sheets, import maps and documents in a document are rewritten")
    func inside() {
        #expect(
            rewritten("<style>@import 'https://cdn.example/a';</style><p style=x>")
                == "<style>@import 'containerkit://cdn.example/a';</style><p style=x>")
        #expect(
            rewritten("<svg><style>a{b:url(https://cdn.example/a)}</style></svg>")
                == "<svg><style>a{b:url(containerkit://cdn.example/a)}</style></svg>")
        #expect(
            rewritten(
                #"<script type=importmap>{ "imports":{"a":"https:\/\/cdn.example/a.js", "https://cdn.example/x/":"./y/"}}</script>"#
            )
                == #"<script type=importmap>{ "imports":{"a":"containerkit://cdn.example/a.js", "containerkit://cdn.example/x/":"./y/"}}</script>"#
        )
        #expect(
            rewritten(#"<script type=module>import "https://cdn.example/a.js"</script>"#)
                == #"<script type=module>import "https://cdn.example/a.js"</script>"#)
        #expect(
            rewritten("<iframe srcdoc='<img src=\"https://cdn.example/x\" alt=&amp;lt;>'>")
                == "<iframe srcdoc='<img src=\"containerkit://cdn.example/x\" alt=&amp;lt;>'>")
        #expect(
            rewritten("<iframe srcdoc='&lt;iframe srcdoc=&quot;&lt;img src=https://cdn.example/x>&quot;>'>")
                == "<iframe srcdoc='&lt;iframe srcdoc=&quot;&lt;img src=containerkit://cdn.example/x>&quot;>'>")
        #expect(
            rewritten("<meta http-equiv=Refresh content='0; URL=\"https://shop.example/x\"'>")
                == "<meta http-equiv=Refresh content='0; URL=\"containerkit://shop.example/x\"'>")
        #expect(
            rewritten("<meta http-equiv=content-security-policy content=\"img-src https:\">")
                == "<meta http-equiv=content-security-policy content=\"img-src https: containerkit:\">")
    }

    @Test("Quotation marks from a policy are escaped in the value")
    func escaping() {
        let value = "<meta http-equiv=content-security-policy content='default-src &#39;self&#39;'>"
        #expect(
            rewritten(value)
                == "<meta http-equiv=content-security-policy content='default-src &#39;self&#39; https://shop.example wss://shop.example'>"
        )
    }

    @Test("In XML no element contains raw text, and style sheets may be in CDATA sections")
    func xml() {
        #expect(
            rewritten(
                "<!DOCTYPE svg [<!ENTITY a '<image href=\"https://cdn.example/x\"/>'>]><svg:svg><svg:image href='https://cdn.example/x'/><style><![CDATA[a{b:url(https://cdn.example/x)}]]></style><title/><script/><image href='https://cdn.example/y'/></svg:svg>",
                syntax: .xml)
                == "<!DOCTYPE svg [<!ENTITY a '<image href=\"https://cdn.example/x\"/>'>]><svg:svg><svg:image href='containerkit://cdn.example/x'/><style><![CDATA[a{b:url(containerkit://cdn.example/x)}]]></style><title/><script/><image href='containerkit://cdn.example/y'/></svg:svg>"
        )
    }

    @Test("URLs after upgrade-insecure-requests are upgraded")
    func upgrades() {
        let policy = "<meta http-equiv=Content-Security-Policy content=upgrade-insecure-requests>"
        #expect(
            rewritten(
                "<img src=http://cdn.example/x>\(policy)<img src=http://cdn.example:80/x><a href=http://cdn.example/x><a href=http://shop.example/x>"
            )
                == "<img src=containerkit-http://cdn.example/x>\(policy)<img src=containerkit://cdn.example/x><a href=containerkit-http://cdn.example/x><a href=containerkit://shop.example/x>"
        )
    }

    @Test("Charsets that are not ASCII-compatible are unchanged; two-byte characters are supported")
    func charsets() {
        let tag = "<img src=https://cdn.example/x>"
        for mark in [[0xFE, 0xFF], [0xFF, 0xFE]] as [[UInt8]] {
            var rewriter = HTMLRewriter(shopContext())
            let text = Data(mark + Array(tag.utf8))
            #expect(rewriter.rewrite(pieces: text.map { Data([$0]) }) == text)
        }
        let meta = "<meta charset=iso-2022-jp>"
        #expect(rewritten(tag + meta + tag) == "<img src=containerkit://cdn.example/x>" + meta + tag)
        // The second byte of this Shift_JIS character is a backslash in ASCII.
        var rewriter = HTMLRewriter(shopContext())
        let text =
            Data("<meta charset=Shift_JIS><style>a{b:'".utf8) + [0x83, 0x5C]
            + Data("';c:url(https://cdn.example/x)}".utf8)
        let result = rewriter.rewrite(pieces: text.map { Data([$0]) })
        #expect(result.range(of: Data("url(containerkit://cdn.example/x)".utf8)) != nil)
    }

    @Test("A tag above the limit is unchanged, and the following text is rewritten")
    func longTags() {
        var limits = HTMLRewriter.Limits()
        limits.maxTagBytes = 64
        for pieces in [1, 7, 1_000] {
            var rewriter = HTMLRewriter(shopContext(), limits: limits)
            let long =
                "<img src=https://cdn.example/\(String(repeating: "a", count: 200)) a='>' b=\(String(repeating: "c", count: 90))>"
            let style = "<style a=\(String(repeating: "c", count: 90))>a{b:url(https://cdn.example/x)}</style>"
            let text = Data("\(long)<img src=https://cdn.example/x>\(style)".utf8)
            let result = rewriter.rewrite(
                pieces: stride(from: 0, to: text.count, by: pieces).map { text[$0..<min($0 + pieces, text.count)] })
            #expect(
                String(decoding: result, as: UTF8.self).hasSuffix("\(style.replacing("https", with: "containerkit"))"))
            #expect(String(decoding: result, as: UTF8.self).contains("<img src=containerkit://cdn.example/x>"))
            #expect(pieces == 1_000 || result.starts(with: Data(long.utf8)))
        }
    }
}
