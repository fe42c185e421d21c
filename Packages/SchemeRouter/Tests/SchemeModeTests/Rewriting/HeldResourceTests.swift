// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
@_spi(Facade) import SchemeMode
import Testing

/// The URLs of the resources that the container of these tests holds.
private let held: Set = [
    "https://shop.example/", "https://shop.example/a.css", "https://shop.example/a.js", "https://shop.example/a.png",
    "https://shop.example/b.png", "https://shop.example/dir/a.png", "https://shop.example/dir/sprite.svg",
    "https://shop.example/a.mp4", "https://shop.example/a.vtt", "https://shop.example/x.png?v=1&w=2",
    "https://shop.example/caf%C3%A9.png", "https://shop.example/lib/", "https://cdn.example/a.png",
    "https://cdn.example/a.js", "https://cdn.example/x/a.png", "https://shop.example/page",
    "https://shop.example/it's(1).png", "https://shop.example/css/a.png", "https://shop.example/css/a.css",
    "https://shop.example/new/a.png", "https://shop.example/css/a.css?v", "https://shop.example/css/caf%C3%A9.png",
    "http://plain.example/a.png", "http://plain.example/a.js", "https://plain.example/b.png",
]

private let rewriter = HeldResourceRewriter(names: .standard) { held.contains($0) }

private func document(
    _ html: String, at url: String = "https://shop.example/dir/page", policies: [String] = [],
    referrerPolicy: String? = nil, contentLanguage: String? = nil, refresh: String? = nil
) -> String {
    let data = rewriter.document(
        Data(html.utf8), at: url, policies: policies, referrerPolicy: referrerPolicy, contentLanguage: contentLanguage,
        refresh: refresh)
    return String(decoding: data, as: UTF8.self)
}

private func styleSheet(
    _ css: String, at url: String = "https://shop.example/css/a.css",
    requestedURL: String = "https://shop.example/css/a.css", charset: String? = nil
) -> String {
    let data = rewriter.styleSheet(Data(css.utf8), at: url, requestedURL: requestedURL, charset: charset)
    return String(decoding: data, as: UTF8.self)
}

/// Document mode: the document has its real URL, and only URLs of held resources become custom-scheme URLs.
@Suite("Held resources in documents", .timeLimit(.minutes(1)))
struct HeldDocumentTests {
    /// Returns the value that an image with this `src` gets, or `nil` if the image is unchanged.
    private func image(_ reference: String, at url: String = "https://shop.example/dir/page", before: String = "")
        -> String?
    {
        let html = "\(before)<img src=\"\(reference)\">"
        let result = document(html, at: url).dropFirst(before.utf8.count)
        if result == html.dropFirst(before.count) { return nil }
        guard result.hasPrefix("<img crossorigin=ANONYMOUS src=\""), result.hasSuffix("\">") else {
            return String(result)
        }
        return String(result.dropFirst(32).dropLast(2))
    }

