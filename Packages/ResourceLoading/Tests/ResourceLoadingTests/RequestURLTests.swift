// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import Testing

@Suite("Requests from URLs")
struct RequestURLTests {
    @Test(
        "What a URL becomes",
        arguments: [
            ("https://shop.example/a?b#c", "https://shop.example/a?b"),
            ("HTTPS://SHOP.example", "https://shop.example/"),
            ("http://h:80?q", "http://h:80/?q"), ("x://h/%2F%00", "x://h/%2F%00"),
        ])
    func parts(text: String, urlText: String) throws {
        #expect(try #require(HTTPRequest(urlText: text)).urlText == urlText)
    }

    @Test(
        "What is no hierarchical URL",
        arguments: ["", "a", "about:blank", "://h/", "https:///x", "https:h", "#https://h/"])
    func refused(text: String) {
        #expect(HTTPRequest(urlText: text) == nil)
    }

    @Test("A page knows its generation of a package")
    func generations() {
        let pin = GenerationReference(package: "shop", number: 3)
        let page = PageReference(id: PageID(rawValue: 1), documentURL: "https://h/", generations: [pin])
        #expect(page.generation(of: "shop") == pin && page.generation(of: "other") == nil)
    }
}
