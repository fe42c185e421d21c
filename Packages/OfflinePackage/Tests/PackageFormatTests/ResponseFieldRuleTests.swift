// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import Testing

@Suite("Rules for response fields", .timeLimit(.minutes(1)))
struct ResponseFieldRuleTests {
    private func json(_ headers: String) -> Data {
        Data(
            #"{"format":1,"id":"shop","version":"1","baseURL":"https://shop.example/","files":[],"headers":\#(headers)}"#
                .utf8)
    }

    @Test(
        "A pattern matches the path of a file, and the paths under which static hosts serve it",
        arguments: [
            ("/*", "a/b.js", true), ("/a.js", "a.js", true), ("/a.js", "b/a.js", false), ("/a", "a.js", false),
            ("/js/*", "js/a/b.js", true), ("/js/*", "js.js", false), ("/*.js", "a/b.js", true),
            ("/js/*.css", "js/a.js", false), ("/", "index.html", true), ("/index.html", "index.html", true),
            ("/a/", "a/index.html", true), ("/a", "a/index.html", false), ("/a", "a.html", true),
            ("/a/*", "a/index.html", true), ("/", "a/index.html", false), ("/ab*ba", "aba", false),
            ("/e\u{301}/*", "\u{E9}/x", false), ("/\u{E9}/*", "e\u{301}/x", false),
            ("/e\u{301}/*", "e\u{301}/x", true), ("/\u{E9}", "\u{E9}.html", true), ("/*\u{301}", "a/\u{301}", true),
            ("/A.js", "a.js", false), ("/*", "index.html", true), ("/a*/", "a/index.html", true),
        ])
    func matches(_ pattern: String, _ file: String, _ isMatch: Bool) throws {
        let rules = [try ResponseFieldRule(path: pattern, fields: ["X-Frame-Options": "DENY"])]
        #expect(rules.fields(of: file).isEmpty != isMatch)
    }

    @Test("Rules are equal if their patterns have the same bytes")
    func equality() throws {
        func rule(_ path: String, _ value: String = "DENY") throws -> ResponseFieldRule {
            try ResponseFieldRule(path: path, fields: ["X-Frame-Options": value])
        }
        #expect(try rule("/\u{E9}") == rule("/\u{E9}"))
        #expect(try rule("/\u{E9}") != rule("/e\u{301}"))
        #expect(try rule("/a") != rule("/a", "SAMEORIGIN"))
        #expect(try Set([rule("/\u{E9}"), rule("/e\u{301}"), rule("/\u{E9}")]).count == 2)
    }

    @Test(
        "Cache-Control has known directives only, and forbids reuse without revalidation",
        arguments: [
            ("no-cache", true), ("No-Store", true), ("private, no-store", true), ("max-age=0,no-cache", true),
            ("public , max-age=31536000 , immutable, NO-CACHE", true), ("s-maxage=1, no-store", true),
            ("must-revalidate, proxy-revalidate, no-transform, no-cache", true),
            ("max-age=31536000", false), ("private", false), ("max-age=31536000, no-cache foo", false),
            ("max-age=31536000, x=\"a, no-cache, b\"", false), ("no-cache=\"x\"", false), ("no-cache=", false),
            ("no-store=1", false), ("no-cache, max-age", false), ("no-cache, max-age=", false),
            ("no-cache, max-age=+1", false), ("no-cache, max-age=\"1\"", false), ("no-cache, private=1", false),
            ("no-cache,", false), (",no-cache", false), ("no-cache, x", false), ("no-cache; max-age=1", false),
            ("no-store, must-understand", false), ("no-cache, stale-while-revalidate=60", false),
            ("max-age = 1, no-cache", false),
        ])
    func cacheControl(_ value: String, _ isAllowed: Bool) {
        let rule = try? ResponseFieldRule(path: "/a", fields: ["Cache-Control": value])
        #expect((rule != nil) == isAllowed, "\(value)")
    }

