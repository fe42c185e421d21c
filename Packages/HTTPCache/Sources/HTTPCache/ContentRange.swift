// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What part of a representation a `206` carries (RFC 9110, section 14.4).
struct ContentRange: Sendable, Hashable {
    /// Never empty.
    let range: Range<Int64>
    /// Of the whole representation, where it is known.
    let length: Int64?

    init(_ range: Range<Int64>, of length: Int64?) {
        self.range = range
        self.length = length
    }

    /// Reads `bytes 4-9/10` or `bytes 4-9/*`.
    init?(_ field: String) {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].trimmed.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ByteRange.number(ends[0]), let last = ByteRange.number(ends[1]),
            first <= last
        else { return nil }
        range = first..<(last + 1)
        if halves[1] == "*" {
            length = nil
        } else {
            guard let number = ByteRange.number(halves[1]), last < number else { return nil }
            length = number
        }
    }

    var text: String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length.map(String.init) ?? "*")"
    }
}
