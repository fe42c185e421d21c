// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation
internal import WebEngine
internal import WebSyntax

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension Cookie {
    /// Creates the jar's form of a cookie of Foundation.
    init(_ cookie: HTTPCookie, created: Date) {
        self.init(
            EngineCookie(
                name: cookie.name, value: cookie.value, domain: cookie.domain, path: cookie.path,
                isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly), created: created)
        expires = cookie.expiresDate
        sameSite = cookie.sameSite
    }

    /// Returns the cookie with the stricter of its attributes and those of another cookie.
    func strengthened(by other: Cookie) -> Cookie {
        var cookie = self
        cookie.isSecure = isSecure || other.isSecure
        cookie.isHTTPOnly = isHTTPOnly || other.isHTTPOnly
        if other.sameSite.strictness > sameSite.strictness { cookie.sameSite = other.sameSite }
        return cookie
    }
}

extension Cookie.SameSite {
    /// The order of the values: a stricter value has a higher number.
    var strictness: Int {
        switch self {
        case .none: 0
        case .unspecified: 1
        case .lax: 2
        case .strict: 3
        }
    }
}

extension HTTPCookie {
    /// Believed: Foundation has no public key for the attribute, and reads it under this name.
    private static let httpOnlyKey = HTTPCookiePropertyKey("HttpOnly")

    /// Returns Foundation's form of a jar cookie; `nil` if Foundation rejects it. A domain without a leading dot is the
    /// host alone. An attribute that is present applies, whatever its value.
    static func make(_ cookie: Cookie) -> HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.identity.name, .value: cookie.value, .domain: EngineCookie.domain(of: cookie.identity),
            .path: cookie.identity.path,
        ]
        if let expires = cookie.expires { properties[.expires] = expires }
        if cookie.isSecure { properties[.secure] = "TRUE" }
        if cookie.isHTTPOnly { properties[httpOnlyKey] = "TRUE" }
        #if canImport(Darwin)
            switch cookie.sameSite {
            // Foundation has no public value for `None`.
            case .none, .unspecified: break
            case .lax: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteLax.rawValue
            case .strict: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteStrict.rawValue
            }
        #endif
        return HTTPCookie(properties: properties)
    }

    /// The attribute `SameSite`. Foundation on Linux lacks it.
    var sameSite: Cookie.SameSite {
        #if canImport(Darwin)
            switch sameSitePolicy {
            case .sameSiteLax?: .lax
            case .sameSiteStrict?: .strict
            default: .unspecified
            }
        #else
            .unspecified
        #endif
    }

    /// The key under which Foundation on Linux stores a cookie. Two cookies with the same key replace each other, even
    /// if their names and paths differ.
    var storageKey: String { domain + path + name }

    /// Adds the bytes of all properties of the cookie that pages may receive.
    func hashProperties(into hasher: inout Hasher) {
        for text in [name, value, domain, path] { text.hashBytes(into: &hasher) }
        hasher.combine(expiresDate)
        hasher.combine(isSecure)
        hasher.combine(isHTTPOnly)
        hasher.combine(sameSite)
    }
}
