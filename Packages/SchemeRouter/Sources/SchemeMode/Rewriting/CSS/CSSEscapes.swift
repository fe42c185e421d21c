// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The escapes of CSS (CSS Syntax Level 3, section 4.3.7).
enum CSSEscapes {
    /// Returns the end of the escape that begins with the backslash at `index`; `nil` if more bytes are required.
    static func end(of bytes: some RandomAccessCollection<UInt8>, at index: Int, isLast: Bool) -> Int? {
        let count = bytes.count
        let at = { (offset: Int) in bytes[bytes.index(bytes.startIndex, offsetBy: offset)] }
        guard index + 1 < count else { return isLast ? count : nil }
        var end = index + 1
        guard at(end).hexDigitValue != nil else {
            // CR LF is one line break.
            guard at(end) == 0x0D else { return end + 1 }
            guard end + 1 < count else { return isLast ? count : nil }
            return at(end + 1) == 0x0A ? end + 2 : end + 1
        }
        while end < count, end - index <= 6, at(end).hexDigitValue != nil { end += 1 }
        guard end < count else { return isLast ? end : nil }
        guard at(end).isASCIIWhitespace else { return end }
        guard at(end) == 0x0D else { return end + 1 }
        guard end + 1 < count else { return isLast ? count : nil }
        return at(end + 1) == 0x0A ? end + 2 : end + 1
    }

    /// Returns the escaped form of a character in `url()` or a string; `nil` if it needs no escape.
    static func escape(_ byte: UInt8) -> [UInt8]? {
        "\"'()\\".utf8.contains(byte) ? [UInt8(ascii: "\\"), byte] : nil
    }

    /// Decodes the escapes of a text.
    static func decode(_ written: Slice<UnsafeBufferPointer<UInt8>>, hasTwoByteLetters: Bool) -> DecodedText {
        guard written.contains(UInt8(ascii: "\\")) else { return DecodedText(written) }
        let bytes = Array(written)
        var text = DecodedText(decodingUpTo: bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\"), let end = end(of: bytes, at: index, isLast: true) else {
                text.append(bytes[index], at: index)
                if hasTwoByteLetters, letter(bytes[index], index + 1 < bytes.count ? bytes[index + 1] : nil) == 2 {
                    index += 1
                    text.append(0x80, at: index)
                }
                index += 1
                continue
            }
            if index + 1 < bytes.count, let byte = value(bytes[(index + 1)..<end]) { text.append(byte, at: index) }
            index = end
        }
        text.end(at: bytes.count)
        return text
    }

    /// Returns the value of an escape; `nil` for an escaped line break, which has no value.
    private static func value(_ escaped: ArraySlice<UInt8>) -> UInt8? {
        guard let first = escaped.first, ![0x0A, 0x0C, 0x0D].contains(first) else { return nil }
        guard first.hexDigitValue != nil else { return first }
        let value = escaped.prefix { $0.hexDigitValue != nil }.reduce(0) { $0 * 16 + Int($1.hexDigitValue ?? 0) }
        return (1..<0x80).contains(value) ? UInt8(value) : 0x80
    }

    /// Returns the number of bytes of a character in charsets with two-byte characters. The first byte is at least
    /// 0x81 and the second at least 0x40.
    static func letter(_ first: UInt8, _ second: UInt8?) -> Int {
        guard (0x81..<0xFF).contains(first), let second, second >= 0x40 else { return 1 }
        return 2
    }
}
