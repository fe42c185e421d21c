// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Lists in field values (RFC 9110, section 5.6.1).
public enum FieldList {
    /// Returns the members of a list, without the whitespace around them; empty members are left out.
    ///
    /// A comma within a quoted string does not divide. If a quotation mark is never closed, all marks count as other
    /// bytes, so that a broken field cannot hide the members after it, such as `no-store`.
    @inlinable
    public static func members(of value: some StringProtocol) -> [Substring] { members(in: Substring(value)) }

    @usableFromInline
    static func members(in value: Substring) -> [Substring] {
        guard value.utf8.contains(UInt8(ascii: "\"")) else {
            return value.utf8.split(separator: UInt8(ascii: ",")).compactMap { nonEmpty(Substring($0)) }
        }
        let members =
            QuotedString.split(value, at: UInt8(ascii: ","), isClosed: true)
            ?? value.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0) }
        return members.compactMap(nonEmpty)
    }

    /// Returns the members of all fields of one name, in their order (RFC 9110, section 5.3).
    @inlinable
    public static func members(of values: some Sequence<String>) -> [Substring] {
        values.flatMap { members(of: $0) }
    }

    private static func nonEmpty(_ member: Substring) -> Substring? {
        let member = member.trimmingFieldWhitespace
        return member.isEmpty ? nil : member
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The text without optional whitespace (RFC 9110, section 5.6.3) at both ends.
    @inlinable
    public var trimmingFieldWhitespace: Substring {
        let bytes = self[...].utf8
        guard let start = bytes.firstIndex(where: { !$0.isFieldWhitespace }),
            let end = bytes.lastIndex(where: { !$0.isFieldWhitespace })
        else { return "" }
        return Substring(bytes[start...end])
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without optional whitespace (RFC 9110, section 5.6.3) at both ends.
    @inlinable
    public var trimmingFieldWhitespace: SubSequence {
        guard let start = firstIndex(where: { !$0.isFieldWhitespace }),
            let end = lastIndex(where: { !$0.isFieldWhitespace })
        else { return self[endIndex...] }
        return self[start...end]
    }
}
