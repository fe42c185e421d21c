// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading
internal import WebSyntax

/// The parts that a `Range` field names (RFC 9110, section 14.2), held against a length.
enum ByteRanges: Hashable {
    /// The field is not heeded: another unit, no ranges, or more of them than anyone needs.
    case ignored
    /// No range touches the bytes there are.
    case unsatisfiable
    /// In the order in which they were asked for; at least one, none empty.
    case parts([Range<Int64>])

    /// - Parameters:
    ///   - field: the value of `Range`.
    ///   - length: bytes of the whole.
    ///   - maxParts: more ranges than these are not heeded (section 14.2: a server may protect itself).
    init(_ field: String, length: Int64, maxParts: Int) {
        guard let ranges = ByteRange.ranges(in: field, limit: maxParts) else {
            self = .ignored
            return
        }
        // Of nothing there is no last byte that could be named.
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

    /// How many ranges begin before one of those in front of them ends. More than one, and a small request would ask for
    /// a large answer (section 17.15).
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

extension ResourceBody {
    /// A part of a body that is there as a whole. Nothing is copied: a part of a file stays one.
    /// - Parameter range: within the body.
    /// - Returns: `nil` for a body that is still arriving.
    func slice(_ range: Range<Int64>) -> ResourceBody? {
        switch self {
        case .empty: range.isEmpty ? .empty : nil
        case .bytes(let data):
            .bytes(data[(data.startIndex + Int(range.lowerBound))..<(data.startIndex + Int(range.upperBound))])
        case .file(let slice):
            .file(
                FileSlice(
                    slice.file,
                    range: (slice.range.lowerBound + range.lowerBound)..<(slice.range.lowerBound + range.upperBound)))
        case .stream: nil
        }
    }
}

extension ResourceBody {
    /// Whether it is there from its first to its last byte.
    var isWhole: Bool {
        if case .stream = self { false } else { true }
    }
}
