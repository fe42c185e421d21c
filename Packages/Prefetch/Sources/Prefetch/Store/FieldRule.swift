// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The rule that decides by header fields whether a page's own request may get the response to a prefetch request.
struct FieldRule: Sendable {
    private let ignored: Set<String>
    private static let validating: Set<String> = ["if-none-match", "if-modified-since"]

    /// Creates a rule.
    /// - Parameter ignored: field names in lower case.
    init(ignoring ignored: Set<String>) {
        self.ignored = ignored
    }

    /// Returns a Boolean value that indicates whether both requests have the same requester: equal cookies,
    /// credentials, languages and unknown fields.
    ///
    /// Validators of a `GET` or `HEAD` are ignored, because a full response is also valid for a conditional request
    /// (RFC 9110, section 13.2.1).
    /// - Parameters:
    ///   - identity: the identity of both requests.
    ///   - grants: the cookies in which the requests may differ.
    func hasSameRequester(
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

    /// Returns a Boolean value that indicates whether the `Vary` field of a response permits the response for both
    /// requests (RFC 9110, section 12.5.5). `Accept-Encoding` is ignored, because an encoded response has
    /// `Content-Encoding` and is decoded by a later loader.
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
        // The cookies of both requests may be in a different order.
        name == "cookie"
            ? grants.lead(from: sent[.cookie], to: own[.cookie])
            : value(of: name, in: sent, url: url).hasSameBytes(as: value(of: name, in: own, url: url))
    }

    /// Returns the value of a field in the form for comparison; `nil` if the field is missing.
    private static func value(of name: String, in fields: HTTPFields, url: String) -> String? {
        guard let name = HTTPField.Name(name), let value = fields[name] else { return nil }
        switch name {
        case .acceptLanguage: return value.asciiLowercased.filter { $0 != " " && $0 != "\t" }
        case .origin:
            // A same-origin request has an `Origin` only with some methods, and the field has no effect on its
            // permissions.
            return WebOrigin(url: value) == WebOrigin(url: url) ? nil : value
        default: return value
        }
    }
}
