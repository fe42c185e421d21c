// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Quoted strings (RFC 9110, section 5.6.4).
public enum QuotedString {
    /// Returns the unescaped content of a quoted string. A token is returned unchanged.
    @inlinable
    public static func content(of text: some StringProtocol) -> String { content(in: Substring(text)) }

    @usableFromInline
    static func content(in text: Substring) -> String {
        guard text.utf8.count >= 2, text.utf8.first == UInt8(ascii: "\""), text.utf8.last == UInt8(ascii: "\"") else {
            return String(text)
        }
        let inner = text.utf8.dropFirst().dropLast()
        var result: [UInt8] = []
        result.reserveCapacity(inner.count)
        var isEscaped = false
        for byte in inner {
            if byte == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
            } else {
                result.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Splits a field value at a separator outside of quoted strings. The parts are not trimmed, and empty parts are
    /// included.
    /// - Parameter isClosed: `true` to return `nil` if a quoted string is never closed; `false` to end the string with
    ///   the value.
    static func split(_ value: Substring, at separator: UInt8, isClosed: Bool) -> [Substring]? {
        let text = value.utf8
        var parts: [Substring] = []
        var start = text.startIndex
        var index = start
        var isQuoted = false
        while index < text.endIndex {
            let byte = text[index]
            if isQuoted, byte == UInt8(ascii: "\\") {
                index = text.index(after: index)
                guard index < text.endIndex else { break }
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if !isQuoted, byte == separator {
                parts.append(value[start..<index])
                start = text.index(after: index)
            }
            index = text.index(after: index)
        }
        if isQuoted, isClosed { return nil }
        return parts + [value[start...]]
    }
}
