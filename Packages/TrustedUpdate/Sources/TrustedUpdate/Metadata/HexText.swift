// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// Hexadecimal digits as bytes.
enum HexText {
    /// Returns the bytes that pairs of digits stand for, or `nil` if the text has other characters or an odd length.
    static func bytes(of text: String) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var rest = digits.makeIterator()
        while let first = rest.next(), let second = rest.next() {
            guard let high = first.hexDigitValue, let low = second.hexDigitValue else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Returns the lowercase digits of bytes.
    static func digits(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }
}
