// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Lists in field values (RFC 9110, section 5.6.1).
public enum FieldList {
    /// Returns the members of a list without surrounding white space. Empty members are omitted.
    ///
    /// A comma in a quoted string is not a separator. If a quotation mark is never closed, all quotation marks are
    /// treated as ordinary bytes. A malformed field therefore cannot hide the members after it, such as `no-store`.
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

    /// Returns the members of all fields of one name in order (RFC 9110, section 5.3).
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
    /// The text without leading and trailing optional white space (RFC 9110, section 5.6.3).
    @inlinable
    public var trimmingFieldWhitespace: Substring { Substring(self[...].utf8.trimmingFieldWhitespace) }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without leading and trailing optional white space (RFC 9110, section 5.6.3).
    @inlinable
    public var trimmingFieldWhitespace: SubSequence {
        guard let start = firstIndex(where: { !$0.isFieldWhitespace }),
            let end = lastIndex(where: { !$0.isFieldWhitespace })
        else { return self[endIndex...] }
        return self[start...end]
    }
}