    @Test("All modules below a folder become custom-scheme URLs, because one of both URLs would run twice")
    func moduleFolders() {
        let rewriter = HeldResourceRewriter(names: .standard, moduleFolders: ["https://shop.example/"]) { _ in false }
        let html = rewriter.document(
            Data(
                """
                <script type=module src=/new.js></script><link rel=modulepreload href=/new.js>\
                <script src=/new.js></script>
                <script type=module src=https://other.example/new.js></script>
                <script type=importmap>{"imports":{"l/":"/lib/","o/":"https://other.example/"}}</script>
                """.utf8), at: "https://shop.example/", policies: [], referrerPolicy: nil, contentLanguage: nil,
            refresh: nil)
        #expect(
            String(decoding: html, as: UTF8.self) == """
                <script type=module src=containerkit://shop.example/new.js></script>\
                <link rel=modulepreload href=containerkit://shop.example/new.js><script src=/new.js></script>
                <script type=module src=https://other.example/new.js></script>
                <script type=importmap>{"imports":{"l/":"containerkit://shop.example/lib/",\
                "o/":"https://other.example/"}}</script>
                """)
    }

    @Test(
        "References in all spellings become custom-scheme URLs",
        arguments: [
            ("https://shop.example/a.png", "containerkit://shop.example/a.png"),
            ("/a.png", "containerkit://shop.example/a.png"),
            ("../a.png", "containerkit://shop.example/a.png"),
            ("a.png", "containerkit://shop.example/dir/a.png"),
            ("./x/../a.png", "containerkit://shop.example/dir/a.png"),
            ("%2e%2E/a.png", "containerkit://shop.example/a.png"),
            ("//cdn.example/a.png", "containerkit://cdn.example/a.png"),
            ("https://cdn.example:443/a.png", "containerkit://cdn.example/a.png"),
            ("HTTPS://CDN.Example/a.png", "containerkit://cdn.example/a.png"),
            ("https:/a.png", "containerkit://shop.example/a.png"),
            ("https:a.png", "containerkit://shop.example/dir/a.png"),
            ("\\a.png", "containerkit://shop.example/a.png"),
            ("\\\\cdn.example\\a.png", "containerkit://cdn.example/a.png"),
            ("/a\t.p\nng", "containerkit://shop.example/a.png"), (" /a.png\n", "containerkit://shop.example/a.png"),
            ("sprite.svg#icon", "containerkit://shop.example/dir/sprite.svg#icon"),
            ("/x.png?v=1&w=2", "containerkit://shop.example/x.png?v=1&amp;w=2"),
            ("/x.png?v=1&amp;w=2#&amp;", "containerkit://shop.example/x.png?v=1&amp;w=2#&amp;"),
            ("&#x2f;a&#46;png", "containerkit://shop.example/a.png"),
            ("/caf\u{E9}.png", "containerkit://shop.example/caf%C3%A9.png"),
            ("/caf%C3%A9.png", "containerkit://shop.example/caf%C3%A9.png"),
            ("/it's(1).png", "containerkit://shop.example/it's(1).png"),
        ])
    func spellings(reference: String, expected: String) {
        #expect(image(reference)?.trimmingCharacters(in: .whitespacesAndNewlines) == expected)
    }

    @Test(
        "References to other resources are unchanged",
        arguments: [
            "/other.png", "other.png", "https://other.example/a.png", "//other.example/a.png", "/a.png?v", "/A.png", "",
            "#a", " ", "data:image/png,/a.png", "blob:https://shop.example/a.png", "javascript:/a.png", "http:/a.png",
            "http://shop.example/a.png", "https://me@shop.example/a.png", "https://shop.example:8443/a.png",
            "containerkit://shop.example/a.png", "/caf\u{E8}.png", "/caf&#233;.png", "https://shop%2eexample/a.png",
            "\\other\\", "https://",
        ])
    func unchanged(reference: String) {
        #expect(image(reference) == nil)
    }

    @Test("An http URL has the insecure custom scheme, and is mixed content in an https document")
    func insecure() {
        #expect(image("a.png", at: "http://plain.example/page") == "containerkit-http://plain.example/a.png")
        #expect(
            image("http://plain.example/a.png", at: "http://shop.example/") == "containerkit-http://plain.example/a.png"
        )
        #expect(image("https://cdn.example/a.png", at: "http://plain.example/") == "containerkit://cdn.example/a.png")
        #expect(image("http://plain.example/a.png") == nil)
        let upgrading = "<meta http-equiv=content-security-policy content=upgrade-insecure-requests>"
        #expect(image("http://plain.example/b.png", before: upgrading) == "containerkit://plain.example/b.png")
        #expect(image("http://plain.example/a.png", before: upgrading) == nil)
    }

    @Test("The first base URL determines relative URLs, but is unchanged")
    func bases() {
        let base = "<base target=x><base href=https://cdn.example/x/><base href=/>"
        #expect(image("a.png", before: base) == "containerkit://cdn.example/x/a.png")
        #expect(image("/a.png", before: base) == "containerkit://cdn.example/a.png")
        #expect(image("b.png", before: base) == nil)
        #expect(
            image("a.png", before: "<base href='HTTPS:\\\\CDN.example:443\\x\\'>")
                == "containerkit://cdn.example/x/a.png")
        #expect(image("a.png", before: "<base href=/>") == "containerkit://shop.example/a.png")
        #expect(image("a.png", before: "<base href='#x'>") == "containerkit://shop.example/dir/a.png")
        // The meaning of relative URLs is not known.
        #expect(image("a.png", before: "<base href=https://me@shop.example/>") == nil)
        let data = "<base href=data:,>"
        #expect(image("https://cdn.example/a.png", before: data) == "containerkit://cdn.example/a.png")
        #expect(image("//cdn.example/a.png", before: data) == nil)
        let long = "<base href=/\(String(repeating: "x", count: 2_048))/>"
        #expect(image("../a.png", before: long) == nil)
    }

    @Test(
        "Attributes that load resources become custom-scheme URLs, with CORS where the element supports it",
        arguments: [
            (
                "<script src=/a.js></script>",
                "<script crossorigin=ANONYMOUS src=containerkit://shop.example/a.js></script>"
            ),
            (
                "<script src=/a.js integrity=sha256-x></script>",
                "<script crossorigin=ANONYMOUS src=containerkit://shop.example/a.js integrity=sha256-x></script>"
            ),
            (
                "<SCRIPT CrossOrigin=use-credentials SRC='/a.js'></SCRIPT>",
                "<SCRIPT CrossOrigin=use-credentials SRC='containerkit://shop.example/a.js'></SCRIPT>"
            ),
            (
                "<script type=' Module' src=/a.js></script>",
                "<script type=' Module' src=containerkit://shop.example/a.js></script>"
            ),
            (
                "<link rel=stylesheet href=/a.css>",
                "<link crossorigin=ANONYMOUS rel=stylesheet href=containerkit://shop.example/a.css>"
            ),
            (
                "<link rel=icon href=/a.png>",
                "<link crossorigin=ANONYMOUS rel=icon href=containerkit://shop.example/a.png>"
            ),
            (
                "<link rel=modulepreload href=/a.js integrity=x>",
                "<link rel=modulepreload href=containerkit://shop.example/a.js integrity=x>"
            ),
            (
                "<link rel=preload as=image imagesrcset='/a.png 1x, /b.png 2x' href=/a.png>",
                "<link crossorigin=ANONYMOUS rel=preload as=image imagesrcset='containerkit://shop.example/a.png 1x, "
                    + "containerkit://shop.example/b.png 2x' href=containerkit://shop.example/a.png>"
            ),
            (
                "<img srcset='/a.png,/b.png 2x, /b.png 3x, /other.png 4x'>",
                "<img crossorigin=ANONYMOUS srcset='/a.png,/b.png 2x, containerkit://shop.example/b.png 3x, "
                    + "/other.png 4x'>"
            ),
            ("<video poster=/a.png src=/a.mp4></video>", "<video poster=/a.png src=/a.mp4></video>"),
            ("<input type=image src=/a.png>", "<input type=image src=containerkit://shop.example/a.png>"),
            ("<body background=/a.png>", "<body background=containerkit://shop.example/a.png>"),
            (
                "<svg><image xlink:href=/a.png /><feImage href=/a.png /></svg>",
                "<svg><image crossorigin=ANONYMOUS xlink:href=containerkit://shop.example/a.png />"
                    + "<feImage href=containerkit://shop.example/a.png /></svg>"
            ),
            (
                "<p style='background:url(/a.png),url(&quot;/b.png&quot;)'>",
                "<p style='background:url(containerkit://shop.example/a.png),"
                    + "url(&quot;containerkit://shop.example/b.png&quot;)'>"
            ),
            (
                "<style>@import '/a.css';p{background:url( /it\\'s\\(1\\).png )}</style>",
                "<style>@import 'containerkit://shop.example/a.css';"
                    + "p{background:url( containerkit://shop.example/it\\'s\\(1\\).png )}</style>"
            ),
        ])
    func attributes(html: String, expected: String) {
        #expect(document(html) == expected)
    }

    @Test(
        "Navigations, nested documents and links that load no held resource are unchanged",
        arguments: [
            "<a href=/page>", "<area href=/page>", "<form action=/page><button formaction=/page>",
            "<iframe src=/page></iframe>",
            "<frame src=/page>", "<object data=/page></object>", "<embed src=/a.png>", "<html manifest=/page>",
            "<link rel=manifest href=/a.js>", "<link rel='icon manifest' href=/a.js>", "<link rel=preconnect href=/>",
            "<link rel=dns-prefetch href=//cdn.example/a.js>", "<link rel=canonical href=/page>", "<link href=/a.css>",
            "<link rel=prerender href=/page>", "<meta http-equiv=refresh content='1;url=/page'>", "<x-y src=/a.png>",
            "<link rel=stylesheet href=/a.css integrity=sha256-x>", "<img data-src=/a.png>",
            "<link rel=preload as=style href=/a.css integrity=sha256-x crossorigin>",
            "<svg><use href='sprite.svg#icon'/><linearGradient xlink:href='sprite.svg#g'/></svg>",
            "<p style='filter:url(sprite.svg#f)' fill='url(sprite.svg#g)'>", "<p style='fill:url(#g)'>",
            "<script>fetch('/a.js')</script>",
            "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"/page\"]}]}</script>",
            "<!-- <img src=/a.png> -->", "<textarea><img src=/a.png></textarea>", "<img src=/a.png",
        ])
    func native(html: String) {
        #expect(document(html) == html)
    }

    @Test(
        "An element is unchanged if CORS would apply to a URL of a server that may not permit it",
        arguments: [
            "<img src=/a.png srcset='https://other.example/a.png 2x'>",
            "<img src=/a.png srcset='//caf\u{E9}.example/ 2x'>",
            "<picture><source srcset=/a.png><img src=//other.example/a.png></picture>",
            "<picture><source srcset=//other.example/a.png><img src=/a.png></picture>",
            "<picture><source srcset=/a.png></picture>",
            "<video poster=/a.png><source src=/a.mp4><track src=/a.vtt></video>", "<audio src=/a.mp4></audio>",
        ])
    func foreignURLs(html: String) {
        #expect(document(html) == html)
    }

    @Test(
        "The children of pictures share the CORS setting",
        arguments: [
            (
                "<picture>\n<source srcset='/a.png 1x'><!-- x --><img src=/other.png></picture><img src=/c.png>",
                "<picture>\n<source srcset='containerkit://shop.example/a.png 1x'><!-- x -->"
                    + "<img crossorigin=ANONYMOUS src=/other.png></picture><img src=/c.png>"
            ),
            (
                "<picture><source srcset=/a.png><source srcset=//other.example/a.png>"
                    + "<img crossorigin=ANONYMOUS src=/b.png></picture>",
                "<picture><source srcset=containerkit://shop.example/a.png><source srcset=//other.example/a.png>"
                    + "<img crossorigin=ANONYMOUS src=containerkit://shop.example/b.png></picture>"
            ),
        ])
    func groups(html: String, expected: String) {
        #expect(document(html) == expected)
    }

    @Test("A document in srcdoc inherits the base URL and may have its own")
    func nestedDocuments() {
        #expect(
            document(
                "<base href=https://cdn.example/x/><iframe srcdoc='<img src=&quot;a.png&quot;><a href=/>'></iframe>")
                == "<base href=https://cdn.example/x/><iframe srcdoc='"
                + "<img crossorigin=ANONYMOUS src=&quot;containerkit://cdn.example/x/a.png&quot;><a href=/>'></iframe>")
        #expect(
            document("<base href=https://cdn.example/><iframe srcdoc='<base href=x/><img src=a.png>'></iframe>")
                == "<base href=https://cdn.example/><iframe srcdoc='<base href=x/>"
                + "<img crossorigin=ANONYMOUS src=containerkit://cdn.example/x/a.png>'></iframe>")
    }

    @Test("Addresses of an import map become custom-scheme URLs; keys, bare addresses and prefixes do not")
    func importMaps() {
        let map = { (text: String) in document("<script type=importmap>\(text)</script>").dropFirst(23).dropLast(9) }
        #expect(
            map(
                "{\"imports\":{\"a\":\"/a.js\",\"/a.js\" : \"../a.js\",\"b\":\"a.js\",\"l/\":\"/lib/\",\"c\":\"/c.js\"}}"
            )
                == "{\"imports\":{\"a\":\"containerkit://shop.example/a.js\",\"/a.js\" : \"containerkit://shop.example/a.js\","
                + "\"b\":\"a.js\",\"l/\":\"/lib/\",\"c\":\"/c.js\"}}")
        #expect(
            map("{\"scopes\":{\"https://cdn.example/a.js\":{\"x\":\"https:\\/\\/cdn.example\\/a.js\"}}}")
                == "{\"scopes\":{\"https://cdn.example/a.js\":{\"x\":\"containerkit://cdn.example/a.js\"}}}")
        let checked = "{\"imports\":{\"a\":\"/a.js\"},\"integrity\":{\"/a.js\":\"sha256-x\"}}"
        #expect(map(checked) == checked)
    }

    @Test("The result is the same for a URL with a fragment, and for a second call")
    func deterministic() {
        let html = "<base href=x/><img src=/a.png><img src='#x'><p style='background:url(/a.png)'>"
        #expect(document(html, at: "https://SHOP.example:443/dir/page#x") == document(html))
        #expect(document(html) == document(html))
        #expect(document("<img src=/a.png>", at: "about:blank") == "<img src=/a.png>")
    }
}

