// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The one range that a `Range` field asks for (RFC 9110, section 14.1.2).
enum ByteRange: Sendable, Hashable {
    /// `bytes=first-last`, or `bytes=first-`.
    case from(Int64, through: Int64?)
    /// `bytes=-count`.
    case suffix(Int64)

    /// - Returns: `nil` for another unit, several ranges, or a text that is none.
    init?(_ field: String) {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].trimmed.lowercased() == "bytes" else { return nil }
        let ends = parts[1].trimmed.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (ends[0].isEmpty, ends[1].isEmpty) {
        case (true, false):
            guard let count = Self.number(ends[1]) else { return nil }
            self = .suffix(count)
        case (false, true):
            guard let first = Self.number(ends[0]) else { return nil }
            self = .from(first, through: nil)
        case (false, false):
            guard let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else { return nil }
            self = .from(first, through: last)
        case (true, true): return nil
        }
    }

    /// The bytes of a representation that it means.
    /// - Parameter length: of the whole representation.
    /// - Returns: `nil` where there are none: the range cannot be satisfied.
    func resolved(in length: Int64) -> Range<Int64>? {
        switch self {
        case .suffix(let count): count > 0 && length > 0 ? max(0, length - count)..<length : nil
        case .from(let first, let last):
            first < length ? first..<min(last.map { $0 + 1 } ?? length, length) : nil
        }
    }

    /// Digits only; numbers of at most eighteen digits, which never overflow.
    static func number(_ text: Substring) -> Int64? {
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text)
    }
}
