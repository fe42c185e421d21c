// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension JSONScanner {
    /// Reads a value of any kind as text, for messages whose senders do not agree on the kinds of their values.
    /// - Returns: the content of a string; a number, `true` or `false` as written; the JSON text of an object or an
    ///   array; `nil` for `null`.
    /// - Throws: ``JSONError``.
    public mutating func readAsText() throws -> String? {
        if try readNull() { return nil }
        if nextToken() == UInt8(ascii: "\"") {
            // Reading changes the buffer of unescaped strings, so it must precede the access to `self` by `string(_:)`.
            let text = try readString()
            return string(text)
        }
        return String(decoding: bytes[try skipValue()], as: UTF8.self)
    }

    /// Returns a Boolean value that indicates whether the next value is an object or an array.
    public mutating func isAtContainer() -> Bool {
        let token = nextToken()
        return token == UInt8(ascii: "{") || token == UInt8(ascii: "[")
    }
}
