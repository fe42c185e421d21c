// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The byte ranges of a `Range` field, resolved for a length (RFC 9110, section 14.2).
enum ByteRanges: Hashable {
    /// The field is ignored: another unit, no valid ranges, or more ranges than the limit.
    case ignored
    /// No range overlaps the body.
    case unsatisfiable
    /// The ranges in the order of the request: at least one, none of them empty.
    case parts([Range<Int64>])

    /// Parses and resolves a `Range` field.
    /// - Parameters:
    ///   - field: The value of `Range`.
    ///   - length: The length of the complete body in bytes.
    ///   - maxParts: The maximum number of ranges. A field with more ranges is ignored (RFC 9110, section 14.2).
    init(_ field: String, length: Int64, maxParts: Int) {
        guard let ranges = ByteRange.ranges(in: field, limit: maxParts) else {
            self = .ignored
            return
        }
        // An empty body has no last byte, so a suffix range cannot be resolved.
        if length == 0, ranges.contains(where: { if case .suffix(1...) = $0 { true } else { false } }) {
            self = .ignored
            return
        }
        let parts = ranges.compactMap { $0.resolved(in: length) }
        if Self.overlaps(in: parts) > 1 {
            self = .ignored
        } else {
            self = parts.isEmpty ? .unsatisfiable : .parts(parts)
        }
    }

    /// Returns the number of ranges that begin before the end of an earlier range. More than one overlap would let
    /// a small request cause a large response (RFC 9110, section 17.15).
    private static func overlaps(in parts: [Range<Int64>]) -> Int {
        var end: Int64 = 0
        var count = 0
        for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if part.lowerBound < end { count += 1 }
            end = max(end, part.upperBound)
        }
        return count
    }
}
