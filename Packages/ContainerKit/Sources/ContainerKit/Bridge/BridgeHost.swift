// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import CookieJar
internal import SchemeMode

/// Answers what pages' scripts ask the container.
@MainActor
final class BridgeHost: BridgeHosting {
    private let path: RequestPath
    private let names: SchemeNames
    private let pageCookies: PageCookies?

    init(path: RequestPath, names: SchemeNames, cookies: PageCookies?) {
        self.path = path
        self.names = names
        pageCookies = cookies
    }

    func covers(_ url: String) -> Bool {
        path.covers(url)
    }

    func cookies(for place: BridgeQuestion.Place) -> String {
        guard let way = way(of: place) else { return "" }
        return pageCookies?.jar.scriptCookieString(for: way.url, context: way.context) ?? ""
    }

    func setCookie(_ text: String, from place: BridgeQuestion.Place) {
        guard let way = way(of: place), pageCookies?.accepts(from: way) == true else { return }
        // Scripts are not told why one is refused.
        try? pageCookies?.jar.setFromScript(text, at: way.url, context: way.context)
    }

    private func way(of place: BridgeQuestion.Place) -> (url: CookieURL, context: CookieContext)? {
        guard let url = names.realURL(of: place.url) else { return nil }
        return pageCookies?.way(ofScriptAt: url, in: names.realURL(of: place.top) ?? place.top)
    }
}
