// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

/// CSS Syntax Level 3, section 3.2: the order is byte order mark, `Content-Type`, `@charset`, charset of the document.
@Suite("Charsets of style sheets", .timeLimit(.minutes(1)))
struct StyleSheetCharsetTests {
    private static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// A string of one character whose second byte is a backslash in ASCII.
    private static let twoBytes = Data("a{b:'".utf8) + [0x95, 0x5C] + Data("';c:url(https://cdn.example/x)}".utf8)
    /// A string of a UTF-8 character and an escaped quotation mark.
    private static let utf8 = Data("a{b:\"\u{8868}\\\";\";c:url(https://cdn.example/x)}".utf8)

    /// Returns a Boolean value that indicates whether the URL in a style sheet is rewritten.
    private func finds(
        _ bytes: Data, type: String = "text/css", page: String = "text/html", meta: String = "", isStream: Bool = false
    ) async throws -> Bool {
        let files = Files([
            "https://shop.example/": .init(type: page, text: "<title>x</title>\(meta)"),
            "https://shop.example/a.css": .init(type: type, text: "", isStream: isStream, bytes: bytes),
        ])
        let loader = RewritingLoader(files, names: .standard) { url, _ in isCovered(url) }
        let reference = PageReference(id: PageID(rawValue: 1), documentURL: "https://shop.example/")
        var result = Data()
        for (url, destination) in [
            ("https://shop.example/", .document), ("https://shop.example/a.css", .subresource),
        ] as [(String, ResourceRequest.Destination)] {
            let request = ResourceRequest(
                try #require(HTTPRequest(urlText: url)), destination: destination,
                page: PageAttribution(reference, confidence: .exact))
            result = try await #require(loader.load(request)).body.collect(upTo: 10_000)
        }
        let expected = "containerkit://cdn.example/x"
        let isFound = result.range(of: Data(expected.utf8)) != nil
        // Nothing else changes.
        #expect(isFound || result == bytes)
        return isFound
    }

    @Test("A charset rule applies if nothing has priority", arguments: [false, true])
    func rule(isStream: Bool) async throws {
        let named = { (label: String, text: Data) in Data("@charset \"\(label)\";".utf8) + text }
        #expect(try await finds(named("Shift_JIS", Self.twoBytes), isStream: isStream))
        #expect(try await finds(named(" gbk ", Self.twoBytes), isStream: isStream))
        #expect(try await !finds(named("utf-8", Self.twoBytes), isStream: isStream))
        #expect(try await finds(named("utf-8", Self.utf8), isStream: isStream))
        #expect(try await !finds(named("shift_jis", Self.utf8), isStream: isStream))
        #expect(try await !finds(named("iso-2022-jp", Self.utf8), isStream: isStream))
        // The rule is readable, so the charset is not UTF-16.
        #expect(try await finds(named("utf-16", Self.utf8), isStream: isStream))
        // These are not `@charset` rules: the letters, quotation marks or blanks differ, or the label is too long.
        for start in [
            "@CHARSET \"gbk\";", "@charset 'gbk';", "@charset  \"gbk\";", " @charset \"gbk\";", "@charset \"gbk\" ;",
        ] {
            #expect(try await finds(Data(start.utf8) + Self.utf8, isStream: isStream), "\(start)")
        }
        let long = "gbk" + String(repeating: " ", count: 1_024)
        #expect(try await finds(named(long, Self.utf8), isStream: isStream))
        // These texts end within the rule.
        for text in ["@charset \"gbk\"", "@char", "@charset \"gbk\";", "@"] {
            #expect(try await !finds(Data(text.utf8), isStream: isStream))
        }
    }

    @Test("Content-Type has priority over the rule, and a byte order mark over both", arguments: [false, true])
    func order(isStream: Bool) async throws {
        let rule = Data("@charset \"gbk\";".utf8)
        #expect(try await finds(rule + Self.utf8, type: "text/css; charset=utf-8", isStream: isStream))
        #expect(try await finds(rule + Self.twoBytes, type: "text/css; charset=big5", isStream: isStream))
        #expect(try await finds(Data(Self.utf8Mark) + Self.utf8, type: "text/css; charset=gbk", isStream: isStream))
        #expect(try await finds(Data(Self.utf8Mark) + rule + Self.utf8, isStream: isStream))
        #expect(try await !finds([0xFE, 0xFF] + Self.utf8, type: "text/css; charset=utf-8", isStream: isStream))
    }

    @Test("A style sheet without a declaration has the charset of its document")
    func environment() async throws {
        #expect(try await finds(Self.twoBytes, page: "text/html; charset=gb2312"))
        #expect(try await finds(Self.twoBytes, meta: "<meta charset=big5>"))
        #expect(try await finds(Self.utf8, page: "text/html; charset=utf-8", meta: "<meta charset=big5>"))
        #expect(try await finds(Self.utf8, type: "text/css; charset=utf-8", page: "text/html; charset=gb2312"))
        #expect(try await finds(Data("@charset \"utf-8\";".utf8) + Self.utf8, page: "text/html; charset=gb2312"))
    }
}
