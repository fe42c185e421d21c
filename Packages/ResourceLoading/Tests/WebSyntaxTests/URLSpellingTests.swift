// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing
import WebSyntax

@Suite("URL spelling", .timeLimit(.minutes(1)))
struct URLSpellingTests {
    @Test(
        "Characters that are not allowed are escaped, and escapes are not escaped again",
        arguments: [
            ("https://h/a%20|b", "https://h/a%20%7Cb"), ("https://h/?a[]=1&b=%20", "https://h/?a%5B%5D=1&b=%20"),
            ("https://h/%25|", "https://h/%25%7C"), ("https://h/%zz%2", "https://h/%25zz%252"),
            ("https://h/%", "https://h/%25"),
            ("https://h/a b\"<>\\^`{}", "https://h/a%20b%22%3C%3E%5C%5E%60%7B%7D"),
            ("https://h/é?é#é", "https://h/%C3%A9?%C3%A9#%C3%A9"), ("https://h/#a#b[", "https://h/#a%23b%5B"),
            ("https://[::1]:8080/[", "https://[::1]:8080/%5B"), ("https://u:p@h?|", "https://u:p@h?%7C"),
            ("//[::1]/|", "//[::1]/%7C"), ("a|b", "a%7Cb"), ("?[", "?%5B"), ("/x//[", "/x//%5B"), ("a//[", "a//%5B"),
            ("https://h/\n\0", "https://h/%0A%00"),
        ])
    func encoded(text: String, expected: String) throws {
        #expect(URLSpelling.strict(text) == expected)
        // The result is a fixed point, and Foundation does not change it.
        #expect(URLSpelling.strict(expected) == expected)
        #expect(URL(string: expected)?.absoluteString == expected)
    }

    @Test(
        "Dot segments are removed from a path, including escaped ones",
        arguments: [
            ("/", "/"), ("/a/b", "/a/b"), ("/a//b/", "/a//b/"), ("/a/../b", "/b"), ("/a/./b/.", "/a/b/"),
            ("/a/b/..", "/a/"), ("/../..", "/"), ("/a/%2e%2E/b", "/b"), ("/a/.%2e", "/"), ("/%2e/a", "/a"),
            ("/a/...", "/a/..."), ("/a/..b/.c", "/a/..b/.c"), ("/%2", "/%2"), ("/%2e%2e%2e", "/%2e%2e%2e"),
            ("/a/%2F../b", "/a/%2F../b"),
        ])
    func dots(path: String, expected: String) {
        #expect(URLSpelling.withoutDots(path) == expected)
        #expect(URLSpelling.withoutDots(expected) == expected)
    }

    @Test(
        "References resolve to HTTP URLs only",
        arguments: [
            ("e", "https://h/b/e"), ("/e?f#g", "https://h/e?f#g"), ("//i/x", "https://i/x"),
            ("../a|%20", "https://h/a|%20"), ("HTTP://i", "HTTP://i/"), ("mailto:x", nil), ("javascript:x", nil),
            ("?[]", "https://h/b/c?[]"), ("#[]", "https://h/b/c?d|#[]"), ("", "https://h/b/c?d|"),
            ("x^y?^'z", "https://h/b/x%5Ey?^%27z"), ("..\\x?\\", "https://h/x?\\"), ("a/%2e%2E/b", "https://h/b/b"),
            ("//u:p@[::1]:80/", "https://u:p@[::1]:80/"), ("//i?x", "https://i/?x"), ("/a://b", "https://h/a://b"),
            ("//", nil), ("https:", nil), ("https:///x", nil), ("//a b/", nil), ("//i\\y", nil), ("x:y", nil),
        ] as [(String, String?)])
    func resolved(reference: String, expected: String?) {
        #expect(URLSpelling.resolve(reference, against: "https://h/b/c?d|") == expected)
        #expect(URLSpelling.resolve(reference, against: "app://h/b/c?d|")?.hasPrefix("app:") != true)
    }

    @Test(
        "The escapes are those of the URL parser",
        arguments: [
            ("https://h/\"#", "https://h/%22#"), ("https://h/ <>^`{}é", "https://h/%20%3C%3E%5E%60%7B%7D%C3%A9"),
            ("https://h/!$%&'()*+,;=:@[]|~%zz", "https://h/!$%&'()*+,;=:@[]|~%zz"), ("https://h/\\", "https://h//"),
            ("https://h/?\"<>'é ", "https://h/?%22%3C%3E%27%C3%A9%20"),
            ("https://h/?!$%&()*+,;=:@[\\]^`{|}~%zz?", "https://h/?!$%&()*+,;=:@[\\]^`{|}~%zz?"),
            ("https://h/#\"<>` ", "https://h/#%22%3C%3E%60%20"), ("https://h/#'[]^{|}#?", "https://h/#'[]^{|}#?"),
            ("https://[::1]/[", "https://[::1]/["), ("a|b^", "a|b%5E"), ("https://h/\n", "https://h/%0A"),
        ])
    func standard(text: String, expected: String) {
        #expect(URLSpelling.standard(text) == expected)
        #expect(URLSpelling.standard(expected) == expected)
    }

    @Test(
        "Allowed characters stay unchanged",
        arguments: [
            "", "/", "https://h", "https://h/a/../b//c;d=e?f=g/h?i&'(*)!$+,:@~_-.#j/k?l", "https://[::1]/%2F?%3f#%23",
            "javascript:alert(1)", "data:text/html,x",
        ])
    func untouched(text: String) {
        #expect(URLSpelling.strict(text) == text)
    }
}
