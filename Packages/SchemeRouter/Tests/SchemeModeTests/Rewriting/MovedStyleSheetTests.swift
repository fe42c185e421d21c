// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

/// The engine does not see redirects, so it would resolve relative URLs of a style sheet against the requested URL.
@Suite("Redirected style sheets", .timeLimit(.minutes(1)))
struct MovedStyleSheetTests {
    private let asked = "https://cdn.example/a/x.css?1"

    /// Returns the style sheet that was requested at `asked` and redirected to `place`.
    private func moved(_ css: String, to place: String, isStream: Bool = false) async throws -> String {
        let files = Files([
            asked: .init(type: "text/plain", text: "", fields: [.location: "/hop"], status: .found),
            "https://cdn.example/hop": .init(
                type: "text/plain", text: "", fields: [.location: place], status: .movedPermanently),
            place: .init(type: "text/css", text: css, isStream: isStream),
        ])
        let loader = RewritingLoader(RedirectFollower(files, names: .standard), names: .standard) { url, _ in
            isCovered(url)
        }
        let page = PageReference(id: PageID(rawValue: 1), documentURL: "https://shop.example/")
        let request = ResourceRequest(
            try #require(HTTPRequest(urlText: asked)), destination: .subresource,
            page: PageAttribution(page, confidence: .exact))
        return String(decoding: try await #require(loader.load(request)).body.collect(upTo: 1_000), as: UTF8.self)
    }

    @Test("Relative URLs become absolute", arguments: [false, true])
    func relative(isStream: Bool) async throws {
        for (css, expected) in [
            ("@import 'more.css';", "@import 'containerkit://cdn.example/b/c/more.css';"),
            ("a{b:url(x.png)}", "a{b:url(containerkit://cdn.example/b/c/x.png)}"),
            ("a{b:url( \"../x.png\" )}", "a{b:url( \"containerkit://cdn.example/b/c/../x.png\" )}"),
            ("a{b:url(?q#f)}", "a{b:url(containerkit://cdn.example/b/c/y.css?q#f)}"),
            ("a{b:image-set('x' 1x)}", "a{b:image-set('containerkit://cdn.example/b/c/x' 1x)}"),
            ("a{b:url(\\78.png)}", "a{b:url(containerkit://cdn.example/b/c/\\78.png)}"),
            ("a{b:url(a:b)}", "a{b:url(a:b)}"),
            ("a{b:url(https:x.png)}", "a{b:url(containerkit://cdn.example/b/c/x.png)}"),
            ("a{b:url('\\5cx.png')}", "a{b:url('/x.png')}"),
            // URLs that resolve equally against both URLs, fragments, and absolute URLs.
            ("a{b:url(/x.png)}", "a{b:url(/x.png)}"), ("a{b:url(#f)}", "a{b:url(#f)}"), ("a{b:url()}", "a{b:url()}"),
            ("a{b:url('')}", "a{b:url('')}"), ("a{b:url(data:,x)}", "a{b:url(data:,x)}"),
            ("a{b:url(blob:x)}", "a{b:url(blob:x)}"), ("a{b:url(//cdn.example/x)}", "a{b:url(//cdn.example/x)}"),
            ("a{b:url(//other.example/x)}", "a{b:url(https://other.example/x)}"),
            ("a{b:url(https://cdn.example/x)}", "a{b:url(containerkit://cdn.example/x)}"),
            ("/* url(x) */", "/* url(x) */"),
        ] {
            let result = try await moved(css, to: "https://cdn.example/b/c/y.css?2", isStream: isStream)
            #expect(result == expected)
        }
    }

    @Test("URLs of another origin become real URLs if they are not covered")
    func elsewhere() async throws {
        let css = "a{b:url(x.png),url(/y.png),url(app/z.png)}"
        #expect(
            try await moved(css, to: "https://other.example/b/y.css")
                == "a{b:url(https://other.example/b/x.png),url(https://other.example/y.png),url(https://other.example/b/app/z.png)}"
        )
        #expect(
            try await moved(css, to: "https://part.example/y.css")
                == "a{b:url(https://part.example/x.png),url(https://part.example/y.png),url(containerkit://part.example/app/z.png)}"
        )
    }

    @Test("Within a folder, only references to the file itself change")
    func sameFolder() async throws {
        let css = "@import 'x.css';a{b:url(../x.png),url(/y),url(?q)}"
        #expect(
            try await moved(css, to: "https://cdn.example/a/y.css")
                == css.replacing("url(?q)", with: "url(containerkit://cdn.example/a/y.css?q)"))
    }

    @Test("Brackets and quotation marks of a folder are escaped")
    func escaping() async throws {
        #expect(
            try await moved("a{b:url(x),url('y')}", to: "https://cdn.example/(b)/'c'/y.css")
                == "a{b:url(containerkit://cdn.example/\\(b\\)/\\'c\\'/x),url('containerkit://cdn.example/\\(b\\)/\\'c\\'/y')}"
        )
    }
}
