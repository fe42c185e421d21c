// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine
    internal import WebKit

    // A file of its own: Foundation has the attribute on Apple's systems only. On Linux only `Scripts/check-darwin`
    // type-checks the first part.
    extension EngineCookie.SameSite {
        #if canImport(Darwin)
            /// Reads the attribute of a cookie. One without it, or with `None`, is `none`.
            init(of cookie: HTTPCookie) {
                self =
                    switch cookie.sameSitePolicy {
                    case .sameSiteLax?: .lax
                    case .sameSiteStrict?: .strict
                    default: .none
                    }
            }

            /// Adds the attribute. `none` adds nothing, because Foundation has no public value for it.
            func apply(to properties: inout [HTTPCookiePropertyKey: Any]) {
                switch self {
                case .none: break
                case .lax: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteLax.rawValue
                case .strict: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteStrict.rawValue
                }
            }
        #else
            /// A fallback for Linux, whose Foundation lacks the attribute: it is always `none`.
            init(of cookie: HTTPCookie) { self = .none }

            /// A fallback for Linux, whose Foundation lacks the attribute: it adds nothing.
            func apply(to properties: inout [HTTPCookiePropertyKey: Any]) {}
        #endif
    }
#endif
