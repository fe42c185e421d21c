// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// A strong validator of one representation, for use in `If-Range`.
struct RangeValidator: Sendable, Hashable, Codable {
    /// The field value: an entity tag in quotes, or a date.
    let text: String

    private enum CodingKeys: String, CodingKey {
        case text
    }

    /// Creates the strong validator of a response, or returns `nil` if it has none.
    ///
    /// The validator is an entity tag without `W/`, otherwise a `Last-Modified` at least one minute before `Date` (RFC
    /// 9110, sections 8.8.2.2 and 13.1.5; the minute covers differences between clocks).
    init?(_ fields: HTTPFields, now: Date) {
        if let tag = fields[.eTag], Self.isStrongTag(tag) {
            text = tag
            return
        }
        guard let modified = fields[.lastModified], let date = fields[.date],
            let earlier = HTTPDate.parse(modified, now: now), let later = HTTPDate.parse(date, now: now),
            later.timeIntervalSince(earlier) >= 60
        else { return nil }
        text = modified
    }

    /// Returns a Boolean value that indicates whether a response has a different validator. The value is `false` if the
    /// response has none.
    func isContradicted(by fields: HTTPFields) -> Bool {
        if Self.isStrongTag(text) { return fields[.eTag].map { $0 != text } ?? false }
        return fields[.lastModified].map { $0 != text } ?? false
    }

    /// Returns a Boolean value that indicates whether a text is a strong entity tag (RFC 9110, section 8.8.3) of at
    /// most 512 bytes.
    private static func isStrongTag(_ text: String) -> Bool {
        let bytes = text.utf8
        return (2...512).contains(bytes.count) && bytes.first == UInt8(ascii: "\"")
            && bytes.last == UInt8(ascii: "\"")
            && bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }
    }
}
