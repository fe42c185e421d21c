// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The cookies that answers to a page's requests made ahead have set, by which its own requests may differ from those.
///
/// Requests that are made together leave with the same cookies, and a server that renews a session sets another one with
/// each answer. A page without a prefetch would have had those answers all the same. A cookie that nobody here has set
/// says that another one asks.
struct CookieGrants: Sendable {
    private var values: [Substring: Set<Substring>] = [:]
    private var removed: Set<Substring> = []
    private var count = 0

    private static let maxCount = 256
    /// In bytes; engines keep no longer ones (RFC 6265bis, section 5.6).
    private static let maxLength = 4096

    /// - Parameter setCookie: a value of the field `Set-Cookie`.
    mutating func note(_ setCookie: String) {
        let parts = setCookie.split(separator: ";", omittingEmptySubsequences: false)
        guard count < Self.maxCount, let first = parts.first, first.utf8.count <= Self.maxLength else { return }
        let (name, value) = Self.pair(first)
        count += 1
        values[name, default: []].insert(value)
        if value.isEmpty || parts.dropFirst().contains(where: Self.isOver) { removed.insert(name) }
    }

    /// Whether one who has been sent these cookies and is in step with what came since sends those.
    /// - Parameters:
    ///   - sent: the field `Cookie` of the request made ahead; `nil` where it has none.
    ///   - own: that of the page's request.
    func lead(from sent: String?, to own: String?) -> Bool {
        let (before, now) = (Self.pairs(sent), Self.pairs(own))
        guard before != now else { return true }
        let new = now.subtracting(before)
        let names = Set(new.map { Self.pair($0).name })
        return new.allSatisfy { pair in
            let (name, value) = Self.pair(pair)
            return values[name]?.contains(value) == true
        }
            && before.subtracting(now).allSatisfy { pair in
                let name = Self.pair(pair).name
                return names.contains(name) || removed.contains(name)
            }
    }

    private static func pairs(_ field: String?) -> Set<Substring> {
        Set((field ?? "").split(separator: ";").map(trimmed).filter { !$0.isEmpty })
    }

    private static func pair(_ text: Substring) -> (name: Substring, value: Substring) {
        guard let sign = text.firstIndex(of: "=") else { return ("", trimmed(text)) }
        return (trimmed(text[..<sign]), trimmed(text[text.index(after: sign)...]))
    }

    /// Whether an attribute takes the cookie away. Of a date that is left to the value, which such a cookie has none of.
    private static func isOver(_ attribute: Substring) -> Bool {
        let (name, value) = pair(attribute)
        return name.lowercased() == "max-age" && Int(value).map { $0 <= 0 } == true
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return start[
            ..<(start.lastIndex { $0 != " " && $0 != "\t" }.map { start.index(after: $0) } ?? start.startIndex)]
    }
}
