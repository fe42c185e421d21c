// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What cookies ask of bytes. Cookies are octets, not characters: a combining mark behind a `=` makes one character of the
/// two, and yet there is a `=`.
enum CookieBytes {
    /// Whether a byte ends the processing of a cookie (RFC 6265bis, section 5.6, step 1): all control characters but the tab.
    static func isControl(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != 0x09) || byte == 0x7F
    }

    /// Splits at the first of these bytes, which is in neither part.
    static func split(
        _ bytes: Substring.UTF8View, at separator: UInt8
    ) -> (head: Substring.UTF8View, tail: Substring.UTF8View?) {
        guard let place = bytes.firstIndex(of: separator) else { return (bytes, nil) }
        return (bytes[..<place], bytes[bytes.index(after: place)...])
    }
}
