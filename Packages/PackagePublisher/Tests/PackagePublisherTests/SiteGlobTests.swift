// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageFormat
import Testing

@testable import PackagePublisher

@Suite("Site globs", .timeLimit(.minutes(1)))
struct SiteGlobTests {
    @Test(
        "A pattern matches paths",
        arguments: [
            ("*.map", "app.js.map", true), ("*.map", "js/app.js.map", true), ("*.map", "map", false),
            ("/*.map", "app.js.map", true), ("/*.map", "js/app.js.map", false),
            ("js/*.map", "js/a.map", true), ("js/*.map", "js/b/a.map", false), ("js/*.map", "x/js/a.map", false),
            ("js/**", "js/a/b.map", true), ("js/**", "js", false), ("js/**.map", "js/a/b.map", true),
            ("**/test/*.js", "test/a.js", true), ("**/test/*.js", "a/b/test/a.js", true),
            ("**/test/*.js", "latest/a.js", false),
            ("a/**/b", "a/b", true), ("a/**/b", "a/x/y/b", true), ("a/**/b", "a/xb", false),
            ("?.js", "a.js", true), ("?.js", "é.js", true), ("?.js", "ab.js", false), ("a?b/c", "a/b/c", false),
            ("[slug].js", "[slug].js", true), ("[slug].js", "s.js", false), ("A.js", "a.js", false),
            ("e\u{301}.js", "\u{E9}.js", true), ("a*", "a", true), ("a**", "ab", true), ("*", "x/y", true),
            ("*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
            ("*/\u{301}x", "a/\u{301}x", true),
        ])
    func matches(_ pattern: String, _ path: String, _ isMatch: Bool) throws {
        #expect(try SiteGlob(pattern).matches(path, isFolder: false) == isMatch)
        #expect(try SiteGlob(pattern).matches(path, isFolder: true) == isMatch)
        #expect(try !SiteGlob(pattern + "/").matches(path, isFolder: false))
    }

    @Test("A slash at the end limits a pattern to folders at any depth")
    func folders() throws {
        let glob = try SiteGlob("test/")
        #expect(glob.matches("test", isFolder: true) && glob.matches("a/test", isFolder: true))
        #expect(!glob.matches("test", isFolder: false))
    }

    @Test("Invalid patterns are rejected", arguments: ["", "/", "//a", "a//", "a\\b", "a\n", "***", "a/***/b"])
    func invalid(_ pattern: String) {
        #expect(throws: PackageError.self) { try SiteGlob(pattern) }
    }

    @Test("A long pattern is rejected")
    func long() throws {
        _ = try SiteGlob(String(repeating: "a", count: 1_024))
        #expect(throws: PackageError.self) { try SiteGlob(String(repeating: "a", count: 1_025)) }
    }
}
