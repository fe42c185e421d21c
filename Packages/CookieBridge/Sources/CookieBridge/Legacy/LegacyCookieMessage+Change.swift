// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
public import Foundation
internal import WebSyntax

@_spi(Facade) extension LegacyCookieMessage {
    /// The rules for cookies that a page may set by message.
    @_spi(Facade) public struct Rules: Sendable {
        /// The schemes of documents that may set cookies, mapped to the scheme that each represents: `https` or `http`.
        /// By default these two represent themselves; an app adds its custom scheme.
        public var schemes = ["https": "https", "http": "http"]
        /// Returns a Boolean value that indicates whether a domain is a public suffix such as `co.uk`. The argument is
        /// in lower case, without a leading dot. By default a domain without a dot is one.
        public var isPublicSuffix: @Sendable (String) -> Bool = { !$0.contains(".") }

        public init() {}
    }

    /// Returns the change that the message requests, if the document may request it.
    ///
    /// The rules are those for a script's cookie (RFC 6265bis, section 5.7). If the domain equals the document's host
    /// and has no leading dot, the cookie is host-only, because older pages send their host if the script sets no
    /// domain.
    /// - Parameters:
    ///   - document: the URL of the frame that sent the message, as reported by the engine, not by the page.
    ///   - rules: the schemes of documents that may set cookies, and the public suffixes.
    ///   - now: the time from which ages count.
    /// - Throws: ``CookieBridgeError`` with code `wrongOrigin` if the document may not set such a cookie, or
    ///   `badMessage` if no document may set it.
    public func change(in document: URL, rules: Rules = Rules(), now: Date) throws -> CookieUpdate {
        let (host, isSecureOrigin) = try origin(document, rules)
        if let originURL, !originURL.isEmpty {
            guard let url = URL(string: originURL), try origin(url, rules).host == host else {
                throw CookieBridgeError(.wrongOrigin, "originurl does not match the document")
            }
        }
        try checkText()
        let (domain, isHostOnly) = try checkedDomain(for: host, rules)
        // RFC 6265bis, section 5.7, step 11.
        guard isSecureOrigin || !isSecure else {
            throw CookieBridgeError(.wrongOrigin, "an insecure document cannot set a Secure cookie")
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
        else { throw CookieBridgeError(.wrongOrigin, "the document has no cookies") }
        return (host, real == "https")
    }

    /// Returns the host with brackets if it is an IPv6 address; `URL.host` omits them.
    private static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// Checks the lengths (RFC 6265bis, section 5.7, steps 1 and 2) and the characters that end an attribute (section
    /// 5.6).
    private func checkText() throws {
        guard !(name.isEmpty && value.isEmpty), name.utf8.count + value.utf8.count <= 4_096,
            domain.utf8.count <= 255, path.utf8.count <= 1_024
        else { throw CookieBridgeError(.badMessage, "the cookie is empty or too long") }
        let isClean = [name, value, domain, path].allSatisfy { text in
            text.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F && $0 != UInt8(ascii: ";") }
        }
        guard isClean, !name.utf8.contains(UInt8(ascii: "=")) else {
            throw CookieBridgeError(.badMessage, "the cookie contains forbidden characters")
        }
    }

    private func checkedDomain(for host: String, _ rules: Rules) throws -> (String, isHostOnly: Bool) {
        let isDotted = domain.utf8.first == UInt8(ascii: ".")
        let name = (isDotted ? String(domain.dropFirst()) : domain).lowercased()
        guard !name.isEmpty, CookieHost.matches(host, domain: name) else {
            throw CookieBridgeError(.wrongOrigin, "the domain does not match the document")
        }
        if name == host, !isDotted || CookieHost.isAddress(host) || rules.isPublicSuffix(name) {
            return (name, true)
        }
        guard !rules.isPublicSuffix(name) else { throw CookieBridgeError(.wrongOrigin, "it is a public suffix") }
        return (name, false)
    }

    /// Checks the prefixes `__Secure-` and `__Host-` (RFC 6265bis, section 4.1.3).
    private func checkPrefix(_ identity: Cookie.Identity) throws {
        // A cookie without a name is serialized as its value alone, which could carry a prefix.
        let text = name.isEmpty ? value.lowercased() : name.lowercased()
        let isSecured = text.hasPrefix("__secure-")
        let isHosted = text.hasPrefix("__host-")
        guard isSecured || isHosted else { return }
        guard !name.isEmpty, isSecure, !isHosted || identity.isHostOnly && identity.path == "/" else {
            throw CookieBridgeError(.badMessage, "the cookie does not meet the rules of its name prefix")
        }
    }

    /// Returns the expiry, at most 400 days ahead (RFC 6265bis, section 5.6). `Max-Age` takes precedence over
    /// `Expires`.
    private func end(now: Date) -> Date? {
        let latest = now.addingTimeInterval(400 * 86_400)
        if let age = maximumAge?.trimmingCharacters(in: .whitespaces), let digits = Self.digits(age) {
            guard !age.hasPrefix("-"), let seconds = Double(digits), seconds > 0 else { return .distantPast }
            return min(latest, now.addingTimeInterval(min(seconds, 1e9)))
        }
        guard let expires, expires.utf8.count <= 128, let date = CookieDate.parse(expires) else { return nil }
        return min(latest, date)
    }

    /// Returns the digits of a decimal integer; `nil` if the text is not an integer.
    private static func digits(_ text: String) -> Substring? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        return !digits.isEmpty && digits.utf8.allSatisfy(\.isASCIIDigit) ? digits : nil
    }

    /// Returns the default path of a document (RFC 6265bis, section 5.1.4).
    private static func defaultPath(of document: URL) -> String {
        let path = document.path(percentEncoded: true)
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            return "/"
        }
        return String(path[..<slash])
    }
}

@_spi(Facade) extension LegacyCookieMessage {
    /// Returns the `document.cookie` string for the same change, so that a cookie store can apply the rules for a
    /// script of that document.
    /// - Parameters: as for ``change(in:rules:now:)``.
    /// - Throws: the errors of ``change(in:rules:now:)``.
    public func line(in document: URL, rules: Rules = Rules(), now: Date) throws -> String {
        let change = try change(in: document, rules: rules, now: now)
        let identity = change.identity
        var line = "\(identity.name)="
        switch change {
        case .set(let cookie):
            line += cookie.value
            // In whole seconds, rounded up so that it is never 0.
            if let end = cookie.expires { line += "; Max-Age=\(Int(end.timeIntervalSince(now).rounded(.up)))" }
        case .remove: line += "; Max-Age=0"
        }
        // A semicolon would end the attribute. Only the document's own default path can contain one, and a cookie
        // without the attribute gets that path.
        if !identity.path.utf8.contains(UInt8(ascii: ";")) { line += "; Path=\(identity.path)" }
        if !identity.isHostOnly { line += "; Domain=\(identity.domain)" }
        return isSecure ? line + "; Secure" : line
    }
}
