// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The relation of a request to the page that made it (RFC 6265bis, section 5.2). The caller determines the relation,
/// because the jar does not have the page.
///
/// A cookie without `SameSite` is not sent with another site's POST. The optional rule "Lax-allowing-unsafe" (section
/// 5.6.7.2), which sends young cookies, is left out because it permits forged requests.
public enum CookieContext: Sendable, Hashable {
    /// A request by a page of the same site, or by no page, for example for a typed address or by the app.
    case sameSite
    /// A top-level navigation that a page of another site started.
    /// - Parameter isSafe: a Boolean value that indicates whether the method is safe: GET, HEAD, OPTIONS or TRACE.
    case crossSiteNavigation(isSafe: Bool)
    /// A subresource request by a page of another site, or by a frame in a page of another site.
    case crossSite

    /// Returns a Boolean value that indicates whether a cookie is sent (section 5.8.3, step 3).
    func sends(_ sameSite: Cookie.SameSite, toScript: Bool) -> Bool {
        if sameSite == .none || self == .sameSite { return true }
        return !toScript && self == .crossSiteNavigation(isSafe: true) && sameSite != .strict
    }

    /// Returns a Boolean value that indicates whether a cookie may be set (section 5.7, step 18). Any top-level
    /// navigation may set it, whatever its method.
    func accepts(_ sameSite: Cookie.SameSite, fromScript: Bool) -> Bool {
        if sameSite == .none || self == .sameSite { return true }
        return !fromScript && self != .crossSite
    }
}
