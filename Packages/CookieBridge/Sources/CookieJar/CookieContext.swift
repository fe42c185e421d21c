// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Whose request it is (RFC 6265bis, section 5.2), as the caller has found out: the jar cannot know.
///
/// "Lax-allowing-unsafe" (section 5.6.7.2), which is left to user agents, is left out: a cookie that does not say
/// `SameSite` does not go along with another site's POST, however young it is.
public enum CookieContext: Sendable, Hashable {
    /// The site's own: a request that its page makes, or one that nobody's page makes: an address that was typed, or a
    /// request of the app.
    case sameSite
    /// Another site's page leads to this one, in a top-level frame.
    /// - Parameter isSafe: whether the method is: GET, HEAD, OPTIONS or TRACE.
    case crossSiteNavigation(isSafe: Bool)
    /// Another site's page, or a frame in one, asks for a part of itself.
    case crossSite

    /// Whether a cookie is sent (section 5.8.3, step 3).
    func sends(_ sameSite: Cookie.SameSite, toScript: Bool) -> Bool {
        if sameSite == .none || self == .sameSite { return true }
        return !toScript && self == .crossSiteNavigation(isSafe: true) && sameSite != .strict
    }

    /// Whether a cookie may be set (section 5.7, step 18): by each top-level navigation, whatever its method.
    func accepts(_ sameSite: Cookie.SameSite, fromScript: Bool) -> Bool {
        if sameSite == .none || self == .sameSite { return true }
        return !fromScript && self != .crossSite
    }
}
