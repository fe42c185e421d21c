// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import SchemeRouter

@Suite("Cookies of a URL session", .timeLimit(.minutes(1)))
struct SessionCookieTests {
    @Test(
        "A path matches the path of a cookie by bytes (RFC 6265, section 5.1.4)",
        arguments: [
            ("/", "/", true), ("/a", "/", true), ("/a/b", "/a", true), ("/a/b", "/a/", true), ("/a", "/a", true),
            ("/ab", "/a", false), ("/a", "/a/", false), ("/a", "/b", false), ("/a/\u{301}b", "/a", true),
            ("/K", "/\u{212A}", false), ("/\u{E9}", "/e\u{301}", false), ("/\u{E9}/a", "/\u{E9}", true),
        ])
    func paths(path: String, cookie: String, isMatching: Bool) {
        #expect(SessionCookies.matches(path[...], cookie) == isMatching)
    }
}
