// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A path, or a glob over paths: `*` stands for any run of characters, `/` among them.
///
/// It is compared with the path as it stands in the request, percent-encoded and without the query.
public struct OriginPathPattern: Sendable, Hashable, CustomStringConvertible {
    /// The pattern as it was given.
    public let description: String

    /// Makes a pattern; `nil` unless it begins with `/` or `*`, is at most 1,024 bytes, and has no spaces
    /// or control characters.
    public init?(_ pattern: some StringProtocol) {
        guard pattern.first == "/" || pattern.first == "*", pattern.utf8.count <= 1_024,
            pattern.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return nil }
        description = String(pattern)
    }

    /// Whether the whole path matches.
    public func matches(_ path: String) -> Bool {
        let pattern = Array(description.utf8)
        let path = Array(path.utf8)
        var (p, s) = (0, 0)
        // Where to go on when the text after the last star does not fit: that star takes one byte more.
        // Only the last star needs this, so that the time is at most pattern times path.
        var retry: (p: Int, s: Int)?
        while s < path.count {
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                retry = (p + 1, s)
                p += 1
            } else if p < pattern.count, pattern[p] == path[s] {
                p += 1
                s += 1
            } else if let last = retry {
                retry = (last.p, last.s + 1)
                (p, s) = (last.p, last.s + 1)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
