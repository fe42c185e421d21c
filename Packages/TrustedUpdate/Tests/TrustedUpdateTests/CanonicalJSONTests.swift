// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import TrustedUpdate

/// The canonical form of JSON (TUF 1.0.34, section 4.2; OLPC canonical JSON).
struct CanonicalJSONTests {
    private func encode(_ json: String) throws -> String {
        String(decoding: try CanonicalJSON.encode(Data(json.utf8)), as: UTF8.self)
    }

    /// Compares bytes, because Swift compares texts in normalized form.
    private func expect(
        _ json: String, _ canonical: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try CanonicalJSON.encode(Data(json.utf8)) == Array(canonical.utf8), sourceLocation: sourceLocation)
    }

    @Test("White space is removed and values are kept")
    func values() throws {
        try expect(
            " \r\n\t{ \"a\" : [ 1 , true,false , null, \"x y\" , { } , [ ] ] } ",
            #"{"a":[1,true,false,null,"x y",{},[]]}"#)
        for json in ["1", "true", "null", #""text""#, "[]", "{}", "[[[[]]]]"] { try expect(json, json) }
    }

    @Test("Names are sorted by their code points, also in nested objects")
    func order() throws {
        try expect(#"{"b":1,"a":{"d":2,"c":3},"B":4,"":5}"#, #"{"":5,"B":4,"a":{"c":3,"d":2},"b":1}"#)
        try expect(#"{"aa":1,"a":2,"a b":3,"a\"":4,"a#":5,"a!":6}"#, #"{"a":2,"a b":3,"a!":6,"a\"":4,"a#":5,"aa":1}"#)
        // A backslash is sorted by itself and not by its escape.
        try expect(#"{"a]":1,"a\\":2,"a[":3,"a\\b":4}"#, #"{"a[":3,"a\\":2,"a\\b":4,"a]":1}"#)
        try expect(#"{"[{\"b\"":[{"b":1,"a":2}],"Z":3}"#, #"{"Z":3,"[{\"b\"":[{"a":2,"b":1}]}"#)
    }

    @Test("Code points above U+FFFF follow all others, unlike in the order of UTF-16")
    func astralOrder() throws {
        try expect(
            "{\"\u{1F600}\":1,\"\u{FB01}\":2,\"\u{E9}\":3,\"z\":4}",
            "{\"z\":4,\"\u{E9}\":3,\"\u{FB01}\":2,\"\u{1F600}\":1}")
        try expect(#"{"\ud83d\ude00":1,"\ufb01":2,"\u007a":3}"#, "{\"z\":3,\"\u{FB01}\":2,\"\u{1F600}\":1}")
    }

    @Test("Composed and decomposed characters are different names and stay as they are")
    func normalization() throws {
        try expect("{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"e\u{301}\":2,\"\u{E9}\":1}")
        try expect("[\"e\u{301}\",\"\u{E9}\"]", "[\"e\u{301}\",\"\u{E9}\"]")
    }

    @Test("Only quotation marks and backslashes are escaped")
    func escapes() throws {
        try expect(#""\"\\\/\b\f\n\r\t""#, "\"\\\"\\\\/\u{8}\u{c}\n\r\t\"")
        try expect(#""\u000a\u0000\u001f\u007f\u0022\u005C\u00e9\u20AC""#, "\"\n\0\u{1f}\u{7f}\\\"\\\\\u{e9}\u{20ac}\"")
        try expect(#""\ud83d\ude00""#, "\"\u{1F600}\"")
        try expect(#""a/b<é>""#, #""a/b<é>""#)
        try expect(#"{"\u0061\n":1}"#, "{\"a\n\":1}")
    }

    @Test(
        "Integers are kept",
        arguments: [
            ("0", "0"), ("-0", "0"), ("-1", "-1"), ("10", "10"), ("9223372036854775807", "9223372036854775807"),
            ("-9223372036854775808", "-9223372036854775808"),
        ])
    func integers(json: String, canonical: String) throws {
        try expect(json, canonical)
        try expect("{\"a\":[\(json)]}", "{\"a\":[\(canonical)]}")
    }

    @Test(
        "Numbers that are no 64-bit integers are refused",
        arguments: [
            "1.0", "0.5", "-0.0", "1e2", "1E2", "1e-2", "10e0", "9223372036854775808", "-9223372036854775809",
            "100000000000000000000000", "01", "-01", "+1", "-", "1.", ".5", "0x10", "NaN", "Infinity", "1_000",
        ])
    func otherNumbers(json: String) {
        #expect(throws: (any Error).self) { try CanonicalJSON.encode(Data(json.utf8)) }
        #expect(throws: (any Error).self) { try CanonicalJSON.encode(Data("{\"a\":[\(json)]}".utf8)) }
    }

    @Test(
        "Text that is not JSON, duplicate names and unpaired surrogates are refused",
        arguments: [
            "", " ", "{", "}", "[1", "[1,]", "[,1]", #"{"a":1,}"#, #"{"a"}"#, #"{a:1}"#, "'a'", "1 2", "{} {}", "tru",
            "nul", "True", #""a"#, #""\x""#, #""\u12""#, "\"\n\"", "\"\t\"", "// x\n1",
            #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"\u0061":3}"#, #"[{"x":{"a":1,"a":2}}]"#, #"{"\"":1,"\u0022":2}"#,
            #""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\u0061""#, #""\ude00\ud83d""#, #"{"\ud83d":1}"#,
        ])
    func refused(json: String) {
        #expect(throws: (any Error).self) { try CanonicalJSON.encode(Data(json.utf8)) }
    }

    @Test(
        "Text that is not UTF-8 is refused",
        arguments: [
            [0xFF], [0xC3], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        let quote: [UInt8] = [0x22]
        #expect(throws: (any Error).self) { try CanonicalJSON.encode(Data(quote + bytes + quote)) }
        #expect(throws: (any Error).self) {
            try CanonicalJSON.encode(Data(Array("{\"".utf8) + bytes + Array("\":1}".utf8)))
        }
    }

    @Test("Deep nesting is limited, without an overflow of the stack") func depth() throws {
        #expect(try encode("[[[[[[[[]]]]]]]]") == "[[[[[[[[]]]]]]]]")
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(throws: (any Error).self) { try encode(deep) }
    }

    @Test("The canonical form does not depend on the order of members, and it is stable")
    func idempotence() throws {
        let names = ["", "a", "b", "A", "é", "\u{1F600}", "\u{FB01}", "a\\\"", "~", "0"]
        var expected: String?
        for shift in names.indices {
            let members = names.indices.map { index -> String in
                let name = names[(index + shift) % names.count]
                return "\(JSONValue.string(name).text()) : { \"y\" : \(name.utf8.count), \"x\" : [] }"
            }
            let canonical = try encode("{" + members.joined(separator: ", ") + "}")
            #expect(try encode(canonical) == canonical)
            #expect(expected == nil || Array(canonical.utf8) == Array((expected ?? "").utf8))
            expected = canonical
        }
    }
}
