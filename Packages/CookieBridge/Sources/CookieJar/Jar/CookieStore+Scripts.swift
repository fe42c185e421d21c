// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension CookieStore {
    /// What `document.cookie` gives, perhaps nothing; notes that the cookies were used (RFC 6265bis, section 5.8.2).
    /// - Parameters:
    ///   - url: the document's.
    ///   - context: ``CookieContext/sameSite`` where the document and all those around it are of one site; all else is
    ///     another site's to scripts.
    public func scriptCookieString(for url: CookieURL, context: CookieContext = .sameSite) -> String {
        cookiesToSend(for: url, context, isScript: true).fieldValue
    }

    /// The cookies that a script sees, in their order; notes that they were used.
    public func scriptCookies(for url: CookieURL, context: CookieContext = .sameSite) -> [Cookie] {
        cookiesToSend(for: url, context, isScript: true)
    }

    /// Does what an assignment to `document.cookie` does: as a response's field, but nothing that is `HttpOnly` is set,
    /// changed or removed.
    /// - Throws: ``CookieRefusal``, of which scripts hear nothing; nothing has changed then.
    public func setFromScript(
        _ text: String, at url: CookieURL, context: CookieContext = .sameSite
    ) throws(CookieRefusal) {
        try receive(text, url, context, .script)
    }
}
