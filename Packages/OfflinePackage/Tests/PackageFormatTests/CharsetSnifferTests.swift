// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@_spi(Packaging) @testable import PackageFormat

@Suite("Charset of a text file", .timeLimit(.minutes(1)))
struct CharsetSnifferTests {
    /// The text "Chinese characters" in GBK, which is not valid UTF-8.
    static let gbk: [UInt8] = [0xBA, 0xBA, 0xD7, 0xD6]
    /// The character 0xC4A3 of GBK, whose bytes are also valid UTF-8.
    static let both: [UInt8] = [0xC4, 0xA3]

    /// Returns the parameter for bytes that are appended in pieces.
    private func parameter(_ type: String, _ bytes: [UInt8], piece: Int = 7) throws -> String {
        var sniffer = try #require(CharsetSniffer(mediaType: type))
        var rest = Data(bytes)
        while !rest.isEmpty {
            sniffer.append(rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        return sniffer.parameter()
    }

    @Test(
        "HTML: the declaration in the first 1,024 bytes is used (WHATWG HTML, section 13.2.3.2)",
        arguments: [
            ("<meta charset=gbk>", "gbk"), ("<META CharSet='GB2312'>", "gbk"),
            ("<meta/charset=\"Shift_JIS\">", "shift_jis"),
            ("<meta charset=utf-8>", "contradictory"), ("<meta charset = big5 >", "big5"),
            ("<meta http-equiv=Content-Type content='text/html; charset=gbk'>", "gbk"),
            ("<meta content='text/html;charset = \"euc-kr\"' http-equiv=content-type>", "euc-kr"),
            ("<meta content='a charset b charset=gbk;' http-equiv=content-type>", "gbk"),
            // The pragma is required, and an unknown label does not end the search.
            ("<meta content='text/html; charset=gbk'>", nil), ("<meta http-equiv=content-type content=charset>", nil),
            ("<meta charset=nothing><meta charset=gbk>", "gbk"), ("<meta charset=nothing>", nil),
            ("<meta charset=x content='charset=gbk' http-equiv=content-type>", nil),
            ("<meta charset=gbk charset=big5>", "gbk"), ("<meta name=charset><meta charset=gbk>", "gbk"),
            // Text that resembles a declaration.
            ("<!-- <meta charset=gbk> -->", nil), ("<!-- <meta charset=big5> --><meta charset=gbk>", "gbk"),
            ("<!--><meta charset=gbk>", "gbk"), ("<!---><meta charset=gbk>", "gbk"),
            ("<a b='<meta charset=gbk>'>", nil), ("</a b='>' c><meta charset=gbk>", "gbk"),
            ("<metal charset=gbk>", nil), ("<meta-x charset=gbk>", nil), ("<!doctype html><meta charset=gbk>", "gbk"),
            ("<?xml version='1.0' encoding='gbk'?>", "gbk"), ("<?xml encoding='gbk'?><meta charset=big5>", "big5"),
            ("<meta charset=gbk", nil), ("<meta charset='gbk", nil), ("<meta", nil), ("<", nil), ("", nil),
            // Bytes with an ASCII declaration are not UTF-16.
            ("<meta charset=utf-16>", "contradictory"), ("<meta charset=x-user-defined>", "contradictory"),
            ("<meta charset=hz-gb-2312>", "contradictory"),
        ] as [(String, String?)])
    func html(text: String, expected: String?) throws {
        let name = expected == "contradictory" ? nil : expected
        let parameter = try parameter("text/html", Array(text.utf8) + Self.gbk)
        #expect(parameter == name.map { ";charset=\($0)" } ?? "")
        var sniffer = try #require(CharsetSniffer(mediaType: "text/html"))
        sniffer.append(Data(text.utf8) + Self.gbk)
        #expect((sniffer.finding == .contradictory) == (expected == "contradictory"))
    }

    @Test("HTML: a declaration is used up to byte 1,024, and a character may cross that boundary")
    func border() throws {
        let declaration = Array("<meta charset=gbk>".utf8)
        for (start, isFound) in [(1_024 - declaration.count, true), (1_024 - declaration.count + 1, false)] {
            let bytes = [UInt8](repeating: 0x20, count: start) + declaration + Self.gbk
            #expect(try parameter("text/html", bytes) == (isFound ? ";charset=gbk" : ""), "\(start)")
        }
        for start in 1_020...1_024 {
            let bytes = [UInt8](repeating: 0x20, count: start) + Array("漢字".utf8)
            #expect(try parameter("text/html", bytes, piece: 1_024) == ";charset=utf-8", "\(start)")
            #expect(try parameter("text/html", Array(bytes.dropLast()), piece: 1_024) == "", "\(start)")
        }
    }

    @Test(
        "A byte order mark has the highest priority",
        arguments: [
            ([0xEF, 0xBB, 0xBF], "utf-8"), ([0xFE, 0xFF], "utf-16be"), ([0xFF, 0xFE], "utf-16le"),
        ] as [([UInt8], String)])
    func mark(bytes: [UInt8], name: String) throws {
        for type in ["text/html", "text/css", "application/xml", "text/javascript", "text/plain"] {
            #expect(try parameter(type, bytes) == ";charset=\(name)")
            #expect(try parameter(type, bytes + Array("<meta charset=gbk>".utf8) + Self.gbk) == ";charset=\(name)")
        }
        #expect(try parameter("text/plain", Array(bytes.dropLast())) == "")
    }

    @Test(
        "XML: the declaration is used",
        arguments: [
            ("<?xml version=\"1.0\" encoding=\"gbk\"?><r/>", "gbk"),
            ("<?xml version='1.0' encoding = 'Big5' ?>", "big5"),
            ("<?xml version='1.0'?>", nil), (" <?xml encoding='gbk'?>", nil), ("<?xml encoding='gbk", nil),
            ("<?xml encoding=gbk?>", nil), ("<?xml encoding='g bk'?>", nil), ("<?xml encoding='utf-16'?>", nil),
            ("<meta charset=gbk>", nil), ("<?xml encoding='utf-8'?>", nil),
        ] as [(String, String?)])
    func xml(text: String, name: String?) throws {
        for type in ["application/xml", "text/xml", "image/svg+xml", "application/xhtml+xml"] {
            #expect(try parameter(type, Array(text.utf8) + Self.gbk) == name.map { ";charset=\($0)" } ?? "")
        }
    }

    @Test("A text with zero bytes is not UTF-8, because it may be UTF-16 without a byte order mark")
    func utf16() throws {
        for text in ["<?xml version='1.0'?>", "\u{A9C3}", "a\u{4E2D}\u{A9C3}"] {
            let bytes = (text + "x").utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            for type in ["text/html", "application/xml", "text/plain"] {
                #expect(try parameter(type, bytes) == "", "\(text)")
            }
        }
    }

    @Test(
        "CSS: @charset is used in exactly this form (CSS Syntax Level 3, section 3.2)",
        arguments: [
            ("@charset \"shift_jis\";", "shift_jis"), ("@charset \"SJIS\";b{}", "shift_jis"),
            ("@charset 'gbk';", nil), (" @charset \"gbk\";", nil), ("@charset  \"gbk\";", nil),
            ("@CHARSET \"gbk\";", nil), ("@charset \"gbk\" ;", nil), ("@charset \"gbk", nil), ("@charset \"gbk\"", nil),
            ("@charset \"utf-16\";", nil), ("@charset \"nothing\";", nil),
        ] as [(String, String?)])
    func styleSheet(text: String, name: String?) throws {
        #expect(try parameter("text/css", Array(text.utf8) + Self.gbk) == name.map { ";charset=\($0)" } ?? "")
    }

    @Test(
        "Without a declaration, valid non-ASCII UTF-8 is UTF-8; other bytes have no charset",
        arguments: [
            (Array("let a = 'é'".utf8), true), (Array("漢字 😀".utf8), true), (Array("let a = 1".utf8), false),
            ([], false),
            (gbk, false), ([0x93, 0xFA, 0x96, 0x7B], false), ([0xE9], false), ([0x61, 0xE2, 0x82], false),
            ([0xC0, 0x80], false), ([0xC1, 0xBF], false), ([0xE0, 0x9F, 0xBF], false), ([0xE0, 0xA0, 0x80], true),
            ([0xED, 0x9F, 0xBF], true), ([0xED, 0xA0, 0x80], false), ([0xF0, 0x8F, 0xBF, 0xBF], false),
            ([0xF0, 0x90, 0x80, 0x80], true), ([0xF4, 0x8F, 0xBF, 0xBF], true), ([0xF4, 0x90, 0x80, 0x80], false),
            ([0xF5, 0x80, 0x80, 0x80], false), ([0x80], false), ([0xC3, 0xA9, 0xC3], false),
            // A text of ASCII bytes in ISO-2022-JP.
            ([0x1B, 0x24, 0x42, 0x34, 0x41, 0x1B, 0x28, 0x42], false),
        ] as [([UInt8], Bool)])
    func validity(bytes: [UInt8], isUTF8: Bool) throws {
        for type in ["text/javascript", "text/css", "text/html", "text/plain", "application/json", "image/svg+xml"] {
            for piece in [1, 2, 1_000] {
                #expect(try parameter(type, bytes, piece: piece) == (isUTF8 ? ";charset=utf-8" : ""), "\(type)")
            }
        }
    }

    @Test("A declaration that the bytes contradict gives no charset")
    func contradiction() throws {
        #expect(try parameter("text/html", Array("<meta charset=utf-8>".utf8) + Self.gbk) == "")
        #expect(try parameter("text/html", Array("<meta charset=gbk>".utf8) + Self.both) == "")
        #expect(try parameter("text/html", Array("<meta charset=utf-8>".utf8) + Self.both) == ";charset=utf-8")
        #expect(try parameter("text/html", Array("<meta charset=utf-8>".utf8)) == ";charset=utf-8")
        #expect(try parameter("text/html", Array("<meta charset=windows-1252>".utf8)) == ";charset=windows-1252")
    }

    @Test("A known encoding applies to files that declare none")
    func undeclared() throws {
        let encoding = try #require(CharacterEncoding(label: "GB2312"))
        for (text, name) in [
            ("", "gbk"), ("é", "gbk"), ("<meta charset=big5>", "big5"), ("<meta charset=big5>é", nil),
        ] as [(String, String?)] {
            var sniffer = try #require(CharsetSniffer(mediaType: "text/html"))
            sniffer.append(Data(text.utf8))
            #expect(sniffer.parameter(undeclared: encoding) == name.map { ";charset=\($0)" } ?? "", "\(text)")
        }
    }

    @Test("Media types that are not text or have a charset are not examined")
    func types() {
        for type in [
            "image/png", "application/wasm", "font/woff2", "application/octet-stream", "text/html;charset=utf-8",
        ] {
            #expect(CharsetSniffer(mediaType: type) == nil)
        }
    }

    @Test(
        "Labels of the Encoding standard map to one name, other labels to none",
        arguments: [
            ("UTF8", "utf-8"), (" latin1\n", "windows-1252"), ("ASCII", "windows-1252"), ("GB_2312-80", "gbk"),
            ("x-sjis", "shift_jis"), ("unicode", "utf-16le"), ("iso-8859-8-i", "iso-8859-8-i"),
            ("logical", "iso-8859-8-i"),
            ("KOI8-R", "koi8-r"), ("\u{212A}OI8-R", nil), ("gb\u{212A}", nil),
            ("utf-7", nil), ("", nil), ("gb k", nil), ("utf-8;x", nil), (String(repeating: "x", count: 100), nil),
        ] as [(String, String?)])
    func labels(label: String, name: String?) {
        #expect(CharacterEncoding(label: label)?.description == name)
    }
}