/// HTML, section "Pragma directives", and Content Security Policy Level 3.
@Suite("Policies and fields of documents with held resources", .timeLimit(.minutes(1)))
struct HeldDocumentFieldTests {
    private func meta(_ content: String) -> String {
        "<meta http-equiv=\"content-security-policy\" content=\"\(content)\">"
    }

    @Test(
        "Sources gain their custom-scheme form only",
        arguments: [
            ("default-src 'self'", "default-src 'self' containerkit://shop.example"),
            ("img-src https://cdn.example/x/", "img-src https://cdn.example/x/ containerkit://cdn.example/x/"),
            ("img-src https://cdn.example:443", "img-src https://cdn.example:443 containerkit://cdn.example"),
            (
                "img-src cdn.example *.x.example:8443",
                "img-src cdn.example containerkit://cdn.example *.x.example:8443 "
                    + "containerkit://*.x.example:8443"
            ),
            ("img-src *", "img-src * containerkit: containerkit-http:"),
            ("img-src https: data:", "img-src https: containerkit: data:"),
            (
                "img-src http://cdn.example",
                "img-src http://cdn.example containerkit-http://cdn.example containerkit://cdn.example"
            ),
            ("connect-src wss://shop.example 'none'", "connect-src wss://shop.example 'none'"),
            (
                "script-src 'strict-dynamic' 'nonce-abc' 'sha256-x' 'unsafe-inline'",
                "script-src 'strict-dynamic' 'nonce-abc' 'sha256-x' 'unsafe-inline'"
            ),
            (
                "frame-src 'self'; form-action 'self'; base-uri 'self'; worker-src 'self'",
                "frame-src 'self'; form-action 'self'; base-uri 'self'; worker-src 'self' containerkit://shop.example"
            ),
        ])
    func sources(policy: String, expected: String) {
        #expect(document("", policies: [policy]) == meta(expected))
        let tag = { (policy: String) in "<meta http-equiv=Content-Security-Policy content=\"\(policy)\">" }
        #expect(document(tag(policy)) == tag(expected))
    }

