// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A path, or a pattern for paths in which `*` matches any sequence of characters, including `/`.
///
/// It is compared with the path of the request, which is percent-encoded and has no query.
public struct OriginPathPattern: Sendable, Hashable, CustomStringConvertible {
    /// The text of the pattern.
    public let description: String

    /// Creates a pattern. Returns `nil` unless it starts with `/` or `*`, has at most 1,024 bytes, and consists of
    /// visible ASCII characters.
    public init?(_ pattern: some StringProtocol) {
        guard pattern.first == "/" || pattern.first == "*", pattern.utf8.count <= 1_024,
            pattern.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return nil }
        description = String(pattern)
    }

    /// Returns a Boolean value that indicates whether the whole path matches.
    public func matches(_ path: String) -> Bool {
        let pattern = Array(description.utf8)
        let path = Array(path.utf8)
        var (p, s) = (0, 0)
        // The position to continue from after a mismatch: the last star then matches one more byte. Only the last
        // star needs this, so that the time is at most the product of both lengths.
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
