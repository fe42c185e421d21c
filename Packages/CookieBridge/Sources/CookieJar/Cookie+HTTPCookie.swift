// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import WebSyntax

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The face towards `HTTPCookieStorage`.
///
/// By Foundation's convention a domain with a leading dot means the hosts below as well. What `HTTPCookie` cannot say is
/// lost on the way: when the cookie was last used; on Linux `SameSite`, and when it was made.
extension Cookie {
    /// Takes a cookie of Foundation's.
    /// - Parameters:
    ///   - cookie: the cookie to convert.
    ///   - created: the creation time, for a cookie that does not have one. On Linux none has.
    /// - Returns: `nil` for what no server could have set, or a jar would not store.
    public init?(_ cookie: HTTPCookie, created: Date) {
        let isHostOnly = cookie.domain.utf8.first != UInt8(ascii: ".")
        let domain = Substring(isHostOnly ? cookie.domain[...].utf8 : cookie.domain.utf8.dropFirst()).asciiLowercased
        #if canImport(Darwin)
            let known = cookie.properties?[HTTPCookiePropertyKey("Created")] as? Double
        #else
            // There it says when the value was made, and not the cookie.
            let known: Double? = nil
        #endif
        self.init(
            Identity(name: cookie.name, domain: domain, isHostOnly: isHostOnly, path: cookie.path), value: cookie.value,
            expires: cookie.isSessionOnly ? nil : cookie.expiresDate,
            created: known.map(Date.init(timeIntervalSinceReferenceDate:)) ?? created, isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly, sameSite: Self.sameSite(of: cookie))
        guard (try? check()) != nil else { return nil }
    }

    /// The cookie as Foundation has it.
    /// - Returns: `nil` where Foundation makes none of it: it does not know cookies without a name.
    public var httpCookie: HTTPCookie? {
        guard !identity.name.isEmpty else { return nil }
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: identity.name, .value: value, .path: identity.path,
            .domain: (identity.isHostOnly ? "" : ".") + identity.domain,
            // Version 0 is that of browsers.
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
