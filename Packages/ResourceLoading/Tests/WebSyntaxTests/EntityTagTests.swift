// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

/// Tests of RFC 9110, section 8.8.3.
@Suite(.timeLimit(.minutes(1)))
struct EntityTagTests {
    @Test(
        arguments: [
            ("\"a\"", "a", false), ("W/\"a\"", "a", true), ("\"\"", "", false), (" \"a\" ", "a", false),
            ("\"a,b\\\"", "a,b\\", false), ("\"é!~\"", "é!~", false),
        ])
    func `Parses strong and weak tags`(text: String, opaque: String, isWeak: Bool) throws {
        let tag = try #require(EntityTag(text))
        #expect(tag.opaque == opaque)
        #expect(tag.isWeak == isWeak)
        #expect(EntityTag(tag.description) == tag)
    }

    @Test(
        arguments: [
            "", "a", "W/a", "w/\"a\"", "W/ \"a\"", "\"a", "a\"", "\"a\"b", "\"a b\"", "\"a\t\"", "\"a\u{7F}\"",
            "\"a\"\"",
            "*", "\"a\", \"b\"", "'a'",
        ])
    func `A tag has quotation marks and no blanks`(text: String) {
        #expect(EntityTag(text) == nil)
    }

    @Test func `Weak tags match only in weak comparison`() throws {
        let strong = try #require(EntityTag("\"1\""))
        let weak = try #require(EntityTag("W/\"1\""))
        let other = try #require(EntityTag("\"2\""))
        #expect(strong.matchesStrongly(strong) && strong.matchesWeakly(weak) && weak.matchesWeakly(weak))
        #expect(!weak.matchesStrongly(weak) && !strong.matchesStrongly(weak) && !strong.matchesWeakly(other))
    }

    @Test(
        arguments: [
            ("\"a\", W/\"b\"", ["\"a\"", "W/\"b\""]), (",, \"a\" ,\t\"b\",", ["\"a\"", "\"b\""]),
            ("\"a,b\", \"c\\\", \"d\"", ["\"a,b\"", "\"c\\\"", "\"d\""]), ("\"a\", b, \"c\"", ["\"a\""]),
            ("\"a\" \"b\"", ["\"a\""]), ("", []), ("*", []), ("a", []),
        ])
    func `A list is read up to its first invalid member`(text: String, tags: [String]) {
        #expect(EntityTag.list(text).map(\.description) == tags)
    }
}
