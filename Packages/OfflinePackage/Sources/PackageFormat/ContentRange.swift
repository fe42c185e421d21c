// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The value of a `Content-Range` field in bytes (RFC 9110, section 14.4).
package enum ContentRange: Sendable, Hashable {
    /// `bytes 0-9/100`: the first and the last byte, and the size of the whole, `nil` for `*`.
    case part(Range<Int64>, total: Int64?)
    /// `bytes */100`, in an answer 416.
    case unsatisfied(total: Int64)

    package init?(_ field: String) {
        let prefix = "bytes "
        guard field.utf8.count <= 80, field.hasPrefix(prefix) else { return nil }
        let halves = field.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let total = Self.number(halves[1])
        if halves[0] == "*" {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let bounds = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]), first <= last,
            total != nil || halves[1] == "*", total.map({ last < $0 }) ?? true
        else { return nil }
        self = .part(first..<last + 1, total: total)
    }

    private static func number(_ text: Substring) -> Int64? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
