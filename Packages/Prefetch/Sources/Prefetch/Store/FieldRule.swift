// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// Says whether the answer to one request may be the answer to another, by their header fields.
struct FieldRule: Sendable {
    private let ignored: Set<String>
    private static let validating: Set<String> = ["if-none-match", "if-modified-since"]

    /// - Parameter ignored: names in lower case.
    init(ignoring ignored: Set<String>) {
        self.ignored = ignored
    }

    /// Whether both are of one asker: the same cookies, credentials, languages and fields that are not known.
    ///
    /// A whole answer is one to a `GET` that asks whether its answer is still good, too (RFC 9110, section 13.2.1).
    /// - Parameters:
    ///   - identity: of both.
    ///   - grants: the cookies in which they may differ.
    func isSameAsker(
        _ sent: HTTPFields, _ own: HTTPFields, _ identity: RequestIdentity, _ grants: CookieGrants
    ) -> Bool {
        let url = identity.url
        let isRead = ["GET", "HEAD"].contains(identity.method)
        var names: Set<String> = []
        for field in sent { names.insert(field.name.canonicalName) }
        for field in own { names.insert(field.name.canonicalName) }
        return names.allSatisfy { name in
            ignored.contains(name) || name.hasPrefix("sec-") || isRead && Self.validating.contains(name)
                || Self.isSame(name, in: sent, own, url: url, grants)
        }
    }

    /// Whether an answer is for both, as far as it says itself (RFC 9110, section 12.5.5). Encodings do not count: what
    /// has one says so, and is decoded by those who know it.
    func isForBoth(
        _ answer: HTTPFields, _ sent: HTTPFields, _ own: HTTPFields, url: String, _ grants: CookieGrants
    ) -> Bool {
        guard let vary = answer[.vary] else { return true }
        return FieldList.members(of: vary).allSatisfy { member in
            let name = member.asciiLowercased
            return name == "accept-encoding"
                || name != "*" && Self.isSame(name, in: sent, own, url: url, grants)
        }
    }

    private static func isSame(
        _ name: String, in sent: HTTPFields, _ own: HTTPFields, url: String, _ grants: CookieGrants
    ) -> Bool {
        // Two jars may order cookies otherwise.
        name == "cookie"
            ? grants.lead(from: sent[.cookie], to: own[.cookie])
            : value(of: name, in: sent, url: url) == value(of: name, in: own, url: url)
    }

    /// A field's value in the spelling in which it is compared; `nil` where there is none.
    private static func value(of name: String, in fields: HTTPFields, url: String) -> String? {
        guard let name = HTTPField.Name(name), let value = fields[name] else { return nil }
        switch name {
        case .acceptLanguage: return value.lowercased().filter { $0 != " " && $0 != "\t" }
        case .origin:
            // Whether one's own origin is told depends on the method, and permits nothing.
            return WebOrigin(url: value) == WebOrigin(url: url) ? nil : value
        default: return value
        }
    }
}
