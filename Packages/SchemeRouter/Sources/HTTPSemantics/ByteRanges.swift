// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
        guard let equals = field.utf8.firstIndex(of: UInt8(ascii: "=")),
            field[..<equals].lowercased() == "bytes"
        else {
            self = .ignored
            return
        }
        let list = field[field.utf8.index(after: equals)...]
        var parts: [Range<Int64>] = []
        var count = 0
        for item in list.split(separator: ",", maxSplits: 4 * maxParts + 4) {
            let item = Array(item.trimmed.utf8)
            // A list may have empty elements (section 5.6.1.2).
            if item.isEmpty { continue }
            count += 1
            guard count <= maxParts, let dash = item.firstIndex(of: UInt8(ascii: "-")),
                let first = Self.number(item[..<dash]), let last = Self.number(item[(dash + 1)...])
            else {
                self = .ignored
                return
            }
            switch (first, last) {
            case (nil, nil):
                self = .ignored
                return
            case (nil, let suffix?):
                // All there is, where that is less. Of nothing there is no last byte that could be named.
                if length == 0, suffix > 0 {
                    self = .ignored
                    return
                }
                if suffix > 0 { parts.append(max(0, length - suffix)..<length) }
            case (let first?, let last):
                if let last, last < first {
                    self = .ignored
                    return
                }
                if first < length { parts.append(first..<(min(last ?? .max, length - 1) + 1)) }
            }
        }
        if count == 0 || Self.overlaps(in: parts) > 1 {
            self = .ignored
        } else {
            self = parts.isEmpty ? .unsatisfiable : .parts(parts)
        }
    }

    /// Digits only; `.some(nil)` where there are none, and the largest number where they say more.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64?? {
        guard !digits.isEmpty else { return .some(nil) }
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = product.addingReportingOverflow(Int64(digit - 0x30))
            value = overflows || overflowsToo ? .max : sum
        }
        return value
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
