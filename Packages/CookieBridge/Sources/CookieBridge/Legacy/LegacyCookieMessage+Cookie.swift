// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Fuzzing) public import CookieJar
public import Foundation
internal import PublicSuffixList
internal import WebSyntax

@_spi(Facade) extension LegacyCookieMessage {
    /// Returns the cookie that the message requests, if the document may set it. A cookie that has expired at `now`
    /// removes the cookie that it would replace.
    ///
    /// The rules are those of the jar for a script's cookie (RFC 6265bis, section 5.7). If the domain equals the
    /// document's host and has no leading dot, or is missing, the cookie is host-only. Older pages send their host if
    /// the script sets no domain.
    /// - Parameters:
    ///   - document: the URL of the frame that sent the message, as reported by the engine, not by the page.
    ///   - schemes: the schemes of documents that may set cookies, mapped to the scheme that each represents: `https`
    ///     or `http`. By default these two schemes represent themselves. An app adds its custom schemes.
    ///   - now: the time from which ages count.
    /// - Throws: ``CookieBridgeError`` with code `wrongOrigin` if the document may not set the cookie, or `badMessage`
    ///   if no document may set it.
    public func cookie(
        in document: URL, schemes: [String: String] = ["https": "https", "http": "http"], now: Date
    ) throws -> Cookie {
        let url = try Self.cookieURL(of: document, schemes)
        if let originURL, !originURL.isEmpty {
            guard let claimed = URL(string: originURL), try Self.cookieURL(of: claimed, schemes).host == url.host else {
                throw CookieBridgeError(.wrongOrigin, "originurl does not match the document")
            }
        }
        try checkAttributes()
        let domain = domain ?? url.host
        let isDotted = domain.utf8.first == UInt8(ascii: ".")
        let site = (isDotted ? domain.dropFirst() : domain[...]).asciiLowercased
        let path = path ?? ""
        let hasPath = path.utf8.first == UInt8(ascii: "/")
        var field = SetCookie(name: name, value: value)
        // No host is below the domain of a single dot. An empty attribute would count as missing.
        field.domain = site.isEmpty ? "." : isDotted || site != url.host ? site : nil
        field.path = hasPath ? path : ""
        field.isSecure = isSecure
        field.expires = expiryTime ?? expires.flatMap(Self.date)
        field.maxAge = maximumAge.flatMap { SetCookie.seconds($0.trimmingCharacters(in: .whitespaces)[...].utf8) }
        let identity = Cookie.Identity(
            name: name, domain: url.host, isHostOnly: true, path: hasPath ? path : url.defaultPath)
        let cookie: Cookie
        do throws(CookieRefusal) {
            try Cookie(identity, value: value, created: now).check()
            cookie = try field.cookie(
                from: url, .sameSite, isScript: true, suffixes: SuffixList(), lifetime: CookieStore.Limits().lifetime,
                now: now)
        } catch {
            let foreign: [CookieRefusal.Code] = [.otherDomain, .publicSuffix, .insecureOrigin]
            throw CookieBridgeError(
                foreign.contains(error.code) ? .wrongOrigin : .badMessage, "the cookie is refused: \(error.code)")
        }
        // A jar also accepts Secure cookies from the local device.
        guard url.scheme == "https" || !isSecure else {
            throw CookieBridgeError(.wrongOrigin, "an insecure document cannot set a Secure cookie")
        }
        return cookie
    }

    /// Returns the `document.cookie` string for the same cookie, so that a cookie store can apply the rules for a
    /// script of that document.
    /// - Parameters: as for ``cookie(in:schemes:now:)``.
    /// - Throws: the errors of ``cookie(in:schemes:now:)``.
    public func line(
        in document: URL, schemes: [String: String] = ["https": "https", "http": "http"], now: Date
    ) throws -> String {
        let cookie = try cookie(in: document, schemes: schemes, now: now)
        let identity = cookie.identity
        // The age is in whole seconds, rounded up so that it is 0 only for an expired cookie.
        let age = cookie.expires.map { max(0, $0.timeIntervalSince(now)).rounded(.up) }
        var line = "\(identity.name)=\(age == 0 ? "" : cookie.value)"
        if let age { line += "; Max-Age=\(Int(age))" }
        // A semicolon would end the attribute. Only the document's own default path can contain a semicolon, and a
        // cookie without the attribute gets that path.
        if !identity.path.utf8.contains(UInt8(ascii: ";")) { line += "; Path=\(identity.path)" }
        if !identity.isHostOnly { line += "; Domain=\(identity.domain)" }
        return isSecure ? line + "; Secure" : line
    }

    private static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 128 else { return nil }
        return CookieDate.parse(text)
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: .iso8601))
    }

    private static func cookieURL(of document: URL, _ schemes: [String: String]) throws -> CookieURL {
        guard let scheme = document.scheme, let real = schemes[scheme.asciiLowercased],
            let url = CookieURL("\(real)\(document.absoluteString.dropFirst(scheme.count))")
        else { throw CookieBridgeError(.wrongOrigin, "the document has no cookies") }
        return url
    }

    /// Checks the lengths and characters of domain and path. The jar's parser would ignore an attribute that is too
    /// long, and would split an attribute at a semicolon (RFC 6265bis, section 5.6).
    private func checkAttributes() throws {
        let isValid = [domain, path].compactMap(\.self).allSatisfy { text in
            text.utf8.count <= SetCookie.maxAttributeBytes
                && text.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F && $0 != UInt8(ascii: ";") }
        }
        guard isValid else {
            throw CookieBridgeError(.badMessage, "domain or path is too long or contains forbidden characters")
        }
    }
}
