// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The `Cross-Origin-Resource-Policy` of a response (Fetch, section 3.7), for a page without an embedder policy.
enum ResourcePolicy: String, Sendable {
    case sameOrigin = "same-origin"
    case sameSite = "same-site"
    case crossOrigin = "cross-origin"

    /// Creates the policy of a response; returns `nil` if there is none. An unknown value or several values count as
    /// none.
    init?(_ fields: HTTPFields) {
        guard let value = HTTPField.Name.crossOriginResourcePolicy.flatMap({ fields[$0] }) else { return nil }
        self.init(rawValue: value)
    }

    /// Returns a Boolean value that indicates whether a `no-cors` request of one origin may receive the response of
    /// another (Fetch, cross-origin resource policy internal check).
    func allows(_ requester: WebOrigin, of resource: WebOrigin, sites: any PublicSuffixing) -> Bool {
        switch self {
        case .crossOrigin: return true
        case .sameOrigin: return requester == resource
        case .sameSite:
            // Sites are compared without schemes, but a response over https is not available to an http page.
            let secured = WebOrigin(scheme: resource.scheme, authority: requester.authority)
            return sites.areSameSite(secured, resource) && (requester.scheme == "https" || resource.scheme != "https")
        }
    }
}

extension HTTPField.Name {
    static let crossOriginResourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")
}
