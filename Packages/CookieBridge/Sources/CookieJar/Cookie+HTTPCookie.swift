// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import WebSyntax

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Conversion to and from `HTTPCookie`.
///
/// In Foundation a leading dot of the domain means that subdomains match as well. `HTTPCookie` cannot represent the
/// time of last access; on Linux also not `SameSite` and the creation time.
extension Cookie {
    /// Creates a cookie from a cookie of Foundation.
    /// - Parameters:
    ///   - cookie: the cookie to convert.
    ///   - created: the creation time for a cookie that does not have one. On Linux no cookie has one.
    /// - Returns: `nil` for a cookie that a server could not have set or that a jar would not store.
    public init?(_ cookie: HTTPCookie, created: Date) {
        let isHostOnly = cookie.domain.utf8.first != UInt8(ascii: ".")
        let domain = Substring(isHostOnly ? cookie.domain[...].utf8 : cookie.domain.utf8.dropFirst()).asciiLowercased
        #if canImport(Darwin)
            let known = cookie.properties?[HTTPCookiePropertyKey("Created")] as? Double
        #else
            // On Linux the property is the creation time of the value, not of the cookie.
            let known: Double? = nil
        #endif
        self.init(
            Identity(name: cookie.name, domain: domain, isHostOnly: isHostOnly, path: cookie.path), value: cookie.value,
            expires: cookie.isSessionOnly ? nil : cookie.expiresDate,
            created: known.map(Date.init(timeIntervalSinceReferenceDate:)) ?? created, isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly, sameSite: Self.sameSite(of: cookie))
        guard (try? check()) != nil else { return nil }
    }

    /// The cookie as Foundation represents it; `nil` if Foundation cannot, because it has no cookies without a name.
    public var httpCookie: HTTPCookie? {
        guard !identity.name.isEmpty else { return nil }
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: identity.name, .value: value, .path: identity.path,
            .domain: (identity.isHostOnly ? "" : ".") + identity.domain,
            // Browsers use version 0.
            .version: "0",
        ]
        if let expires {
            properties[.expires] = expires
        } else {
            properties[.discard] = "TRUE"
        }
        if isSecure { properties[.secure] = "TRUE" }
        if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        #if canImport(Darwin)
            switch sameSite {
            case .lax: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteLax
            case .strict: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteStrict
            case .none: properties[.sameSitePolicy] = "none"
            case .unspecified: break
            }
        #endif
        return HTTPCookie(properties: properties)
    }

    private static func sameSite(of cookie: HTTPCookie) -> SameSite {
        #if canImport(Darwin)
            let policy = cookie.sameSitePolicy?.rawValue.lowercased() ?? ""
            return SameSite(rawValue: policy) ?? .unspecified
        #else
            return .unspecified
        #endif
    }
}
