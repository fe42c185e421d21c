// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The value of a `Content-Range` field with the unit `bytes` (RFC 9110, section 14.4).
public enum ContentRange: Sendable, Hashable, CustomStringConvertible {
    /// `bytes 0-9/100`, or `bytes 0-9/*` if the length of the whole representation is unknown. The range is not empty.
    case part(Range<Int64>, total: Int64?)
    /// `bytes */100`, in a response 416.
    case unsatisfied(total: Int64)

    /// Reads a field value.
    /// - Returns: `nil` for another unit and for invalid values.
    public init?(_ field: some StringProtocol) {
        // Range units have no case (section 14.1).
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
