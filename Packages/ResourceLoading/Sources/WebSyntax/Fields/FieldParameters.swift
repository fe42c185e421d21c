// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A field value with parameters (RFC 9110, section 5.6.6), such as `attachment; filename="a.txt"`.
public struct FieldParameters: Sendable, Hashable {
    /// The text before the first parameter, without surrounding white space.
    public let value: Substring
    private let parameters: [Substring]

    /// Splits a field value at its semicolons. Semicolons in quoted strings are not separators.
    @inlinable
    public init(_ field: some StringProtocol) {
        self.init(in: Substring(field))
    }

    @usableFromInline
    init(in field: Substring) {
        var parts = QuotedString.split(field, at: UInt8(ascii: ";"), isClosed: false) ?? []
        value = parts.isEmpty ? "" : parts.removeFirst().trimmingFieldWhitespace
        parameters = parts
    }

    /// Returns the value of the first parameter with a name, without unescaping it.
    /// - Parameter name: the name in lowercase; names are case-insensitive.
    public func rawValue(of name: StaticString) -> Substring? {
        for parameter in parameters {
            guard let equals = parameter.utf8.firstIndex(of: UInt8(ascii: "=")),
                parameter[..<equals].trimmingFieldWhitespace.utf8.equalsIgnoringCase(name)
            else { continue }
            return parameter[parameter.utf8.index(after: equals)...].trimmingFieldWhitespace
        }
        return nil
    }

    /// The value of the first parameter with a name. A quoted string is unescaped.
    /// - Parameter name: the name in lowercase; names are case-insensitive.
    public subscript(name: StaticString) -> String? {
        rawValue(of: name).map(QuotedString.content)
    }
}

/// Media types in field values (RFC 9110, section 8.3.1).
public enum MediaType {
    /// Returns the type and subtype in lowercase, without parameters and surrounding white space.
    @inlinable
    public static func essence(of field: some StringProtocol) -> String {
        let field = Substring(field)
        let end = field.utf8.firstIndex(of: UInt8(ascii: ";")) ?? field.endIndex
        return field[..<end].trimmingFieldWhitespace.asciiLowercased
    }
}