    @Test("Values of several rules are joined in the order of the rules")
    func joined() throws {
        let rules = [
            try ResponseFieldRule(path: "/*", fields: ["Link": "<a>", "referrer-policy": "no-referrer"]),
            try ResponseFieldRule(path: "/x", fields: ["Link": "<no>"]),
            try ResponseFieldRule(path: "/a*", fields: ["Link": "<b>"]),
        ]
        #expect(rules.fields(of: "a.js") == [.init("Link")!: "<a>, <b>", .init("Referrer-Policy")!: "no-referrer"])
    }

    @Test("Rules are encoded in their order and decoded again")
    func roundTrip() throws {
        let text =
            #"[{"fields":{"Cross-Origin-Opener-Policy":"same-origin","Link":"<a>"},"path":"/b*"},"#
            + #"{"fields":{"Cache-Control":"private, no-store"},"path":"/a"}]"#
        let manifest = try PackageManifest(decoding: json(text))
        #expect(manifest.fieldRules.map(\.path) == ["/b*", "/a"])
        let data = try manifest.encoded()
        #expect(String(decoding: data, as: UTF8.self).contains(#""headers":\#(text),"#))
        #expect(try PackageManifest(decoding: data) == manifest)
        #expect(try PackageManifest(decoding: json("null")).fieldRules.isEmpty)
        let plain = try PackageManifest(decoding: json("[]")).encoded()
        #expect(!String(decoding: plain, as: UTF8.self).contains("headers"))
    }

    @Test(
        "A manifest with fields beyond the list, or with invalid values, is rejected",
        arguments: [
            #"{}"#, #"[1]"#, #"[{"path":"/a"}]"#, #"[{"fields":{}}]"#, #"[{"path":"/a","fields":[]}]"#,
            #"[{"path":"/a","fields":{"Link":1}}]"#, #"[{"path":"a","fields":{}}]"#,
            #"[{"path":"/**","fields":{}}]"#, #"[{"path":"/\u0000","fields":{}}]"#,
            #"[{"path":"/a","fields":{"Link":"a\r\nSet-Cookie: b"}}]"#, #"[{"path":"/a","fields":{"Link":""}}]"#,
            #"[{"path":"/a","fields":{"Link":"\u0000"}}]"#, #"[{"path":"/a","fields":{"Link":" a"}}]"#,
            #"[{"path":"/a","fields":{"Link":"é"}}]"#, #"[{"path":"/a","fields":{"Link":"a","link":"b"}}]"#,
            #"[{"path":"/a","fields":{"Link\u0000":"a"}}]"#, #"[{"path":"/a","fields":{"":"a"}}]"#,
            #"[{"path":"/a","fields":{"Set-Cookie":"a=b"}}]"#, #"[{"path":"/a","fields":{"Content-Type":"a/b"}}]"#,
            #"[{"path":"/a","fields":{"Location":"/"}}]"#, #"[{"path":"/a","fields":{"Clear-Site-Data":"*"}}]"#,
            #"[{"path":"/a","fields":{"Strict-Transport-Security":"max-age=1"}}]"#,
            #"[{"path":"/a","fields":{"Cache-Control":"max-age=31536000"}}]"#,
        ])
    func hostile(_ headers: String) {
        let error = #expect(throws: PackageError.self) { try PackageManifest(decoding: json(headers)) }
        #expect(error?.code == .badManifest, "\(headers)")
    }

    @Test("The number of rules and their total size are limited")
    func limits() throws {
        func rules(_ count: Int, _ length: Int) -> Data {
            let rule = #"{"path":"/a","fields":{"Link":"\#(String(repeating: "x", count: length))"}}"#
            return json("[\(Array(repeating: rule, count: count).joined(separator: ","))]")
        }
        #expect(try PackageManifest(decoding: rules(100, 1)).fieldRules.count == 100)
        #expect(throws: PackageError.self) { try PackageManifest(decoding: rules(101, 1)) }
        #expect(try PackageManifest(decoding: rules(7, 8_192)).fieldRules.count == 7)
        #expect(throws: PackageError.self) { try PackageManifest(decoding: rules(1, 8_193)) }
        #expect(throws: PackageError.self) { try PackageManifest(decoding: rules(8, 8_192)) }
    }
}
