// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
@_spi(Facade) internal import CookieBridge
internal import CookieJar
internal import PublicSuffixList
@_spi(Facade) internal import SchemeMode

/// The receiver of the calls that scripts of pages make through the bridge.
///
/// Isolation: the main actor.
@MainActor
final class BridgeHost: BridgeHosting {
    private let path: RequestHandler
    private let pageCookies: PageCookies?

    init(path: RequestHandler, cookies: PageCookies?) {
        self.path = path
        pageCookies = cookies
    }

    func covers(_ url: String) -> Bool {
        path.policy.covers(path.names.withoutAlias(url))
    }

    func cookies(ofScriptAt place: String, in top: String, provenSite: String?) -> String {
        guard let cookieTarget = cookieTarget(ofScriptAt: place, in: top, provenSite) else { return "" }
        return pageCookies?.jar.scriptCookieString(for: cookieTarget.url, context: cookieTarget.context) ?? ""
    }

    func mayShow(documentAt place: String, below ancestors: [String]) -> Bool {
        path.completion.mayShow(
            documentAt: path.names.realURL(of: place) ?? place,
            below: ancestors.map { path.names.realURL(of: $0) ?? $0 })
    }

    func setCookie(_ text: String, ofScriptAt place: String, in top: String, provenSite: String?) {
        guard let cookieTarget = cookieTarget(ofScriptAt: place, in: top, provenSite),
            pageCookies?.accepts(from: cookieTarget) == true
        else {
            return
        }
        // Scripts receive no reason for a refused cookie.
        try? pageCookies?.jar.setFromScript(text, at: cookieTarget.url, context: cookieTarget.context)
    }

    /// Returns the cookie scope of a script; `nil` if the proof does not match. A document of the page's own site must
    /// have the proof of that site, and documents of other sites must have none.
    private func cookieTarget(
        ofScriptAt place: String, in top: String, _ provenSite: String?
    ) -> (url: CookieURL, context: CookieContext)? {
        guard let place = path.names.realURL(of: place) else { return nil }
        let site = PageSite(of: top, sites: SuffixList())
        let isProven = site.map { $0.name == provenSite } ?? false
        guard isProven == (site?.contains(place) ?? false) else { return nil }
        return pageCookies?.cookieTarget(ofScriptAt: place, in: top)
    }
}
