// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
public import Foundation
internal import WebSyntax

@_spi(Facade) extension LegacyCookieMessage {
    /// What a page may say.
    @_spi(Facade) public struct Rules: Sendable {
        /// The schemes of documents that may set cookies, and what each stands for: `https` or `http`. Default: these two
        /// themselves; a custom scheme is added here.
        public var schemes = ["https": "https", "http": "http"]
        /// Whether nobody owns a domain by itself, as `co.uk` (lower case, without a leading dot). Default: where it has no dot.
        public var isPublicSuffix: @Sendable (String) -> Bool = { !$0.contains(".") }

        public init() {}
    }

    /// The change that the message asks for, where the document may ask for it.
    ///
    /// The rules are those for a script's cookie (RFC 6265bis, section 5.7). A domain that is the document's host, without a
    /// leading dot, is for that host alone: older pages fill it in where the script gave none.
    /// - Parameters:
    ///   - document: the URL of the frame that sent the message, as the engine says; not as the page does.
    ///   - rules: the schemes of documents that may set cookies, and the public suffixes.
    ///   - now: what ages count from.
    /// - Throws: ``CookieBridgeError``: `wrongOrigin` where the document may not set such a cookie, `badMessage` where nobody
    ///   may.
    public func change(in document: URL, rules: Rules = Rules(), now: Date) throws -> CookieUpdate {
        let (host, isSecureOrigin) = try origin(document, rules)
        if let originURL, !originURL.isEmpty {
            guard let url = URL(string: originURL), try origin(url, rules).host == host else {
                throw CookieBridgeError(.wrongOrigin, "originurl is not the document")
            }
        }
        try checkText()
        let (domain, isHostOnly) = try checkedDomain(for: host, rules)
        // RFC 6265bis, section 5.7, step 11.
        guard isSecureOrigin || !isSecure else {
            throw CookieBridgeError(.wrongOrigin, "a Secure cookie of an insecure document")
        }
        let identity = Cookie.Identity(
            name: name, domain: domain, isHostOnly: isHostOnly,
            path: path.utf8.first == UInt8(ascii: "/") ? path : Self.defaultPath(of: document))
        try checkPrefix(identity)
        guard let end = end(now: now) else {
            return .set(Cookie(identity, value: value, created: now, isSecure: isSecure))
        }
        guard end > now else { return .remove(identity) }
        return .set(Cookie(identity, value: value, expires: end, created: now, isSecure: isSecure))
    }

    private func origin(_ url: URL, _ rules: Rules) throws -> (host: String, isSecure: Bool) {
        guard let scheme = url.scheme?.lowercased(), let real = rules.schemes[scheme],
            ["http", "https"].contains(real),
            let name = url.host(percentEncoded: true), let host = CookieHost.canonical(Self.bracketed(name))
        else { throw CookieBridgeError(.wrongOrigin, "not a document that has cookies") }
        return (host, real == "https")
    }

    /// URLs give IPv6 addresses without their brackets.
    private static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// RFC 6265bis, section 5.7, steps 1 and 2, and section 5.6 for what ends a part.
    private func checkText() throws {
        guard !(name.isEmpty && value.isEmpty), name.utf8.count + value.utf8.count <= 4_096,
            domain.utf8.count <= 255, path.utf8.count <= 1_024
        else { throw CookieBridgeError(.badMessage, "an empty cookie, or a long one") }
        let isClean = [name, value, domain, path].allSatisfy { text in
            text.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F && $0 != UInt8(ascii: ";") }
        }
        guard isClean, !name.utf8.contains(UInt8(ascii: "=")) else {
            throw CookieBridgeError(.badMessage, "letters that no cookie has")
        }
    }

    private func checkedDomain(for host: String, _ rules: Rules) throws -> (String, isHostOnly: Bool) {
        let isDotted = domain.utf8.first == UInt8(ascii: ".")
        let name = (isDotted ? String(domain.dropFirst()) : domain).lowercased()
        guard !name.isEmpty, CookieHost.matches(host, domain: name) else {
            throw CookieBridgeError(.wrongOrigin, "a domain that is not the document's")
        }
        if name == host, !isDotted || CookieHost.isAddress(host) || rules.isPublicSuffix(name) {
            return (name, true)
        }
        guard !rules.isPublicSuffix(name) else { throw CookieBridgeError(.wrongOrigin, "a public suffix") }
        return (name, false)
    }

    /// RFC 6265bis, section 4.1.3.
    private func checkPrefix(_ identity: Cookie.Identity) throws {
        // A value without a name would be read back as one of these.
        let text = name.isEmpty ? value.lowercased() : name.lowercased()
        let isSecured = text.hasPrefix("__secure-")
        let isHosted = text.hasPrefix("__host-")
        guard isSecured || isHosted else { return }
        guard !name.isEmpty, isSecure, !isHosted || identity.isHostOnly && identity.path == "/" else {
            throw CookieBridgeError(.badMessage, "a name whose prefix asks for more")
        }
    }

    /// Seconds since 1970 at the most 400 days ahead (RFC 6265bis, section 5.6); `Max-Age` goes before `Expires`.
    private func end(now: Date) -> Date? {
        let latest = now.addingTimeInterval(400 * 86_400)
        if let age = maximumAge?.trimmingCharacters(in: .whitespaces), let digits = Self.digits(age) {
            guard !age.hasPrefix("-"), let seconds = Double(digits), seconds > 0 else { return .distantPast }
            return min(latest, now.addingTimeInterval(min(seconds, 1e9)))
        }
        guard let expires, expires.utf8.count <= 128, let date = CookieDate.parse(expires) else { return nil }
        return min(latest, date)
    }

    /// The digits of a whole number; `nil` where it is none.
    private static func digits(_ text: String) -> Substring? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        return !digits.isEmpty && digits.utf8.allSatisfy(\.isASCIIDigit) ? digits : nil
    }

    /// RFC 6265bis, section 5.1.4.
    private static func defaultPath(of document: URL) -> String {
        let path = document.path(percentEncoded: true)
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            return "/"
        }
        return String(path[..<slash])
    }
}

@_spi(Facade) extension LegacyCookieMessage {
    /// What a script would assign to `document.cookie` for the same change, so that whoever keeps the cookies judges it as
    /// one of that document's scripts.
    /// - Parameters: as for ``change(in:rules:now:)``.
    /// - Throws: as ``change(in:rules:now:)``.
    public func line(in document: URL, rules: Rules = Rules(), now: Date) throws -> String {
        let change = try change(in: document, rules: rules, now: now)
        let identity = change.identity
        var line = "\(identity.name)="
        switch change {
        case .set(let cookie):
            line += cookie.value
            // In whole seconds, and never none.
            if let end = cookie.expires { line += "; Max-Age=\(Int(end.timeIntervalSince(now).rounded(.up)))" }
        case .remove: line += "; Max-Age=0"
        }
        // A semicolon is in a document's own path alone, and would end the attribute: that path is what a cookie gets
        // without one.
        if !identity.path.utf8.contains(UInt8(ascii: ";")) { line += "; Path=\(identity.path)" }
        if !identity.isHostOnly { line += "; Domain=\(identity.domain)" }
        return isSecure ? line + "; Secure" : line
    }
}
