// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// One range of a `Range` field with the unit `bytes` (RFC 9110, section 14.1.2).
///
/// A number that is too large becomes `Int64.max`, because no representation has that many bytes.
public enum ByteRange: Sendable, Hashable {
    /// `first-last`, or `first-`.
    case from(Int64, through: Int64?)
    /// `-count`: the last bytes of the representation.
    case suffix(Int64)

    /// Creates a range from a field with exactly one range.
    /// - Returns: `nil` for another unit, several ranges, and invalid values.
    @inlinable
    public init?(_ field: some StringProtocol) {
        guard let ranges = Self.ranges(in: field, limit: 1), ranges.count == 1 else { return nil }
        self = ranges[0]
    }

    /// Returns the ranges of a field in order.
    /// - Parameters:
    ///   - field: the value of the `Range` field.
    ///   - limit: the maximum number of ranges.
    /// - Returns: `nil` for another unit, more ranges than `limit`, and invalid values; never an empty array.
    @inlinable
    public static func ranges(in field: some StringProtocol, limit: Int) -> [ByteRange]? {
        ranges(of: Substring(field), limit: limit)
    }

    @usableFromInline
    static func ranges(of field: Substring, limit: Int) -> [ByteRange]? {
        // Range units are case-insensitive (section 14.1).
        guard field.utf8.startsIgnoringCase("bytes=") else { return nil }
        var ranges: [ByteRange] = []
        // The list may have empty members (section 5.6.1.2). `maxSplits` limits their number.
        for item in field.utf8.dropFirst(6).split(separator: UInt8(ascii: ","), maxSplits: 4 * limit + 4) {
            let item = item.trimmingFieldWhitespace
            if item.isEmpty { continue }
            guard ranges.count < limit, let range = ByteRange(specifier: item) else { return nil }
            ranges.append(range)
        }
        return ranges.isEmpty ? nil : ranges
    }

    private init?(specifier text: some Collection<UInt8>) {
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (first, last) = (text[..<dash], text[text.index(after: dash)...])
        if first.isEmpty {
            guard let count = Int64(saturatingDecimalDigits: last) else { return nil }
            self = .suffix(count)
            return
        }
        guard let start = Int64(saturatingDecimalDigits: first) else { return nil }
        if last.isEmpty {
            self = .from(start, through: nil)
        } else {
            guard let end = Int64(saturatingDecimalDigits: last), start <= end else { return nil }
            self = .from(start, through: end)
        }
    }

    /// Returns the bytes of a representation that the range selects.
    /// - Parameter length: the length of the whole representation in bytes.
    /// - Returns: `nil` if the range is not satisfiable.
    public func resolved(in length: Int64) -> Range<Int64>? {
        switch self {
        case .suffix(let count): count > 0 && length > 0 ? max(0, length - count)..<length : nil
        case .from(let first, let last): first < length ? first..<(min(last ?? .max, length - 1) + 1) : nil
        }
    }
}

/// The value of a `Content-Range` field with the unit `bytes` (RFC 9110, section 14.4).
public enum ContentRange: Sendable, Hashable, CustomStringConvertible {
    /// `bytes 0-9/100`, or `bytes 0-9/*` if the length of the whole representation is unknown. The range is not empty.
    case part(Range<Int64>, total: Int64?)
    /// `bytes */100`, in a 416 response (Range Not Satisfiable).
    case unsatisfied(total: Int64)

    /// Creates a value from a field.
    /// - Returns: `nil` for another unit and for invalid values.
    public init?(_ field: some StringProtocol) {
        // Range units are case-insensitive (section 14.1).
        guard field.utf8.startsIgnoringCase("bytes ") else { return nil }
        let text = field.utf8.dropFirst(6)
        guard let slash = text.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let (range, length) = (text[..<slash], text[text.index(after: slash)...])
        let isUnknown = length.elementsEqual(CollectionOfOne(UInt8(ascii: "*")))
        let total = Int64(decimalDigits: length)
        guard isUnknown || total != nil else { return nil }
        if let total, range.elementsEqual(CollectionOfOne(UInt8(ascii: "*"))) {
            self = .unsatisfied(total: total)
            return
        }
        guard let dash = range.firstIndex(of: UInt8(ascii: "-")), let first = Int64(decimalDigits: range[..<dash]),
            let last = Int64(decimalDigits: range[range.index(after: dash)...]), first <= last, last < total ?? .max
        else { return nil }
        self = .part(first..<last + 1, total: total)
    }

    public var description: String {
        switch self {
        case .part(let range, let total):
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map(String.init) ?? "*")"
        case .unsatisfied(let total): "bytes */\(total)"
        }
    }
}
