// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The character references in attribute values (HTML, section "Character reference state").
///
/// Only ASCII characters are relevant for URLs and style sheets. A numeric reference beyond ASCII becomes one byte
/// without meaning. Other named references are not decoded.
enum CharacterReferences {
    /// Decodes the value of an attribute.
    static func decode(_ written: some RandomAccessCollection<UInt8>) -> DecodedText {
        guard written.contains(UInt8(ascii: "&")) else { return DecodedText(written) }
        let written = Array(written)
        var text = DecodedText(decodingUpTo: written.count)
        var index = 0
        while index < written.count {
            if written[index] == UInt8(ascii: "&"), let (byte, end) = reference(in: written, at: index) {
                text.append(byte, at: index)
                index = end
            } else {
                text.append(written[index], at: index)
                index += 1
            }
        }
        text.end(at: written.count)
        return text
    }

    /// Returns the escaped form of a character in a value with these quotes, or without quotes; `nil` if it needs no
    /// escape.
    static func escape(_ byte: UInt8, quote: UInt8?) -> [UInt8]? {
        switch byte {
        case UInt8(ascii: "&"): Array("&amp;".utf8)
        case UInt8(ascii: "\"") where quote != UInt8(ascii: "'"): Array("&quot;".utf8)
        case UInt8(ascii: "'") where quote != UInt8(ascii: "\""): Array("&#39;".utf8)
        case UInt8(ascii: "<"): Array("&lt;".utf8)
        case UInt8(ascii: ">"): Array("&gt;".utf8)
        case UInt8(ascii: "="), UInt8(ascii: "`"), 0x09, 0x0A, 0x0C, 0x0D, 0x20:
            quote == nil ? Array("&#\(byte);".utf8) : nil
        default: nil
        }
    }

    /// Returns the character of a reference and the end of the reference.
    private static func reference(in bytes: [UInt8], at start: Int) -> (UInt8, Int)? {
        guard start + 1 < bytes.count else { return nil }
        return bytes[start + 1] == UInt8(ascii: "#")
            ? number(in: bytes, at: start + 2) : name(in: bytes, at: start + 1)
    }

    private static func number(in bytes: [UInt8], at start: Int) -> (UInt8, Int)? {
        var index = start
        let isHex = index < bytes.count && bytes[index] | 0x20 == UInt8(ascii: "x")
        if isHex { index += 1 }
        let first = index
        var value = 0
        while index < bytes.count, let digit = bytes[index].hexDigitValue, isHex || digit < 10 {
            value = min(value * (isHex ? 16 : 10) + Int(digit), 0x11_0000)
            index += 1
        }
        guard index > first else { return nil }
        if index < bytes.count, bytes[index] == UInt8(ascii: ";") { index += 1 }
        return ((1..<0x80).contains(value) ? UInt8(value) : 0x80, index)
    }

    private static func name(in bytes: [UInt8], at start: Int) -> (UInt8, Int)? {
        var end = start
        while end < bytes.count, end - start < 20, bytes[end].isASCIILetter || bytes[end].isASCIIDigit { end += 1 }
        guard end > start else { return nil }
        if end < bytes.count, bytes[end] == UInt8(ascii: ";") {
            return names[String(decoding: bytes[start..<end], as: UTF8.self)].map { ($0, end + 1) }
        }
        // In an attribute, a name without a semicolon counts only if no letter, digit or `=` follows.
        guard end == bytes.count || bytes[end] != UInt8(ascii: "=") else { return nil }
        return old[String(decoding: bytes[start..<end], as: UTF8.self)].map { ($0, end) }
    }

    /// The names that need no semicolon.
    private static let old: [String: UInt8] = [
        "amp": 0x26, "AMP": 0x26, "lt": 0x3C, "LT": 0x3C, "gt": 0x3E, "GT": 0x3E, "quot": 0x22, "QUOT": 0x22,
    ]

    /// The names of all single ASCII characters.
    private static let names: [String: UInt8] = old.merging(
        [
            "Tab": 0x09, "NewLine": 0x0A, "excl": 0x21, "num": 0x23, "dollar": 0x24, "percnt": 0x25, "apos": 0x27,
            "lpar": 0x28, "rpar": 0x29, "ast": 0x2A, "midast": 0x2A, "plus": 0x2B, "comma": 0x2C, "period": 0x2E,
            "sol": 0x2F, "colon": 0x3A, "semi": 0x3B, "equals": 0x3D, "quest": 0x3F, "commat": 0x40, "lsqb": 0x5B,
            "lbrack": 0x5B, "bsol": 0x5C, "rsqb": 0x5D, "rbrack": 0x5D, "Hat": 0x5E, "lowbar": 0x5F, "UnderBar": 0x5F,
            "grave": 0x60, "DiacriticalGrave": 0x60, "lcub": 0x7B, "lbrace": 0x7B, "verbar": 0x7C, "vert": 0x7C,
            "VerticalLine": 0x7C, "rcub": 0x7D, "rbrace": 0x7D,
        ], uniquingKeysWith: { first, _ in first })
}
