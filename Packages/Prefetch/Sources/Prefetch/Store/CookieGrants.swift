// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The cookies that an answer made ahead has set: the page's own request for it may come with these in place of those
/// that were sent.
///
/// That answer is the one that the page would have got, with these cookies, had it asked first. What another answer has
/// set may be another account's session.
struct CookieGrants: Sendable {
    private var values: [Substring: Set<Substring>] = [:]
    private var removed: Set<Substring> = []

    /// - Parameter setCookies: the values of the field `Set-Cookie`.
    mutating func record(_ setCookies: [String]) {
        for text in setCookies {
            let parts = text.split(separator: ";", omittingEmptySubsequences: false)
            let (name, value) = Self.pair(parts[0])
            // Ignored by all who keep cookies (RFC 6265bis, section 5.6).
            guard !name.isEmpty || !value.isEmpty else { continue }
            if value.isEmpty || Self.isOver(parts.dropFirst()) {
                removed.insert(name)
            } else {
                values[name, default: []].insert(value)
            }
        }
        // As of another path: one of this name goes on.
        removed.subtract(values.keys)
    }

    /// Whether one who was sent with these cookies, and has had the answer since, sends those.
    /// - Parameters:
    ///   - sent: the field `Cookie` of the request made ahead; `nil` where it has none.
    ///   - own: that of the page's request.
    func lead(from sent: String?, to own: String?) -> Bool {
        let (before, now) = (Self.pairs(sent), Self.pairs(own))
        guard before != now else { return true }
        let hasGranted = now.subtracting(before).allSatisfy { text in
            let (name, value) = Self.pair(text)
            return values[name]?.contains(value) == true
        }
        let left = Self.counts(now)
        let hasRest = Self.counts(before).allSatisfy { name, count in
            removed.contains(name) || left[name, default: 0] >= count
        }
        return hasGranted && hasRest
    }

    private static func pairs(_ field: String?) -> Set<Substring> {
        Set((field ?? "").split(separator: ";").map(\.trimmingFieldWhitespace).filter { !$0.isEmpty })
    }

    /// How many cookies there are of each name: each path may have one.
    private static func counts(_ pairs: Set<Substring>) -> [Substring: Int] {
        Dictionary(pairs.map { (pair($0).name, 1) }, uniquingKeysWith: +)
    }

    private static func pair(_ text: Substring) -> (name: Substring, value: Substring) {
        guard let sign = text.firstIndex(of: "=") else { return ("", text.trimmingFieldWhitespace) }
        return (text[..<sign].trimmingFieldWhitespace, text[text.index(after: sign)...].trimmingFieldWhitespace)
    }

    /// Whether the last `Max-Age` takes the cookie away. `Expires` alone is not read: a cookie that goes by it has no value.
    private static func isOver(_ attributes: ArraySlice<Substring>) -> Bool {
        let ages = attributes.map(pair).filter { $0.name.lowercased() == "max-age" }.map(\.value)
        guard let age = ages.last, !age.isEmpty else { return false }
        return age.first == "-" ? age.dropFirst().allSatisfy(\.isNumber) : age.allSatisfy { $0 == "0" }
    }
}
