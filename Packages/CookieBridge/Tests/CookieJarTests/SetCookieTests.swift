// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Fuzzing) import CookieJar
import Foundation
import Testing

/// Tests of parsing (RFC 6265bis, section 5.6).
@Suite(.timeLimit(.minutes(3)))
struct SetCookieTests {
    @Test func `Name and value are at most 4,096 bytes together`() throws {
        let value = String(repeating: "v", count: 4_092)
        #expect(try SetCookie(parsing: "name=\(value)").value == value)
        #expect(refusal("name=\(value)v") == .tooLong)
        // The limit counts bytes, not characters.
        #expect(try SetCookie(parsing: "n=" + String(repeating: "é", count: 2_047)).name == "n")
        #expect(refusal("n=" + String(repeating: "é", count: 2_048)) == .tooLong)
    }

    @Test func `An attribute longer than 1,024 bytes is ignored`() throws {
        let path = "/" + String(repeating: "p", count: 1_023)
        #expect(try SetCookie(parsing: "a=b; Path=/x; Path=\(path)").path == path)
        #expect(try SetCookie(parsing: "a=b; Path=/x; Path=\(path)p").path == "/x")
        #expect(try SetCookie(parsing: "a=b; Domain=\(String(repeating: "d", count: 1_025))").domain == nil)
    }

    @Test(arguments: Array(0...0x1F) + [0x7F])
    func `A control character anywhere makes the field invalid`(byte: UInt8) throws {
        let text = String(UnicodeScalar(byte))
        for field in ["a\(text)b=c", "a=b\(text)c", "a=b; x\(text)y", "a=b; Path=/\(text)c"] {
            if byte == 0x09 {
                #expect(refusal(field) == nil)
            } else {
                #expect(refusal(field) == .controlCharacter)
            }
        }
    }

    @Test func `The parser works on bytes, not on characters`() throws {
        // A combining mark forms one character with the separator before it.
        let field = try SetCookie(parsing: "a=\u{301}b;\u{301} Secure; HttpOnly")
        #expect(field.name == "a")
        #expect(field.value.unicodeScalars.first == "\u{301}")
        #expect(!field.isSecure && field.isHTTPOnly)
    }

    @Test(arguments: [
        ("60", 60), ("-1", -1), ("-0", 0), ("0060", 60), ("99999999999999999999999", 1_000_000_000_000_000),
        ("-99999999999999999999999", -1_000_000_000_000_000), ("", 7), ("-", 7), ("+1", 7), ("1.5", 7), ("1 0", 7),
        ("--1", 7), ("٣", 7), ("0x1", 7),
    ])
    func `Max-Age is digits, or what was read before`(text: String, seconds: Int) throws {
        #expect(try SetCookie(parsing: "a=b; Max-Age=7; max-AGE=\(text)").maxAge == seconds)
    }

    @Test(
        arguments: [
            ("SameSite=None", .none), ("samesite=LAX", .lax), ("SameSite=strict", .strict),
            ("SameSite=Other", .unspecified),
            ("SameSite", .unspecified), ("SameSite=Lax; SameSite=Strict", .strict),
            ("SameSite=Lax; SameSite=x", .unspecified),
        ] as [(String, Cookie.SameSite)])
    func `The last SameSite counts`(attributes: String, sameSite: Cookie.SameSite) throws {
        #expect(try SetCookie(parsing: "a=b; \(attributes)").sameSite == sameSite)
    }

    @Test func `The last parseable value of each attribute counts`() throws {
        let field = try SetCookie(
            parsing:
                "a=b; Domain=A.example; Expires=Sun, 06 Nov 1994 08:49:37 GMT; Expires=never; DOMAIN=..B.Example; path=x"
        )
        #expect(field.domain == ".b.example")
        #expect(field.path == "")
        #expect(field.expires == Date(timeIntervalSince1970: 784_111_777))
        #expect(field.maxAge == nil && !field.isPartitioned)
        #expect(try SetCookie(parsing: "a=b; Partitioned").isPartitioned)
    }

    @Test(arguments: [
        "a=b", "a", "=a=b", "=", "", "a=b; Domain=", "a=b; Domain=..x", "a=b; Domain=.", "a=b; Domain=. x",
        "a=b; Path; Secure; HttpOnly",
        "a=b; Path=/x y; SameSite=None; Partitioned", "a=\"b\"; Max-Age=-5; Expires=1 Jan 1601 00:00:00",
        "a= b\tc ; Expires=31 Dec 9999 23:59:59", "é=ü; SameSite=Strict",
    ])
    func `A written cookie is parsed to the same cookie`(field: String) throws {
        let first = try SetCookie(parsing: field)
        #expect(try SetCookie(parsing: first.fieldValue) == first, "\(first.fieldValue)")
    }

    private func refusal(_ field: String) -> CookieRefusal.Code? {
        do throws(CookieRefusal) {
            _ = try SetCookie(parsing: field)
            return nil
        } catch {
            return error.code
        }
    }
}
