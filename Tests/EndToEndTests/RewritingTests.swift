// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import PackageFormat
import ProgramTesting
import Testing

extension RealEngine {
    /// A page that names its own host in full.
    @Suite("Absolute URLs, in a page", .timeLimit(.minutes(2)))
    struct RewritingTests {
        @Test("Pictures, style sheets and what they import come by the container, by the page's policy and integrity")
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
    }
}