    @Test("An http document permits both custom schemes for its own host")
    func insecureSelf() {
        #expect(
            document("", at: "http://shop.example/", policies: ["img-src 'self' cdn.example:80"])
                == meta(
                    "img-src 'self' containerkit-http://shop.example containerkit://shop.example cdn.example:80 "
                        + "containerkit-http://cdn.example containerkit://cdn.example"))
    }

    @Test("Each policy of the fields has its own element, without the directives that it does not support")
    func policies() {
        #expect(
            document(
                "", policies: ["sandbox; img-src 'none', frame-ancestors 'self'", "REPORT-URI /x; font-src \"&<"])
                == meta("img-src 'none'") + meta("font-src &quot;&amp;&lt;"))
        #expect(
            document("<img src=http://plain.example/b.png>", policies: ["upgrade-insecure-requests"])
                == meta("upgrade-insecure-requests")
                + "<img crossorigin=ANONYMOUS src=containerkit://plain.example/b.png>")
    }

    @Test("Other fields become elements if these can express them")
    func fields() {
        #expect(
            document("x", referrerPolicy: "No-Referrer, unknown") == "<meta name=\"referrer\" content=\"no-referrer\">x"
        )
        #expect(document("x", referrerPolicy: "unknown", contentLanguage: "de, en", refresh: "") == "x")
        #expect(
            document("x", contentLanguage: "de", refresh: "1; url=\"/a\"")
                == "<meta http-equiv=\"content-language\" content=\"de\">"
                + "<meta http-equiv=\"refresh\" content=\"1; url=&quot;/a&quot;\">x")
    }

    @Test(
        "Elements are inserted as the first content of the head",
        arguments: [
            (
                "<!doctype html>\n<html lang=x>\n<!-- y --><HEAD style='background:url(/a.png)'><title>|</title>",
                "<!doctype html>\n<html lang=x>\n<!-- y --><HEAD style='background:url(containerkit://shop.example/a.png)'>"
                    + "^<title>|</title>"
            ),
            ("<!doctype html><title>x</title><head>", "<!doctype html>^<title>x</title><head>"),
            ("<html> <body>", "<html> ^<body>"), (" x<head>", "^ x<head>"),
            ("\u{FEFF} <html><head>", "\u{FEFF} <html><head>^"),
            ("\u{FEFF}x", "\u{FEFF}^x"), ("</p><head>", "^</p><head>"),
            ("<?xml version=1.0?><base href=/>", "<?xml version=1.0?>^<base href=/>"),
            ("", "^"), ("<!doctype html>", "<!doctype html>^"), ("<head", "^<head"),
            ("<header><head>", "^<header><head>"),
            ("<head><img src=/a.png>", "<head>^<img crossorigin=ANONYMOUS src=containerkit://shop.example/a.png>"),
        ])
    func place(html: String, expected: String) {
        let element = "<meta name=\"referrer\" content=\"origin\">"
        #expect(document(html, referrerPolicy: "origin") == expected.replacing("^", with: element))
        #expect(document(html) == expected.replacing("^", with: ""))
    }
}

