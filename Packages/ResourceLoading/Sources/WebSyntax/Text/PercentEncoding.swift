// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Percent-encoding (RFC 3986, section 2.1; URL Standard, section 1.3).
public enum PercentEncoding {
    /// Returns the text with an escape for each UTF-8 byte that is not in `allowed`. A `%` has no special meaning.
    @inlinable
    public static func encode(_ text: some StringProtocol, keeping allowed: ASCIISet) -> String {
        guard text.utf8.contains(where: { !allowed.contains($0) }) else { return String(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if allowed.contains(byte) { bytes.append(byte) } else { appendEscape(of: byte, to: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the escape of a byte with uppercase digits (RFC 3986, section 2.1).
    @inlinable
    public static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(uppercaseHexDigit(byte &>> 4))
        bytes.append(uppercaseHexDigit(byte & 0xF))
    }

    /// Returns the byte that an escape encodes.
    /// - Parameters:
    ///   - bytes: the encoded text.
    ///   - index: the offset of a byte that may be a `%`; less than the number of bytes.
    /// - Returns: `nil` if no complete escape begins at the offset.
    @inlinable
    public static func escapedByte(in bytes: some RandomAccessCollection<UInt8>, at index: Int) -> UInt8? {
        let start = bytes.index(bytes.startIndex, offsetBy: index)
        guard bytes[start] == UInt8(ascii: "%"), bytes.count - index > 2,
            let high = bytes[bytes.index(start, offsetBy: 1)].hexDigitValue,
            let low = bytes[bytes.index(start, offsetBy: 2)].hexDigitValue
        else { return nil }
        return high &<< 4 | low
    }

    /// Returns the decoded bytes. A plus sign stays unchanged.
    /// - Returns: `nil` if a `%` is not followed by two digits.
    @inlinable
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue else { return nil }
            bytes.append(high &<< 4 | low)
        }
        return bytes
    }

    /// Returns the decoded text. A plus sign stays unchanged.
    /// - Returns: `nil` if a `%` is not followed by two digits, or if the decoded bytes are not UTF-8.
    @inlinable
    public static func decodeText(_ text: some StringProtocol) -> String? {
        decode(text.utf8).flatMap { String(validUTF8: $0) }
    }

    /// Returns the decoded bytes. A `%` that is not followed by two digits stays unchanged (URL Standard,
    /// percent-decode).
    /// - Parameters:
    ///   - text: the encoded bytes.
    ///   - isForm: `true` to decode a plus sign to a space (URL Standard, `application/x-www-form-urlencoded`
    ///     parsing).
    @inlinable
    public static func decodeLeniently(_ text: some Collection<UInt8>, isForm: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexDigitValue,
                let low = rest.dropFirst().first?.hexDigitValue
            {
                result.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                result.append(isForm && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return result
    }

    @inlinable
    static func uppercaseHexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 &+ value : 0x37 &+ value
    }
}
