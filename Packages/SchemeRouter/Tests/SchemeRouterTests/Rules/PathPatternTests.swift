// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import SchemeRouter
import Testing

@Suite("Path patterns", .timeLimit(.minutes(1)))
struct PathPatternTests {
    @Test(
        "A glob matches the complete path, a star within a segment, two stars across segments",
        arguments: [
            ("/", "/", true), ("/", "", true), ("/", "/a", false), ("/a", "/a", true), ("/a", "/a?q=/b", true),
            ("/a", "/a#b", true), ("/a", "/ab", false), ("/a", "/A", false), ("/app/*", "/app/", true),
            ("/app/*", "/app/x.js", true), ("/app/*", "/app/x/y", false), ("/app/*", "/app", false),
            ("/app/**", "/app/", true), ("/app/**", "/app/x/y.js", true), ("/app/**", "/app", false),
            ("/app/**", "/apps/", false), ("**", "/anything/at/all", true), ("/**", "/", true),
            ("/*.js", "/a.js", true), ("/*.js", "/.js", true), ("/*.js", "/a/b.js", false), ("/*.js", "/a.jsx", false),
            ("/**.js", "/a/b.js", true), ("/**/a.js", "/a.js", true), ("/**/a.js", "/x/y/a.js", true),
            ("/**/a.js", "/xa.js", false), ("/x/**/y", "/x/y", true), ("/x/**/y", "/x/1/2/y", true),
            ("/x/**/y", "/xy", false), ("/x/**/**/y", "/x/y", true), ("/?", "/a", true), ("/?", "/", false),
            ("/?", "//", false), ("/a*b*c", "/aXbYc", true), ("/a*b*c", "/aXbY", false), ("/a.c", "/abc", false),
            ("*/x", "/x", true), ("/(a|b)", "/(a|b)", true),
        ])
    func globs(glob: String, path: String, isMatch: Bool) throws {
        let pattern = try PathPattern(glob: glob)
        #expect(pattern.matches(path) == isMatch)
        #expect(pattern.description == glob)
    }

