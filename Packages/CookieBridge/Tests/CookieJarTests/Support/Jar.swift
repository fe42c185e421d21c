// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing

/// A jar with a manual clock, and short methods for tests.
struct Jar: Sendable {
    let clock = TestClock()
    let jar: CookieStore

    init(limits: CookieStore.Limits = .init(), cookies: [Cookie] = []) {
        let clock = clock
        jar = CookieStore(publicSuffixes: ListedSuffixes(), limits: limits, cookies: cookies, now: { clock.now })
    }

    /// Stores a field.
    /// - Returns: the code of the refusal.
    @discardableResult
    func set(
        _ field: String, from url: String = "https://shop.example/", _ context: CookieContext = .sameSite
    ) throws -> CookieRefusal.Code? {
        let url = try #require(CookieURL(url))
        return jar.store(setCookies: [field], from: url, context: context).first?.code
    }

    /// Sets a cookie as a script.
    /// - Returns: the code of the refusal.
    @discardableResult
    func script(
        _ text: String, at url: String = "https://shop.example/", _ context: CookieContext = .sameSite
    ) throws -> CookieRefusal.Code? {
        let url = try #require(CookieURL(url))
        do throws(CookieRefusal) {
            try jar.setFromScript(text, at: url, context: context)
            return nil
        } catch {
            return error.code
        }
    }

    /// Returns the `Cookie` field of a request; empty if there is none.
    func sent(to url: String = "https://shop.example/", _ context: CookieContext = .sameSite) throws -> String {
        jar.cookieHeader(for: try #require(CookieURL(url)), context: context) ?? ""
    }

    /// Returns the value of `document.cookie`.
    func seen(at url: String = "https://shop.example/", _ context: CookieContext = .sameSite) throws -> String {
        jar.scriptCookieString(for: try #require(CookieURL(url)), context: context)
    }

    /// Returns a cookie of the app.
    func cookie(
        _ name: String, _ value: String = "v", domain: String = "shop.example", isHostOnly: Bool = true,
        path: String = "/",
        expires: TimeInterval? = nil
    ) -> Cookie {
        Cookie(
            Cookie.Identity(name: name, domain: domain, isHostOnly: isHostOnly, path: path), value: value,
            expires: expires.map { clock.now.addingTimeInterval($0) }, created: clock.now)
    }
}
