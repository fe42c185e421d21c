// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The cookies that a prefetched response has set. The page's own request for that response may have them in place of
/// the cookies of the prefetch request.
///
/// With these cookies the page would have received the same response, if it had sent the request first. Cookies that
/// another response has set do not count, because they may belong to another account's session.
///
/// Names and values are compared as bytes. Equal strings may have different bytes (Unicode, canonical equivalence).
struct CookieGrants: Sendable {
    private typealias Bytes = [UInt8]

    private var values: [Bytes: Set<Bytes>] = [:]
    private var removed: Set<Bytes> = []

    /// Records the cookies of a response.
    /// - Parameter setCookies: the values of the `Set-Cookie` fields.
    mutating func record(_ setCookies: [String]) {
        for text in setCookies {
            let parts = text.split(separator: ";", omittingEmptySubsequences: false)
            let (name, value) = Self.bytes(of: Self.pair(parts[0]))
            // User agents ignore a field without name and value (RFC 6265bis, section 5.6).
            guard !name.isEmpty || !value.isEmpty else { continue }
            if value.isEmpty || Self.isOver(parts.dropFirst()) {
                removed.insert(name)
            } else {
                values[name, default: []].insert(value)
            }
        }
        // A removal may be for another path if the response also sets a cookie of this name.
        removed.subtract(values.keys)
    }

    /// Returns a Boolean value that indicates whether the response turns the cookies sent into the cookies of the
    /// page's request.
    /// - Parameters:
    ///   - sent: the `Cookie` field of the prefetch request; `nil` if it has none.
    ///   - own: the `Cookie` field of the page's request.
    func lead(from sent: String?, to own: String?) -> Bool {
        let (before, now) = (Self.pairs(sent), Self.pairs(own))
        guard before != now else { return true }
        let hasGranted = now.subtracting(before).allSatisfy { values[$0.name]?.contains($0.value) == true }
        let left = Self.counts(now)
        let hasRest = Self.counts(before).allSatisfy { name, count in
            removed.contains(name) || left[name, default: 0] >= count
        }
        return hasGranted && hasRest
    }

    private struct Pair: Hashable {
        let name: Bytes
        let value: Bytes
    }

    private static func pairs(_ field: String?) -> Set<Pair> {
        let pairs = (field ?? "").split(separator: ";").map(\.trimmingFieldWhitespace).filter { !$0.isEmpty }
        return Set(
            pairs.map { text in
                let (name, value) = bytes(of: pair(text))
                return Pair(name: name, value: value)
            })
    }

    /// Returns the number of cookies of each name, because each path may have one.
    private static func counts(_ pairs: Set<Pair>) -> [Bytes: Int] {
        Dictionary(pairs.map { ($0.name, 1) }, uniquingKeysWith: +)
    }

    private static func bytes(of pair: (name: Substring, value: Substring)) -> (name: Bytes, value: Bytes) {
        (Bytes(pair.name.utf8), Bytes(pair.value.utf8))
    }

    private static func pair(_ text: Substring) -> (name: Substring, value: Substring) {
        guard let sign = text.firstIndex(of: "=") else { return ("", text.trimmingFieldWhitespace) }
        return (text[..<sign].trimmingFieldWhitespace, text[text.index(after: sign)...].trimmingFieldWhitespace)
    }

    /// Returns a Boolean value that indicates whether the last `Max-Age` removes the cookie. `Expires` is not
    /// evaluated; a cookie that is removed by it has an empty value.
    private static func isOver(_ attributes: ArraySlice<Substring>) -> Bool {
        let ages = attributes.map(pair).filter { $0.name.lowercased() == "max-age" }.map(\.value)
        guard let age = ages.last, !age.isEmpty else { return false }
        return age.first == "-" ? age.dropFirst().allSatisfy(\.isNumber) : age.allSatisfy { $0 == "0" }
    }
}
