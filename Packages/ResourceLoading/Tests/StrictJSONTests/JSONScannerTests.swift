// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import StrictJSON
import Testing

@Suite("The JSON scanner", .timeLimit(.minutes(1)))
struct JSONScannerTests {
    private func skip(_ bytes: some Sequence<UInt8>, limits: JSONScanner.Limits = .init()) throws {
        try Array(bytes).withUnsafeBytes { buffer in
            var scanner = JSONScanner(buffer, limits: limits)
            try scanner.skipValue()
            try scanner.finish()
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
        "A name twice in one object is refused, wherever the object is",
        arguments: [
            #"{"a":1,"a":1}"#, #"{"a":1,"b":{},"a":2}"#, #"{"x":[{"a":1,"a":2}]}"#, #"{"":0,"":0}"#,
            #"{"a":1,"\u0061":2}"#, #"{"\/":1,"/":2}"#, #"{"ä":1,"\u00e4":2}"#, #"[{"a":{"b":1,"c":2,"b":3}}]"#,
        ])
    func repeatedNames(_ json: String) {
        #expect(code(json) == .repeatedName)
    }

    @Test(
        "Names that differ in bytes are two, and so are names of two objects",
        arguments: [
            #"{"a":{"a":{"a":1}},"b":{"a":1}}"#, #"[{"a":1},{"a":1}]"#, #"{"a":1,"A":2,"aa":3}"#,
            "{\"\u{E9}\":1,\"e\u{301}\":2}",
        ])
    func differentNames(_ json: String) {
        #expect(code(json) == nil)
    }

    @Test("A name twice is found among many", arguments: [2, 31, 32, 33, 34, 5_000])
    func manyNames(_ count: Int) {
        let names = (0..<count).map { #""n\#($0)":{"n":0}"# }
        #expect(code("{\(names.joined(separator: ","))}") == nil)
        for twice in [0, count / 2, count - 1] {
            #expect(code("{\((names + [names[twice]]).joined(separator: ","))}") == .repeatedName)
        }
    }

    @Test("Limits of depth, names and their length")
    func limits() {
        var limits = JSONScanner.Limits()
        (limits.depth, limits.names, limits.nameLength) = (3, 4, 5)
        #expect(code(#"{"a":[{"b":1}],"c":1,"d":1,"12345":1}"#, limits: limits) == nil)
        #expect(code(#"{"a":[{"b":[]}]}"#, limits: limits) == .tooMany)
        #expect(code(#"{"a":{"b":1,"c":1},"d":{"b":1,"c":1,"d":1},"e":0}"#, limits: limits) == .tooMany)
        #expect(code(#"{"123456":1}"#, limits: limits) == .tooLong)
    }

    @Test("Long texts are checked in pieces that no letter is cut by", arguments: 0...5)
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

    @Test("Strings are read with and without escapes")
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
}
