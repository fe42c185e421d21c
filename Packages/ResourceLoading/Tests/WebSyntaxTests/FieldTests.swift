// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@Suite(.timeLimit(.minutes(1)))
struct FieldTests {
    @Test func `Optional whitespace consists of spaces and tabs`() {
        for (text, trimmed) in [
            ("a", "a"), (" \ta b\t ", "a b"), ("", ""), (" \t", ""), ("\na\u{A0}", "\na\u{A0}"),
            (" \u{301}a ", "\u{301}a"),
        ] {
            #expect(text.trimmingFieldWhitespace == trimmed)
            #expect(text[...].trimmingFieldWhitespace == trimmed)
            #expect(text.utf8.trimmingFieldWhitespace.elementsEqual(trimmed.utf8))
        }
    }

    @Test(
        arguments: [
            ("a, b", ["a", "b"]), (",, a ,\tb,", ["a", "b"]), ("", []), (" , ", []), ("\"a,b\", c", ["\"a,b\"", "c"]),
            ("a=\"\\\",\", b", ["a=\"\\\",\"", "b"]), ("a=\"b, no-store", ["a=\"b", "no-store"]),
            ("a=\"b\\", ["a=\"b\\"]), ("private=\"a, b\", \"", ["private=\"a", "b\"", "\""]),
        ])
    func `Lists are divided at commas outside of quoted strings`(text: String, members: [String]) {
        #expect(FieldList.members(of: text).map(String.init) == members)
    }

    @Test func `Fields with the same name form one list`() {
        #expect(FieldList.members(of: ["a, b", "", "c"]) == ["a", "b", "c"])
    }

    @Test func `The content of a quoted string has no quotation marks and no escapes`() {
        for (text, content) in [
            ("a", "a"), ("\"a\"", "a"), ("\"a\\\"b\\\\\"", "a\"b\\"), ("\"", "\""), ("\"\"", ""), ("\"a", "\"a"),
        ] { #expect(QuotedString.content(of: text) == content) }
    }

    @Test func `Parameters are read by their name`() {
        let field = FieldParameters("Attachment ; FileName = \"a;\\\"b\" ; x=1; x=2; y")
        #expect(field.value == "Attachment")
        #expect(field["filename"] == "a;\"b")
        #expect(field.rawValue(of: "filename") == "\"a;\\\"b\"")
        #expect(field["x"] == "1")
        #expect(field["y"] == nil)
        #expect(FieldParameters("").value.isEmpty)
        #expect(FieldParameters("a; b=\"c; d=e")["b"] == "\"c; d=e")
    }

    @Test func `The essence of a media type has no parameters`() {
        for (field, essence) in [
            ("Text/HTML; charset=utf-8", "text/html"), (" text/css ", "text/css"), ("", ""), (";a", ""),
            ("application/JSON ;x", "application/json"),
        ] { #expect(MediaType.essence(of: field) == essence) }
    }

    @Test func `Connection fields are those of the standard and those that Connection lists`() {
        #expect(ConnectionFields.names(namedBy: []) == ConnectionFields.names)
        let names = ConnectionFields.names(namedBy: ["close, X-Own", " \tETag,"])
        #expect(names == ConnectionFields.names.union(["close", "x-own", "etag"]))
        #expect(names.isSuperset(of: ["transfer-encoding", "proxy-authentication-info"]))
        #expect(!names.contains("content-length"))
    }

    @Test func `Scripts cannot set forbidden fields`() {
        for name in ["cookie", "host", "proxy-x", "sec-fetch-mode", "access-control-request-private-network"] {
            #expect(ForbiddenRequestFields.contains(name))
            #expect(ForbiddenRequestFields.contains(name, value: ""))
        }
        for name in ["accept", "user-agent", "x-http-method", "proxy", "secret"] {
            #expect(!ForbiddenRequestFields.contains(name))
        }
        #expect(ForbiddenRequestFields.contains("x-http-method", value: "GET, Track"))
        #expect(!ForbiddenRequestFields.contains("x-http-method", value: "GET, Tracks"))
    }
}