    @Test(
        "An expression matches the complete path",
        arguments: [
            ("/a", "/a", true), ("/a", "/ab", false), ("/a.*", "/ab/c", true), ("/[a-c]+", "/abcabc", true),
            ("/[a-c]+", "/", false), ("/[^/]*", "/abc", true), ("/[^/]*", "/a/c", false), ("/(a|bc)d", "/bcd", true),
            ("/(a|bc)d", "/bd", false), ("/(?:a|b|)c", "/c", true), (#"/v\d+"#, "/v12", true), (#"/v\d+"#, "/v", false),
            (#"/\w+\.js"#, "/a_1.js", true), (#"/\w+\.js"#, "/a_1xjs", false), ("/a{2}", "/aa", true),
            ("/a{2}", "/aaa", false), ("/a{2,}", "/aaaa", true), ("/a{2,}", "/a", false), ("/a{1,3}b", "/aaab", true),
            ("/a{1,3}b", "/aaaab", false), ("/a{0}b", "/b", true), ("/(ab?){2}", "/aba", true), ("/a?b?", "/", true),
            ("/(a|b)*c", "/abbac", true), ("(/[a-z]+)+", "/a/b/c", true), ("(/[a-z]+)+", "/a//c", false),
            ("", "", false),
            ("/[-a]", "/-", true), ("/[a-]", "/-", true), (#"/[\d.-]+"#, "/1.2-3", true), (#"/\[\]"#, "/%5B%5D", false),
            ("/%5B%5D", "/[]", true), ("/((a)|())*b", "/aab", true), ("/(a*)*b", "/aaab", true),
            ("(/a+)+b?", "/aa/ab", true),
        ])
    func expressions(expression: String, path: String, isMatch: Bool) throws {
        #expect(try PathPattern(expression: expression).matches(path) == isMatch)
    }

    @Test(
        "Equivalent spellings of a path match",
        arguments: [
            ("/app/**", "/%61pp/x"), ("/%61pp/**", "/app/x"), ("/%C3%BC", "/%c3%bc"), ("/ü", "/%C3%BC"),
            ("/a b", "/a%20b"),
            ("/app/**", "/x/../app/y"), ("/app/**", "/x/%2e%2E/app/y"), ("/app/**", "/./app/."), ("/", "/a/.."),
            ("/", "/.."), ("/a/", "/a/b/../."), ("/a/b", "/a\\b"), ("/%7Ea", "/~a"), ("/100%25", "/100%"),
        ])
    func spellings(glob: String, path: String) throws {
        #expect(try PathPattern(glob: glob).matches(path))
    }

    @Test("An escaped slash is not a separator, and control characters are invalid", arguments: ["/a%2Fb", "/a%2fb"])
    func escapedSlash(path: String) throws {
        #expect(try PathPattern(glob: "/*").matches(path))
        #expect(try !PathPattern(glob: "/a/b").matches(path))
        #expect(try !PathPattern(glob: "/*").matches("/a\u{1}") && !PathPattern(glob: "/*").matches("a"))
    }

    @Test("Invalid globs are rejected", arguments: ["", "a", "?", "/***", "/a\u{1}", "/a\n"])
    func badGlobs(text: String) {
        #expect { _ = try PathPattern(glob: text) } throws: { ($0 as? RouteError)?.code == .badRule }
    }

    @Test(
        "Invalid expressions, and expressions that need backtracking, are rejected",
        arguments: [
            "^/a", "/a$", "/(a", "/a)", "/[a", "/[]", "/[z-a]", "/a**", "/a*?", "/a++", "*", "+a", "?", "{2}", "/a{",
            "/a{,2}",
            "/a{3,2}", "/a{129}", "/a{99999999999999999999}", #"/\1"#, #"/\b"#, #"/a\"#, "/(?=a)", "/(?<n>a)", "/(?i)a",
            "/a b",
            "/ä", "/[ä]", "/[[:alpha:]]", String(repeating: "(", count: 17), #"/[\d-z\]"#,
        ])
    func badExpressions(text: String) throws {
        let error = #expect(throws: RouteError.self) { _ = try PathPattern(expression: text) }
        #expect(error?.code == .badRule && error.map { "\($0)".contains("\n") } == false)
    }

    @Test(
        "A pattern with too many positions is rejected before it is built",
        arguments: ["/x[ab]{128}c", "/x((a{100}){100}){100}", "/x(((a?b?){9}){9}){9}", "/x.{64}(a|b{64})"])
    func tooComplex(text: String) {
        #expect { _ = try PathPattern(expression: text) } throws: { ($0 as? RouteError)?.code == .limit }
    }

    @Test("Positions below and above 64 are matched alike", arguments: [1, 62, 63, 64, 65, 126, 127])
    func manyPositions(count: Int) throws {
        let pattern = try PathPattern(expression: "/x[ab]{\(count)}c")
        func path(_ count: Int) -> String {
            "/x" + String((0..<count).map { $0.isMultiple(of: 2) ? "a" : "b" }) + "c"
        }
        #expect(pattern.matches(path(count)))
        #expect(!pattern.matches(path(count - 1)) && !pattern.matches(path(count + 1)))
        let repeated = try PathPattern(expression: "/x([ab]{\(count)}c?)*")
        #expect(repeated.matches("/x") && repeated.matches(path(count)))
        #expect(repeated.matches(path(count) + path(count).dropFirst(2)) && !repeated.matches(path(count - 1)))
    }

    @Test("Patterns that could backtrack exponentially are matched in one pass", .timeLimit(.minutes(1)))
    func noBacktracking() throws {
        let path = "/" + String(repeating: "a", count: 1_000)
        for expression in [
            "/(a+)+b", "/(a|a)*b", "/(a*)*(a*)*b", "/(a|aa)+b", "/(.*)(.*)(.*)(.*)(.*)b",
        ] {
            let pattern = try PathPattern(expression: expression)
            #expect(!pattern.matches(path) && pattern.matches(path + "b"))
        }
        let optional = try PathPattern(expression: "/(a?){60}a{60}")
        #expect(optional.matches("/" + String(repeating: "a", count: 60)) && !optional.matches(path))
        let glob = try PathPattern(glob: "/" + String(repeating: "**a", count: 30) + "b")
        #expect(!glob.matches(path) && glob.matches(path + "b"))
    }

    @Test("A path above the limit never matches")
    func longPath() throws {
        let pattern = try PathPattern(glob: "/**")
        #expect(pattern.matches("/" + String(repeating: "a", count: 4_095)))
        #expect(!pattern.matches("/" + String(repeating: "a", count: 4_096)))
        #expect(pattern.matches("/?" + String(repeating: "a", count: 40_000)))
    }

    @Test("Globs agree with a recursive reference implementation", arguments: 0..<200)
    func oracle(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let glob = "/" + text(of: ["a", "b", "/", "*", "**", "?"], &random)
            guard !glob.contains("***"), !glob.contains("/**/") else { continue }
            let path = "/" + text(of: ["a", "b", "/"], &random)
            #expect(
                try PathPattern(glob: glob).matches(path) == matches(Array(glob)[...], Array(path)[...]),
                "\(glob) \(path)")
        }
    }

    private func text(of letters: [String], _ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...7, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }.joined()
    }

    /// Matches with unlimited backtracking.
    private func matches(_ glob: ArraySlice<Character>, _ path: ArraySlice<Character>) -> Bool {
        guard let first = glob.first else { return path.isEmpty }
        if first == "*" {
            let isDouble = glob.dropFirst().first == "*"
            let rest = glob.dropFirst(isDouble ? 2 : 1)
            if matches(rest, path) { return true }
            guard let letter = path.first, isDouble || letter != "/" else { return false }
            return matches(glob, path.dropFirst())
        }
        guard let letter = path.first, letter == first || (first == "?" && letter != "/") else { return false }
        return matches(glob.dropFirst(), path.dropFirst())
    }
}
