// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
@_spi(Fuzzing) import SchemeMode
import Testing

@Suite("Pieces of any size", .timeLimit(.minutes(5)))
struct PieceTests {
    private static let documents = [
        "<!DOCTYPE html><!-- a --!><html><head><base href='https://cdn.example/'><link rel=stylesheet href=//other.example/a.css>"
            + "<style>/* ' */@import \"https://cdn.example/b.css\";a{b:u\\72l( https\\3a //cdn.example/x );c:'\\\"'}</style>"
            + "<script type=importmap>{\"imports\":{\"a\":\"https:\\/\\/cdn.example/a.js\"}}</script>"
            + "<script><!-- <script> '</script>' --> https://cdn.example/ </script></head>",
        "<body style=\"background:url(&quot;https&colon;//cdn.example/x&quot;)\"><img srcset='https://cdn.example/a 1x, b 2x' src=https://cdn.example/x>"
            + "<svg><![CDATA[ <a href=https://cdn.example/> ]]><style>a{b:image-set('https://cdn.example/x' 1x)}</style></svg>"
            + "<iframe srcdoc='&lt;img src=\"https://cdn.example/x\">'></iframe><textarea></text</textarea ><a href=https:\\\\shop.example/ >",
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'self' https:; report-uri /r\"></><?x><!x></ x><img src='https://cdn.example/\u{E9}'",
    ]

    private static let sheets = [
        "@charset \"utf-8\";@import/* */'https://cdn.example/a';@namespace url(https://cdn.example/n);",
        "a{b:u\\000072 l(\thttps://cdn.exam\\70\r\nle/x\\29 );c:-webkit-image-set( \"https://cdn.example/x\" 1.5e+3x , url('https://cdn.example/y'))}",
        "'\\\r\n' \"a\nb{c:url(https://cdn.example/x y)}d{e:url(//other.example/z)}\\66oo{f:src('https://cdn.example/x",
    ]

    @Test("A document is rewritten equally for every division into pieces", arguments: documents)
    func documentsSplit(text: String) {
        let bytes = Data(text.utf8)
        var rewriter = HTMLRewriter(shopContext())
        let whole = rewriter.rewrite(bytes)
        #expect(whole != bytes)
        for index in 0...bytes.count {
            var rewriter = HTMLRewriter(shopContext())
            #expect(rewriter.rewrite(pieces: [bytes.prefix(index), bytes.dropFirst(index)]) == whole, "at \(index)")
        }
        for step in 1...7 {
            var rewriter = HTMLRewriter(shopContext())
            let pieces = stride(from: 0, to: bytes.count, by: step).map { bytes[$0..<min($0 + step, bytes.count)] }
            #expect(rewriter.rewrite(pieces: pieces) == whole, "by \(step)")
        }
    }

    @Test("A style sheet is rewritten equally for every division into pieces", arguments: sheets)
    func sheetsSplit(text: String) {
        let bytes = Data(text.utf8)
        var rewriter = CSSRewriter(shopContext())
        let whole = rewriter.rewrite(bytes)
        #expect(whole != bytes)
        for index in 0...bytes.count {
            var rewriter = CSSRewriter(shopContext())
            #expect(rewriter.rewrite(pieces: [bytes.prefix(index), bytes.dropFirst(index)]) == whole, "at \(index)")
        }
        for step in 1...7 {
            var rewriter = CSSRewriter(shopContext())
            let pieces = stride(from: 0, to: bytes.count, by: step).map { bytes[$0..<min($0 + step, bytes.count)] }
            #expect(rewriter.rewrite(pieces: pieces) == whole, "by \(step)")
        }
    }

    @Test("Finished output is returned immediately")
    func flow() {
        var rewriter = HTMLRewriter(shopContext())
        #expect(rewriter.feed(Data("<p>text <a hr".utf8)) == Data("<p>text ".utf8))
        #expect(rewriter.feed(Data("ef=x>more".utf8)) == Data("<a href=x>more".utf8))
        #expect(rewriter.feed(Data("<!-- comment".utf8)) == Data("<!-- comment".utf8))
        #expect(rewriter.finish().isEmpty)
    }

    @Test("Real sites without covered URLs are unchanged")
    func realSites() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../../../build/sites")
        guard let files = FileManager.default.enumerator(at: root.standardizedFileURL, includingPropertiesForKeys: nil)
        else {
            return
        }
        let context = RewritingContext(names: .standard, url: "https://shop.example/") { _, _ in false }
        var count = 0
        for case let file as URL in files where ["html", "css", "svg"].contains(file.pathExtension) {
            let bytes = try Data(contentsOf: file)
            // References with a host and without a scheme are edited.
            guard count < 60, bytes.range(of: Data("\"//".utf8)) == nil, bytes.range(of: Data("(//".utf8)) == nil else {
                continue
            }
            var rewriter: any TextRewriting =
                file.pathExtension == "css"
                ? CSSRewriter(context) : HTMLRewriter(context, syntax: file.pathExtension == "svg" ? .xml : .html)
            #expect(
                rewriter.rewrite(
                    pieces: stride(from: 0, to: bytes.count, by: 4_096).map { bytes[$0..<min($0 + 4_096, bytes.count)] }
                ) == bytes, "\(file.path)")
            count += 1
        }
        if count == 0 { print("skipped: no sites in build/sites (Scripts/prepare-sites)") }
    }
}