/// A style sheet with a custom-scheme URL: relative URLs resolve to custom-scheme URLs.
@Suite("Held resources in style sheets", .timeLimit(.minutes(1)))
struct HeldStyleSheetTests {
    @Test(
        "URLs of held resources resolve to custom-scheme URLs, all others to real URLs",
        arguments: [
            ("a.png", "a.png"), ("../a.png", "../a.png"), ("/a.png", "/a.png"), ("x/../a.png", "x/../a.png"),
            ("?v", "?v"), ("caf\u{E9}.png", "caf\u{E9}.png"),
            ("https://shop.example/a.png", "containerkit://shop.example/a.png"),
            ("//cdn.example/a.png", "containerkit://cdn.example/a.png"),
            ("https:a.png", "containerkit://shop.example/css/a.png"),
            ("containerkit://cdn.example/a.png", "containerkit://cdn.example/a.png"),
            ("other.png", "https://shop.example/css/other.png"),
            ("../other.png", "https://shop.example/css/../other.png"),
            ("/other.png", "https://shop.example/other.png"), ("?w", "https://shop.example/css/a.css?w"),
            ("//other.example/a.png", "https://other.example/a.png"), ("//me@x.example/", "https://me@x.example/"),
            ("https:other.png", "https://shop.example/css/other.png"),
            ("containerkit://other.example/a.png", "https://other.example/a.png"),
            ("containerkit-http://other.example/a.png", "http://other.example/a.png"),
            ("https://other.example/a.png", "https://other.example/a.png"), ("http:x.example", "http:x.example"),
            ("data:,x", "data:,x"), ("#x", "#x"), ("", ""), ("caf\u{E8}.png", "https://shop.example/css/caf\u{E8}.png"),
            // An SVG element must have the document's origin.
            ("a.png#x", "https://shop.example/css/a.png#x"), ("a.png#", "a.png#"),
        ])
    func references(reference: String, expected: String) {
        #expect(styleSheet("p{background:url(\(reference))}") == "p{background:url(\(expected))}")
        #expect(styleSheet("@import \"\(reference)\";") == "@import \"\(expected)\";")
    }

