// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Patterns of paths (TUF 1.0.34, section 4.5): `*` matches any characters and `?` one character, but neither matches
/// a slash. Other characters match themselves, brackets too.
enum PathPattern {
    static func matches(_ pattern: String, _ path: String) -> Bool {
        // A slash before a combining mark is no character of its own.
        let pattern = pattern.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
        let path = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
        return pattern.count == path.count && zip(pattern, path).allSatisfy(matchesSegment)
    }

    /// Compares one segment. The time is at most proportional to the product of the lengths.
    private static func matchesSegment(
        _ pattern: Substring.UnicodeScalarView, _ text: Substring.UnicodeScalarView
    ) -> Bool {
        let (pattern, text) = (Array(pattern), Array(text))
        var (place, index) = (0, 0)
        // The last asterisk, and the place in the text up to which it matches.
        var (star, starEnd) = (Int?.none, 0)
        while index < text.count {
            if place < pattern.count, pattern[place] == "*" {
                (star, starEnd) = (place, index)
                place += 1
            } else if place < pattern.count, pattern[place] == "?" || pattern[place] == text[index] {
                place += 1
                index += 1
            } else if let star {
                starEnd += 1
                (place, index) = (star + 1, starEnd)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == "*" }
    }
}
