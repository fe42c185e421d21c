// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine
    internal import WebKit

    extension EngineCookie {
        /// Believed: Foundation has no public key for the attribute, and reads it under this name. A device shows it by
        /// the `isHTTPOnly` of a cookie that was set.
        private static let httpOnly = HTTPCookiePropertyKey("HttpOnly")

        /// Creates a cookie from one of the engine.
        init(_ cookie: HTTPCookie) {
            self.init(
                name: cookie.name, value: cookie.value, domain: cookie.domain, path: cookie.path,
                expires: cookie.expiresDate.map { Self.seconds(of: $0) }, isSecure: cookie.isSecure,
                isHTTPOnly: cookie.isHTTPOnly, sameSite: SameSite(of: cookie))
        }

        /// The cookie for the engine; `nil` if Foundation refuses it.
        ///
        /// A domain without a leading dot is the host alone. An attribute that is present applies, whatever its value.
        var httpCookie: HTTPCookie? {
            var properties: [HTTPCookiePropertyKey: Any] = [.name: name, .value: value, .domain: domain, .path: path]
            if let expires { properties[.expires] = Date(timeIntervalSince1970: TimeInterval(expires)) }
            if isSecure { properties[.secure] = "TRUE" }
            if isHTTPOnly { properties[Self.httpOnly] = "TRUE" }
            sameSite.apply(to: &properties)
            return HTTPCookie(properties: properties)
        }

        /// A Boolean value that indicates whether all parts are valid in a header field (RFC 6265, section 4.1.1).
        var isSendable: Bool {
            !domain.isEmpty && path.hasPrefix("/")
                && [name, value, domain, path].allSatisfy {
                    $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
                } && !name.utf8.contains(UInt8(ascii: "="))
        }

        /// A Boolean value that indicates whether the cookie has expired. Setting an expired cookie removes a stored
        /// cookie.
        var hasExpired: Bool { expires.map { $0 <= Self.seconds(of: Date()) } ?? false }

        /// Returns the whole seconds since 1970, within the range of the type.
        private static func seconds(of date: Date) -> Int64 {
            let seconds = date.timeIntervalSince1970.rounded(.down)
            return Int64(exactly: seconds) ?? (seconds < 0 ? .min : .max)
        }
    }
#endif
