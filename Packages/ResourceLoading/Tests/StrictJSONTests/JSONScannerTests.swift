// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import StrictJSON
import Testing

@Suite("JSON scanner", .timeLimit(.minutes(1)))
struct JSONScannerTests {
    private func skip(_ bytes: some Sequence<UInt8>, limits: JSONScanner.Limits = .init()) throws {
        try Array(bytes).withUnsafeBytes { buffer in
            try JSONScanner.validate(buffer, limits: limits)
        }
    }

    private func code(_ json: String, limits: JSONScanner.Limits = .init()) -> JSONError.Code? {
        do {
            try skip(json.utf8, limits: limits)
            return nil
        } catch {
            return (error as? JSONError)?.code
        }
    }

    @Test(
        "A value of any kind as text",
        arguments: [
            (#""a\u00e9\n""#, "aé\n"), ("1.50", "1.50"), ("-0", "-0"), ("true", "true"), ("false", "false"),
            ("null", nil), (#"{ "a" :[1, null]}"#, #"{ "a" :[1, null]}"#), ("[]", "[]"), (#""""#, ""),
        ] as [(String, String?)])
    func anyText(_ json: String, _ text: String?) throws {
        try Array(" \(json) ".utf8).withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            #expect(scanner.isAtContainer() == (json.hasPrefix("{") || json.hasPrefix("[")))
            #expect(try scanner.readAsText() == text)
            try scanner.finish()
        }
    }

    @Test("A value that is not JSON is no text", arguments: ["", "nul", "01", #""a"#, #"{"a":1,"a":1}"#, "[1", "x"])
    func noText(_ json: String) {
        Array(json.utf8).withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            #expect(throws: JSONError.self) {
                _ = try scanner.readAsText()
                try scanner.finish()
            }
        }
    }

    @Test(
        "A duplicate name in an object is rejected at any depth",
        arguments: [
            #"{"a":1,"a":1}"#, #"{"a":1,"b":{},"a":2}"#, #"{"x":[{"a":1,"a":2}]}"#, #"{"":0,"":0}"#,
            #"{"a":1,"\u0061":2}"#, #"{"\/":1,"/":2}"#, #"{"ä":1,"\u00e4":2}"#, #"[{"a":{"b":1,"c":2,"b":3}}]"#,
        ])
    func repeatedNames(_ json: String) {
        #expect(code(json) == .repeatedName)
    }

    @Test(
        "Names with different bytes, and equal names in different objects, are accepted",
        arguments: [
            #"{"a":{"a":{"a":1}},"b":{"a":1}}"#, #"[{"a":1},{"a":1}]"#, #"{"a":1,"A":2,"aa":3}"#,
            "{\"\u{E9}\":1,\"e\u{301}\":2}",
        ])
    func differentNames(_ json: String) {
        #expect(code(json) == nil)
    }

    @Test("A duplicate name is found among many names", arguments: [2, 31, 32, 33, 34, 5_000])
    func manyNames(_ count: Int) {
        let names = (0..<count).map { #""n\#($0)":{"n":0}"# }
        #expect(code("{\(names.joined(separator: ","))}") == nil)
        for twice in [0, count / 2, count - 1] {
            #expect(code("{\((names + [names[twice]]).joined(separator: ","))}") == .repeatedName)
        }
    }

    @Test("The limits of depth, number of names and name length are enforced")
    func limits() {
        var limits = JSONScanner.Limits()
        (limits.depth, limits.names, limits.nameLength) = (3, 4, 5)
        #expect(code(#"{"a":[{"b":1}],"c":1,"d":1,"12345":1}"#, limits: limits) == nil)
        #expect(code(#"{"a":[{"b":[]}]}"#, limits: limits) == .tooMany)
        #expect(code(#"{"a":{"b":1,"c":1},"d":{"b":1,"c":1,"d":1},"e":0}"#, limits: limits) == .tooMany)
        #expect(code(#"{"123456":1}"#, limits: limits) == .tooLong)
    }

    @Test("Long strings are validated in chunks that do not split characters", arguments: 0...5)
    func longTexts(_ shift: Int) throws {
        let letters = Array(String(repeating: "aé€😀", count: 20_000).utf8)
        let text = Array(repeating: UInt8(ascii: "x"), count: shift) + letters
        let quote = [UInt8(ascii: "\"")]
        try skip(quote + text + quote)
        for bad in [[0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80]] as [[UInt8]] {
            #expect(throws: JSONError.self) { try skip(quote + text + bad + quote) }
            #expect(throws: JSONError.self) { try skip(quote + bad + text + quote) }
        }
    }

    @Test("Strings with and without escapes are read")
    func strings() throws {
        let texts = [
            (#""plain""#, "plain"), (#""\u00e4\n\/\ud83d\ude00é""#, "ä\n/😀é"), (#""""#, ""), (#""\"""#, "\""),
            (#""1234567890\\1234567890""#, #"1234567890\1234567890"#),
        ]
        for (json, expected) in texts {
            try Array(json.utf8).withUnsafeBytes { buffer in
                var scanner = JSONScanner(buffer)
                _ = scanner.nextToken()
                let text = try scanner.readString()
                #expect(scanner.string(text) == expected)
                try scanner.finish()
            }
            #expect(code(json) == nil)
        }
    }

    @Test("Names with escapes are rejected if they are not allowed, and the error shows them as written")
    func escapedNames() {
        var limits = JSONScanner.Limits()
        limits.allowsEscapedNames = false
        #expect(code(#"{"a":"\u0061","b":["\n"]}"#, limits: limits) == nil)
        let error = #expect(throws: JSONError.self) { try skip(#"[{"a":1,"\u0062":2}]"#.utf8, limits: limits) }
        #expect(error?.code == .escapedName && error?.position == 8)
        #expect(error?.message == #"a name with escapes: \u0062"#)
        #expect(code(#"{"\u0061":1}"#) == nil)
    }

    @Test("With a depth limit only, a text may have many and long names")
    func depthOnly() {
        let names = (0..<10_001).map { #""n\#($0)":0"# }.joined(separator: ",")
        let long = String(repeating: "x", count: 8_193)
        #expect(code("{\(names)}") == .tooMany && code(#"{"\#(long)":0}"#) == .tooLong)
        #expect(code("[{\(names)}]", limits: .init(depth: 2)) == nil)
        #expect(code(#"{"\#(long)":0}"#, limits: .init(depth: 1)) == nil)
        #expect(code("[{\(names)}]", limits: .init(depth: 1)) == .tooMany)
    }

    @Test(
        "Malformed JSON is rejected with position and message",
        arguments: [
            ("", 0, "no JSON value"), ("{", 1, "no name in quotes, where a member begins"),
            ("[1,]", 3, "no JSON value"),
            ("{}x", 2, "more than one value"), ("01", 2, "number with a leading zero"),
            ("-", 1, "no JSON value"), ("1.", 2, "no digits after a point"), ("1e+", 3, "no digits in an exponent"),
            (#""\ud800""#, 7, "half a surrogate pair"), (#""\ud800\n""#, 7, "half a surrogate pair"),
            (#""\ud800\u0041""#, 13, "half a surrogate pair"), (#""\udc00""#, 7, "half a surrogate pair"),
            (#""\x""#, 3, "unknown escape"), (#""\u00g0""#, 5, "unknown escape"), ("\"\n\"", 1, "control character"),
            (#""a"#, 2, "string without an end"), ("truE", 0, "no JSON value"), ("{}\0", 2, "more than one value"),
            (#"{"a" 1}"#, 5, "no colon after a name"), (#"{"a":1 "b":2}"#, 7, "no comma and no end in an object"),
        ])
    func malformed(_ json: String, _ position: Int, _ message: String) {
        let error = #expect(throws: JSONError.self) { try skip(json.utf8) }
        #expect(error?.code == .malformed && error?.position == position)
        #expect(error?.message.hasPrefix(message) == true)
    }

    @Test("Numbers are read as text, and only numbers without fraction and exponent are integers")
    func numbers() throws {
        let integers = ["0", "-0", "12345678901234567890", "-7"]
        for json in integers + ["1.50", "-0.10e-05", "1E+400", "0e0"] {
            try Array("\(json) ".utf8).withUnsafeBytes { buffer in
                var scanner = JSONScanner(buffer)
                let number = try scanner.readNumber()
                #expect(scanner.string(number) == json)
                try scanner.finish()
                scanner = JSONScanner(buffer)
                #expect(try scanner.readInteger().map { scanner.string($0) } == (integers.contains(json) ? json : nil))
                try scanner.finish()
            }
        }
    }

    @Test("The range of a skipped value contains its text as written")
    func spans() throws {
        let values = [#"{ "z":1.50, "a":["]}\"",{"b":2}] }"#, "[ 1 , 2 ]", #""\"}""#, "-1.0e3", "true", "null"]
        let json = "{" + values.enumerated().map { "\n\"n\($0)\" : \($1) " }.joined(separator: ",") + "}"
        var found: [String] = []
        try Array(json.utf8).withUnsafeBytes { buffer in
            var scanner = JSONScanner(buffer)
            try scanner.readObject { scanner, _ in
                found.append(String(decoding: buffer[try scanner.skipValue()], as: UTF8.self))
            }
            try scanner.finish()
        }
        #expect(found == values)
    }

    @Test("For a skipped value without text checks, only the grammar is checked")
    func grammar() throws {
        func skip(_ json: String, checksText: Bool) throws {
            try Array(json.utf8).withUnsafeBytes { buffer in
                var scanner = JSONScanner(buffer, limits: .init(depth: 3))
                try scanner.readArray { try $0.skipValue(checksText: checksText) }
                try scanner.finish()
            }
        }
        for json in [
            #"{"a":1,"a":2}"#, #""\ud800""#, #""\udc00\ud800\ud800\udc00\ud800\u0041\ud800\n""#,
            #"{"\ud800":{"\udc00":1}}"#,
        ] {
            try skip("[\(json)]", checksText: false)
            #expect(throws: JSONError.self) { try skip("[\(json)]", checksText: true) }
            // The next value is checked completely.
            #expect(throws: JSONError.self) {
                try Array("[\(json),\(json)]".utf8).withUnsafeBytes { buffer in
                    var scanner = JSONScanner(buffer)
                    var isFirst = true
                    try scanner.readArray { scanner in
                        try scanner.skipValue(checksText: !isFirst)
                        isFirst = false
                    }
                }
            }
        }
        for json in [#"{"a":01}"#, #""\ud800\x""#, #""\ud80""#, "{", "[[[1]]]", "\"\u{1}\"", #"{"a":1,}"#] {
            #expect(throws: JSONError.self) { try skip("[\(json)]", checksText: false) }
        }
    }
}
