// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Media types in field values (RFC 9110, section 8.3.1).
public enum MediaType {
    /// Returns type and subtype in lower case, without parameters and without the whitespace around them.
    @inlinable
    public static func essence(of field: some StringProtocol) -> String {
        let field = Substring(field)
        let end = field.utf8.firstIndex(of: UInt8(ascii: ";")) ?? field.endIndex
        return field[..<end].trimmingFieldWhitespace.asciiLowercased
    }
}
