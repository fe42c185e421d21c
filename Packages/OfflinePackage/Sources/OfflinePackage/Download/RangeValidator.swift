// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// What names one representation byte for byte, so that a range may be asked for with `If-Range`.
struct RangeValidator: Sendable, Hashable, Codable {
    /// As it stands in the field: an entity tag in quotes, or a date.
    let text: String

    private enum CodingKeys: String, CodingKey {
        case text
    }

    /// The validator of an answer, where it has a strong one: an entity tag that does not say `W/`, else a
    /// `Last-Modified` that lies a minute and more before `Date` (RFC 9110, sections 8.8.2.2 and 13.1.5; the minute
    /// covers clocks that differ).
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

    /// Whether an answer speaks of another representation than this. One that does not say is no other.
    func isContradicted(by fields: HTTPFields) -> Bool {
        if Self.isStrongTag(text) { return fields[.eTag].map { $0 != text } ?? false }
        return fields[.lastModified].map { $0 != text } ?? false
    }

    /// An entity tag of RFC 9110, section 8.8.3, of a length that a request may carry.
    private static func isStrongTag(_ text: String) -> Bool {
        let bytes = text.utf8
        return (2...512).contains(bytes.count) && bytes.first == UInt8(ascii: "\"")
            && bytes.last == UInt8(ascii: "\"")
            && bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }
    }
}
