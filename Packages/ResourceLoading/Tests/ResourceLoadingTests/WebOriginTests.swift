// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import Testing

@Suite("Origins of URLs", .timeLimit(.minutes(1)))
struct WebOriginTests {
    @Test(
        "Only the default port of the scheme is removed",
        arguments: [
            ("https://h:443/a", "https://h"), ("https://h:80/", "https://h:80"), ("wss://h:443", "wss://h"),
            ("wss://h:80", "wss://h:80"), ("http://h:80", "http://h"), ("http://h:443", "http://h:443"),
            ("ws://h:80/socket", "ws://h"), ("ws://h:443", "ws://h:443"), ("app://h:443", "app://h:443"),
            ("app://h:80", "app://h:80"), ("app://h", "app://h"), ("https://u:p@[::1]:443", "https://[::1]"),
            ("HTTPS://H:443", "https://h"),
        ])
    func defaultPort(url: String, origin: String) {
        #expect(WebOrigin(url: url)?.description == origin)
        #expect(HTTPRequest(urlText: url)?.webOrigin?.description == origin)
    }

    @Test("Only the case of ASCII letters is ignored, and origins are compared by bytes")
    func bytes() throws {
        // U+212A KELVIN SIGN has the lowercase form k.
        for url in ["https://\u{212A}.example", "https://\u{C9}.example"] {
            #expect(WebOrigin(url: url)?.description.utf8.elementsEqual(url.utf8) == true)
            #expect(HTTPRequest(urlText: url)?.authority?.utf8.elementsEqual(url.utf8.dropFirst(8)) == true)
        }
        #expect(WebOrigin(url: "https://K.example") == WebOrigin(url: "https://k.example"))
        let origins = try ["\u{E9}", "e\u{301}", "k", "\u{212A}"].map {
            try #require(WebOrigin(url: "https://\($0).example"))
        }
        #expect(Set(origins).count == origins.count)
    }

    @Test("A URL without a host has no origin", arguments: ["https://:443", "http://:80", "https:///a", "app://"])
    func missingHost(url: String) {
        #expect(WebOrigin(url: url) == nil)
    }
}
