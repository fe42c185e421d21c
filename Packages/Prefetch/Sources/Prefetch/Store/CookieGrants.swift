// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The cookies that a prefetched response has set. The page's own request for that response may have them in place of
/// the cookies of the prefetch request.
///
/// With these cookies the page would have received the same response, if it had sent the request first. Cookies that
/// another response has set do not count, because they may belong to another account's session.
///
/// Names and values are octets (RFC 6265, section 4.1.1): they are split and compared byte by byte.
struct CookieGrants: Sendable {
    private var values: [ByteText: Set<ByteText>] = [:]
    private var removed: Set<ByteText> = []

    /// Records the cookies of a response.
    /// - Parameter setCookies: the values of the `Set-Cookie` fields.
    mutating func record(_ setCookies: [String]) {
        for text in setCookies {
            let parts = Self.split(text, omittingEmpty: false)
            let (name, value) = Self.pair(parts[0])
            // User agents ignore a field without name and value (RFC 6265bis, section 5.6).
            guard !name.text.isEmpty || !value.text.isEmpty else { continue }
            if value.text.isEmpty || Self.isOver(parts.dropFirst()) {
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
        let hasGranted = now.subtracting(before).allSatisfy { text in
            let (name, value) = Self.pair(text.text[...])
            return values[name]?.contains(value) == true
        }
        let left = Self.counts(now)
        let hasRest = Self.counts(before).allSatisfy { name, count in
            removed.contains(name) || left[name, default: 0] >= count
        }
        return hasGranted && hasRest
    }

    private static func pairs(_ field: String?) -> Set<ByteText> {
        let pairs = split(field ?? "", omittingEmpty: true).map(\.trimmingFieldWhitespace)
        return Set(pairs.filter { !$0.isEmpty }.map { ByteText(String($0)) })
    }

    /// Returns the number of cookies of each name, because each path may have one.
    private static func counts(_ pairs: Set<ByteText>) -> [ByteText: Int] {
        Dictionary(pairs.map { (pair($0.text[...]).name, 1) }, uniquingKeysWith: +)
    }

    private static func split(_ text: String, omittingEmpty: Bool) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: omittingEmpty).map { Substring($0) }
    }

    private static func pair(_ text: Substring) -> (name: ByteText, value: ByteText) {
        let sign = text.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = sign.map { text[..<$0] } ?? ""
        let value = sign.map { text[text.utf8.index(after: $0)...] } ?? text
        return (ByteText(String(name.trimmingFieldWhitespace)), ByteText(String(value.trimmingFieldWhitespace)))
    }

    /// Returns a Boolean value that indicates whether the last valid `Max-Age` removes the cookie. `Expires` is not
    /// evaluated; a cookie that is removed by it has an empty value.
    private static func isOver(_ attributes: ArraySlice<Substring>) -> Bool {
        let ages = attributes.map(pair).filter { $0.name.text.utf8.equalsIgnoringCase("max-age") }
        return ages.compactMap { removes($0.value.text.utf8) }.last ?? false
    }

    /// Returns a Boolean value that indicates whether a `Max-Age` is zero or negative; `nil` if it is not one or more
    /// digits with an optional minus sign. User agents ignore such a `Max-Age` (RFC 6265bis, section 5.6.2).
    private static func removes(_ age: String.UTF8View) -> Bool? {
        let isNegative = age.first == UInt8(ascii: "-")
        let digits = isNegative ? age.dropFirst() : age[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return isNegative || digits.allSatisfy { $0 == UInt8(ascii: "0") }
    }
}
