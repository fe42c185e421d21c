// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@Suite(.timeLimit(.minutes(1)))
struct TextTests {
    static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    static let alphanumerics = letters + "0123456789"

    @Test(
        arguments: [
            (ASCIISet.token, alphanumerics + "!#$%&'*+-.^_`|~"), (.unreserved, alphanumerics + "-._~"),
            (.path, alphanumerics + "-._~!$&'()*+,;=:@/"), (.query, alphanumerics + "-._~!$&'()*+,;=:@/?"),
        ])
    func `The sets have the bytes of their standards`(set: ASCIISet, bytes: String) {
        for byte in UInt8.min...UInt8.max { #expect(set.contains(byte) == bytes.utf8.contains(byte), "\(byte)") }
        #expect(ASCIISet.all.contains(0x7F) && !ASCIISet.all.contains(0x80))
    }

    @Test func `The byte classes contain only ASCII bytes`() {
        for byte in UInt8.min...UInt8.max {
            #expect(byte.isASCIIDigit == "0123456789".utf8.contains(byte))
            #expect(byte.isASCIILetter == Self.letters.utf8.contains(byte))
            #expect(byte.isASCIILowercase == Self.letters.utf8.prefix(26).contains(byte))
            #expect(byte.isASCIIUppercase == Self.letters.utf8.suffix(26).contains(byte))
            #expect(byte.isASCIIAlphanumeric == Self.alphanumerics.utf8.contains(byte))
            #expect(byte.isASCIIWhitespace == [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(byte))
            #expect(byte.isFieldWhitespace == [0x09, 0x20].contains(byte))
            #expect(byte.isTokenByte == ASCIISet.token.contains(byte))
            #expect(byte.isLowercaseHexDigit == "0123456789abcdef".utf8.contains(byte))
            let character = Character(Unicode.Scalar(byte))
            #expect(byte.hexDigitValue.map { Int($0) } == (byte < 0x80 ? character.hexDigitValue : nil))
            #expect(byte.asciiLowercased == (byte < 0x80 ? character.lowercased().utf8.first : byte))
        }
    }

    @Test func `The case of ASCII letters is ignored`() {
        #expect("ChunkED".utf8.equalsIgnoringCase("chunked"))
        #expect(!"chunkeds".utf8.equalsIgnoringCase("chunked"))
        #expect("BYTES=1".utf8.startsIgnoringCase("bytes="))
        #expect(!"byte".utf8.startsIgnoringCase("bytes="))
        // Unicode maps the Kelvin sign to k.
        #expect(!"\u{212A}eep".utf8.equalsIgnoringCase("keep"))
        #expect("AÄ\u{212A}".asciiLowercased == "aÄ\u{212A}")
        #expect("AB"[...].asciiLowercased == "ab")
    }

    @Test func `Numbers consist of digits only, and overflow is rejected or saturates`() {
        #expect(Int64(decimalDigits: "0042".utf8) == 42)
        #expect(UInt16(decimalDigits: "65535".utf8) == 65_535)
        for text in ["", "+1", "-1", "1 ", "1a", "65536", "99999999999999999999999", "٤"] {
            #expect(UInt16(decimalDigits: text.utf8) == nil)
        }
        #expect(Int64(saturatingDecimalDigits: "9223372036854775807".utf8) == .max)
        #expect(Int64(saturatingDecimalDigits: "9223372036854775808".utf8) == .max)
        #expect(Int64(saturatingDecimalDigits: "".utf8) == nil)
        #expect(Int64(saturatingDecimalDigits: "99999999999999999999x".utf8) == nil)
    }

    @Test func `Bytes are escaped with digits in upper case`() {
        #expect(PercentEncoding.encode("aZ09-._~", keeping: .unreserved) == "aZ09-._~")
        #expect(PercentEncoding.encode("a b%é/\n", keeping: .unreserved) == "a%20b%25%C3%A9%2F%0A")
        #expect(PercentEncoding.encode("/a b?é", keeping: .all) == "/a b?%C3%A9")
        #expect(PercentEncoding.encode("", keeping: .unreserved) == "")
        var bytes: [UInt8] = []
        for byte in UInt8.min...UInt8.max { PercentEncoding.appendEscape(of: byte, to: &bytes) }
        #expect(PercentEncoding.decode(bytes) == Array(UInt8.min...UInt8.max))
    }

    @Test func `Invalid escapes are rejected, or unchanged in lenient decoding`() {
        #expect(PercentEncoding.decodeText("%e2%82%AC+") == "€+")
        for text in ["%", "%2", "%zz", "a%2", "%%20", "%2g", "%+1"] {
            #expect(PercentEncoding.decode(text.utf8) == nil)
            #expect(PercentEncoding.decodeText(text) == nil)
        }
        #expect(PercentEncoding.decodeText("%ff") == nil)
        let lenient = { (text: String) in String(decoding: PercentEncoding.decodeLeniently(text.utf8), as: UTF8.self) }
        for (text, decoded) in [("%", "%"), ("%2", "%2"), ("%zz%20", "%zz "), ("%%20", "% "), ("a%41+", "aA+")] {
            #expect(lenient(text) == decoded)
        }
        #expect(PercentEncoding.decodeLeniently("a+%2B".utf8, isForm: true) == Array("a +".utf8))
    }

    @Test func `An incomplete escape is not decoded`() {
        let bytes = Array("%41%4".utf8)
        #expect(PercentEncoding.escapedByte(in: bytes, at: 0) == 0x41)
        for index in 1..<5 { #expect(PercentEncoding.escapedByte(in: bytes, at: index) == nil) }
        #expect(PercentEncoding.escapedByte(in: bytes[..<3], at: 0) == 0x41)
    }
}
