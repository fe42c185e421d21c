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

    func cookies(ofScriptAt place: String, in top: String) -> String {
        guard let way = way(ofScriptAt: place, in: top) else { return "" }
        return pageCookies?.jar.scriptCookieString(for: way.url, context: way.context) ?? ""
    }

    func setCookie(_ text: String, ofScriptAt place: String, in top: String) {
        guard let way = way(ofScriptAt: place, in: top), pageCookies?.accepts(from: way) == true else { return }
        // Scripts are not told why one is refused.
        try? pageCookies?.jar.setFromScript(text, at: way.url, context: way.context)
    }

    private func way(ofScriptAt place: String, in top: String) -> (url: CookieURL, context: CookieContext)? {
        names.realURL(of: place).flatMap { pageCookies?.way(ofScriptAt: $0, in: top) }
    }
}
