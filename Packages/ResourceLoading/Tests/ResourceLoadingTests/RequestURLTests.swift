// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import Testing

@Suite("Requests from URLs", .timeLimit(.minutes(1)))
struct RequestURLTests {
    @Test(
        "Valid URLs are normalized",
        arguments: [
            ("https://shop.example", "https://shop.example/"),
            ("https://shop.example/", "https://shop.example/"),
            ("HTTPS://Shop.Example/Path", "https://shop.example/Path"),
            ("http://127.0.0.1:8080/a/b?c=d&e", "http://127.0.0.1:8080/a/b?c=d&e"),
            ("https://shop.example?q=/", "https://shop.example/?q=/"),
            ("https://shop.example/a?b#c?d", "https://shop.example/a?b"),
            ("https://shop.example#/a", "https://shop.example/"),
            ("https://[2001:DB8::1]:443/x", "https://[2001:db8::1]:443/x"),
            ("https://User:Pass@Host/", "https://User:Pass@host/"),
            ("containerkit://shop.example/%2F", "containerkit://shop.example/%2F"),
            ("https://shop.example//a/../b", "https://shop.example//a/../b"),
        ])
    func readable(text: String, written: String) throws {
        let request = try #require(HTTPRequest(urlText: text))
        #expect(request.urlText == written)
        #expect(request.method == .get)
        // The result can be parsed again and does not change.
        #expect(try #require(HTTPRequest(urlText: written)).urlText == written)
    }

    @Test(
        "Texts that are not absolute URLs with a host are rejected",
        arguments: [
            "", "/", "//shop.example/", "shop.example", "https:", "https:/shop.example", "https:///path", "https://?q",
            "https://#f", "://shop.example/", "javascript:alert(1)", "data:text/html,x", "about:blank", "#https://a/",
            "mailto:a@b?x=://y", "/go?to=http://b/", " http://h/", "1http://h/", "ht tp://h/", "h\u{e9}://h/",
            "+a://h/",
        ])
    func refused(text: String) {
        #expect(HTTPRequest(urlText: text) == nil)
    }

    @Test("The components are separated")
    func parts() throws {
        let request = try #require(
            HTTPRequest(method: .post, urlText: "http://a.example:81/b?c#d", headerFields: [.accept: "e"]))
        #expect(request.method == .post)
        #expect(request.scheme == "http")
        #expect(request.authority == "a.example:81")
        #expect(request.path == "/b?c")
        #expect(request.headerFields == [.accept: "e"])
    }

    @Test(
        "A combining mark does not hide the separator before it",
        arguments: [
            ("https://evil.example/\u{301}.shop.example/", "evil.example"),
            ("https://evil.example?\u{301}.shop.example/", "evil.example"),
            ("https://evil.example#\u{301}.shop.example/", "evil.example"),
            ("https://\u{301}evil.example/", "\u{301}evil.example"),
        ])
    func combiningMarks(text: String, authority: String) throws {
        #expect(try #require(HTTPRequest(urlText: text)).authority == authority)
    }
}
