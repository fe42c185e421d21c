// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import Testing

@_spi(Packaging) @testable import PackageFormat

@Suite(.timeLimit(.minutes(1)))
struct PackageURLTests {
    @Test(
        arguments: [
            ("https://h.example/a/b.js", "https://h.example", "/a/b.js"),
            ("https://h.example", "https://h.example", "/"),
            ("https://h.example?q=/x", "https://h.example", "/"),
            ("https://h.example/a?b=/c#d", "https://h.example", "/a"),
            ("https://h.example/a#b?c", "https://h.example", "/a"),
            ("HTTPS://H.Example/A", "https://h.example", "/A"),
            ("https://h.example:443/", "https://h.example", "/"),
            ("https://h.example:0443/", "https://h.example", "/"),
            ("https://h.example:/", "https://h.example", "/"),
            ("http://h.example:80/", "http://h.example", "/"),
            ("https://h.example:80/", "https://h.example:80", "/"),
            ("http://h.example:8080/", "http://h.example:8080", "/"),
            ("https://[::1]/x", "https://[::1]", "/x"),
            ("https://[::1]:8443/x", "https://[::1]:8443", "/x"),
            ("https://h.example/%61%2e%2E/%C3%BC", "https://h.example", "/a../ü"),
            // The path is decoded once, and the result is a file name.
            ("https://h.example/%252F", "https://h.example", "/%2F"),
            ("https://h.example/a%3Fb%23c+d", "https://h.example", "/a?b#c+d"),
        ])
    func acceptsValidURLs(_ url: String, _ origin: String, _ path: String) throws {
        let parsed = try #require(PackageURL(url))
        #expect(parsed.origin == origin)
        #expect(parsed.path == path)
    }

    @Test(
        arguments: [
            "", "https", "https:", "https:h.example/", "ftp://h.example/", "httpx://h.example/", "https:///a",
            "https://user@h.example/", "https://h.example:x/", "https://h.example:123456/", "https://:443/",
            "https://h.example/a%2Fb", "https://h.example/a%2fb", "https://h.example/a%00b", "https://h.example/a\0b",
            "https://h.example/a%", "https://h.example/a%2", "https://h.example/a%zz", "https://h.example/%ff",
            "https://h.example/%C3", "https://h.example:1:/", "https://h.example:1:2/", "https://[::1/",
            "https://[::1:/",
            "https://::1]/", "https://[::1]x/", "https://[]/", "https://[[::1]]/", "https://h[1]/",
        ])
    func rejectsInvalidURLs(_ url: String) {
        #expect(PackageURL(url) == nil)
    }

    @Test func matchesRequestURL() {
        let request = HTTPRequest(method: .get, scheme: "https", authority: "H.example:443", path: "/a%20b?c")
        #expect(PackageURL(request) == PackageURL("https://h.example/a%20b"))
        #expect(PackageURL(HTTPRequest(method: .get, scheme: nil, authority: "h", path: "/")) == nil)
        #expect(PackageURL(HTTPRequest(method: .get, scheme: "https", authority: nil, path: "/")) == nil)
        // The asterisk of OPTIONS is not a path.
        #expect(PackageURL(HTTPRequest(method: .get, scheme: "https", authority: "h", path: "*")) == nil)
        #expect(PackageURL(HTTPRequest(method: .get, scheme: "https", authority: "h", path: nil))?.path == "/")
    }
}
