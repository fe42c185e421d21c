// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What cookies ask of bytes. Cookies are octets, not characters: a combining mark behind a `=` makes one character of the
/// two, and yet there is a `=`.
enum CookieBytes {
    /// Whether a byte ends the processing of a cookie (RFC 6265bis, section 5.6, step 1): all control characters but the tab.
    static func isControl(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != 0x09) || byte == 0x7F
    }

    /// The bytes without spaces and tabs at both ends.
    static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        var bytes = bytes
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    /// Splits at the first of these bytes, which is in neither part.
    static func split(
        _ bytes: Substring.UTF8View, at separator: UInt8
    ) -> (head: Substring.UTF8View, tail: Substring.UTF8View?) {
        guard let place = bytes.firstIndex(of: separator) else { return (bytes, nil) }
        return (bytes[..<place], bytes[bytes.index(after: place)...])
    }

    /// Whether the text begins with this one; letters of ASCII have no case.
    static func hasPrefix(_ text: some Collection<UInt8>, _ lowercase: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: lowercase.utf8Start, count: lowercase.utf8CodeUnitCount)
        return text.prefix(wanted.count).elementsEqual(wanted) { lowered($0) == $1 }
    }

    /// Whether the text is this one; letters of ASCII have no case.
    static func isEqual(_ text: some Collection<UInt8>, _ lowercase: StaticString) -> Bool {
        text.count == lowercase.utf8CodeUnitCount && hasPrefix(text, lowercase)
    }

    /// The text with the letters of ASCII in lower case, and all else as it is.
    static func lowercased(_ text: some Sequence<UInt8>) -> String {
        String(decoding: text.map(lowered), as: UTF8.self)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
