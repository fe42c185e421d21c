// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import WebSyntax

/// The selection of stored responses by request fields (RFC 9111, section 4.1).
enum Vary {
    /// Returns the request fields that a response varies by, with the values in the request.
    /// - Returns: `nil` for `*` and for more than 32 names. Such a response matches no request.
    static func selectors(of response: HTTPResponse, for request: HTTPRequest) -> [StoredResponse.Selector]? {
        var names: Set<String> = []
        for member in FieldList.members(of: response.headerFields[values: .vary]) {
            guard member != "*" else { return nil }
            names.insert(member.asciiLowercased)
        }
        guard names.count <= 32 else { return nil }
        return names.sorted().map { StoredResponse.Selector(name: $0, value: value(of: $0, in: request)) }
    }

    static func matches(_ selectors: [StoredResponse.Selector], _ request: HTTPRequest) -> Bool {
        selectors.allSatisfy { $0.value.hasSameBytes(as: value(of: $0.name, in: request)) }
    }

    /// Returns the normalised value of a field, which is compared byte by byte.
    ///
    /// Equivalent spellings have equal values: a list in one field line or in
    /// several, and any white space around members. For preferences (RFC 9110, sections 12.5.1 to 12.5.4), case and the
    /// order of members with equal weight are ignored too.
    private static func value(of name: String, in request: HTTPRequest) -> String? {
        guard let name = HTTPField.Name(name), request.headerFields.contains(name) else { return nil }
        switch name {
        // These fields are not lists.
        case .userAgent, .cookie: return request.headerFields[values: name].joined(separator: "; ")
        case .acceptLanguage, .acceptEncoding:
            return FieldList.members(of: request.headerFields[values: name]).map(Preference.init).sorted()
                .map(\.text).joined(separator: ",")
        default: return FieldList.members(of: request.headerFields[values: name]).joined(separator: ",")
        }
    }

    /// A member of a list of preferences; sorted by descending weight.
    private struct Preference: Comparable {
        let name: String
        /// The weight in thousandths.
        let weight: Int
        var text: String { weight == 1_000 ? name : "\(name);q=\(weight)" }

        init(_ member: Substring) {
            let parts = member.asciiLowercased.split(separator: ";", maxSplits: 1).map(\.trimmingFieldWhitespace)
            name = String(parts.first ?? "")
            guard parts.count == 2 else {
                weight = 1_000
                return
            }
            let digits = parts[1].hasPrefix("q=") ? parts[1].dropFirst(2) : ""
            weight = Self.thousandths(digits) ?? 0
        }

        /// Returns a weight in thousandths: `0.5` is 500 (RFC 9110, section 12.4.2).
        private static func thousandths(_ text: Substring) -> Int? {
            let halves = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = halves.first, let whole = DeltaSeconds.parse(first), whole <= 1 else { return nil }
            guard halves.count == 2, !halves[1].isEmpty else { return whole * 1_000 }
            guard halves[1].utf8.count <= 3, let part = DeltaSeconds.parse(halves[1]) else { return nil }
            let scale = [100, 10, 1][halves[1].utf8.count - 1]
            return min(1_000, whole * 1_000 + part * scale)
        }

        static func < (left: Preference, right: Preference) -> Bool {
            left.weight != right.weight ? left.weight > right.weight : left.name < right.name
        }
    }
}
