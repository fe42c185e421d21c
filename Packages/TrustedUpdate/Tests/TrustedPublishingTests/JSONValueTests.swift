// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import TrustedPublishing

/// The canonical form and the text of documents.
struct JSONValueTests {
    private func decode(_ text: String) throws -> JSONValue { try JSONValue(decoding: Data(text.utf8), at: "text") }

    @Test(
        "The canonical form has sorted names, no white space, and two escapes",
        arguments: [
            (#" { "b" : [ 1 , -2 , true , null ] , "a" : { } } "#, #"{"a":{},"b":[1,-2,true,null]}"#),
            (#"{"\u0061\"\\/":"\n\té"}"#, "{\"a\\\"\\\\/\":\"\n\té\"}"),
            // The order is that of UTF-8 bytes, and names that are only canonically equivalent stay.
            (
                "{\"\u{E9}\":1,\"e\u{301}\":2,\"z\":3,\"\u{1F600}\":4,\"\u{FF5A}\":5}",
                "{\"e\u{301}\":2,\"z\":3,\"\u{E9}\":1,\"\u{FF5A}\":5,\"\u{1F600}\":4}"
            ),
            ("[9223372036854775807,-9223372036854775808]", "[9223372036854775807,-9223372036854775808]"),
        ])
    func canonical(text: String, expected: String) throws {
        let value = try decode(text)
        #expect(Data(value.canonical) == Data(expected.utf8))
        #expect(try JSONValue(decoding: value.document, at: "document").canonical == value.canonical)
    }

    @Test("The text of a document has one line for each value, and escaped control characters")
    func document() throws {
        let text = "{\n \"a\": [\n  1,\n  {\n   \"b\": \"\\u0000\\u000a\\u001f\u{7F}\"\n  }\n ],\n \"c\": []\n}\n"
        #expect(String(decoding: try decode(text).document, as: UTF8.self) == text)
    }

    @Test(
        "Numbers that are no 64-bit integers, names that come twice and malformed texts are refused",
        arguments: ["1.5", "1e2", "9223372036854775808", #"{"a":1,"\u0061":2}"#, "{", "", #"["\ud800"]"#, "1 2"])
    func refused(text: String) throws {
        let error = #expect(throws: PublishingError.self) { try decode(text) }
        #expect(error?.code == .badMetadata && error?.location == "text")
    }

    @Test("The nesting depth is limited")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try decode(nested(32)).elements.count == 1)
        #expect(throws: PublishingError.self) { try decode(nested(33)) }
    }
}