    @Test("References of a redirected style sheet resolve against its final URL")
    func redirects() {
        let moved = { (reference: String) in styleSheet("url(\(reference))", at: "https://shop.example/new/a.css") }
        #expect(moved("a.png") == "url(containerkit://shop.example/new/a.png)")
        #expect(moved("../a.png") == "url(containerkit://shop.example/a.png)")
        #expect(moved("/a.png") == "url(/a.png)")
        #expect(moved("other.png") == "url(https://shop.example/new/other.png)")
        let foreign = { (reference: String) in styleSheet("url(\(reference))", at: "https://cdn.example/a.css") }
        #expect(foreign("/a.png") == "url(containerkit://cdn.example/a.png)")
        #expect(foreign("//shop.example/a.png") == "url(containerkit://shop.example/a.png)")
        #expect(foreign("?v") == "url(https://cdn.example/a.css?v)")
    }

    @Test("Characters beyond ASCII name held resources in UTF-8 only")
    func charsets() {
        let real = "url(https://shop.example/css/caf\u{E9}.png)"
        #expect(styleSheet("url(caf\u{E9}.png)", charset: "UTF-8") == "url(caf\u{E9}.png)")
        #expect(styleSheet("url(caf\u{E9}.png)", charset: "windows-1252") == real)
        #expect(styleSheet("@charset \"windows-1252\";url(caf\u{E9}.png)") == "@charset \"windows-1252\";" + real)
        #expect(styleSheet("\u{FEFF}url(caf\u{E9}.png)", charset: "windows-1252") == "\u{FEFF}url(caf\u{E9}.png)")
        #expect(styleSheet("url(other.png)", charset: "utf-16le") == "url(other.png)")
        // The second byte of a character of Shift_JIS is not a backslash.
        let written = Data("url(".utf8) + [0x95, 0x5C] + Data(".png)".utf8)
        let data = rewriter.styleSheet(
            written, at: "https://shop.example/a.css", requestedURL: "https://shop.example/a.css", charset: "shift_jis")
        #expect(data == Data("url(https://shop.example/".utf8) + [0x95, 0x5C] + Data(".png)".utf8))
    }

    @Test("Escapes are kept valid, and other text is unchanged")
    func text() {
        let unchanged = "/* url(x) */@namespace url(http://x.example/a);p{content:\"x.png\"}"
        #expect(styleSheet(unchanged) == unchanged)
        #expect(
            styleSheet("url(it\\'s\\).png)url('/it\\'s(1).png')")
                == "url(https://shop.example/css/it\\'s\\).png)url('/it\\'s(1).png')")
        #expect(
            styleSheet("image-set('a.png' 1x, 'x.png' 2x)")
                == "image-set('a.png' 1x, 'https://shop.example/css/x.png' 2x)")
    }
}
