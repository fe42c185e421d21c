// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1
internal import WebSyntax

/// The role of a connection to one site of the local server. It authorizes requests and translates between the local
/// origin and the real origin in request and response fields.
struct LocalSiteRole: Sendable {
    /// The response fields that are removed, because they apply to the real host: its certificates, alternative
    /// addresses and CORS.
    private static let dropped = [
        "access-control-allow-credentials", "access-control-allow-headers", "access-control-allow-methods",
        "access-control-allow-origin", "access-control-expose-headers", "access-control-max-age", "alt-svc",
        "strict-transport-security",
    ]

    let site: LocalSite
    /// The port of the server.
    let port: Int
    let token: AccessToken
    /// A closure to call when the connection has sent the token.
    let didIdentify: @Sendable () -> Void

    /// The host and port that the engine connects to.
    var place: HostPort { HostPort(host: site.name, port: port) }
    private var origin: String { "https://\(place)" }

    /// Returns the target of a request.
    /// - Throws: ``RequestFault`` if the request is for another host (RFC 9110, section 7.4), has no token, or is from
    ///   a page of another origin. The server does not support CORS.
    func target(of head: HTTPRequestHead, _ path: String) throws(RequestFault) -> ConnectionRole.Target {
        guard let field = head.headers.first(name: "host"), HostPort(field, defaultPort: 443) == place else {
            throw RequestFault("Host is not the site of the connection", .misdirected)
        }
        guard token.isContained(in: head.headers) else { throw RequestFault(.credentials) }
        didIdentify()
        // `Sec-Fetch-Site`, if the engine sends it, must not indicate a page of another origin (Fetch Metadata, section
        // 2.4).
        let relations = head.headers["sec-fetch-site"]
        for relation in relations where !["same-origin", "none"].contains(relation) {
            throw RequestFault(.foreignOrigin(relation))
        }
        for asking in head.headers["origin"] where asking != origin {
            // With a referrer policy that hides the origin (Fetch, section 3.2), a page's own POST requests have origin
            // `null`. Scripts cannot set `Sec-Fetch-Site`.
            if asking == "null", relations == ["same-origin"] { continue }
            throw RequestFault(.foreignOrigin(asking))
        }
        return ConnectionRole.Target(host: site.host, isSecure: site.isSecure, path: path)
    }

    // MARK: Requests

    /// Changes the origin in the request fields to the real one, and removes the token.
    func restore(_ headers: inout HTTPHeaders) {
        token.remove(from: &headers)
        for name in ["origin", "referer"] {
            guard let value = headers.first(name: name) else { continue }
            if let real = Self.moved(value, from: origin, to: site.origin) {
                headers.replaceOrAdd(name: name, value: real)
            }
        }
    }

    // MARK: Responses

    /// Changes the response fields to the local origin.
    func localize(_ headers: inout HTTPHeaders) {
        for name in Self.dropped where headers.contains(name: name) { headers.remove(name: name) }
        for name in ["location", "content-location"] {
            guard let value = headers.first(name: name), let local = local(value) else { continue }
            headers.replaceOrAdd(name: name, value: local)
        }
        change("set-cookie", in: &headers, by: cookie)
        change("clear-site-data", in: &headers, by: clearing)
    }

    /// Returns the local URL of a URL of the site, or `nil` if the URL has another origin or is relative.
    private func local(_ url: String) -> String? {
        let scheme = site.isSecure ? "https:" : "http:"
        let authorities = [site.host.authority(isSecure: site.isSecure), "\(site.host)"]
        // A URL without a scheme has the scheme of the page. Local pages are https.
        for prefix in site.isSecure ? [scheme, ""] : [scheme] {
            for authority in authorities {
                if let moved = Self.moved(url, from: "\(prefix)//\(authority)", to: origin) { return moved }
            }
        }
        return nil
    }

    /// Returns a `Set-Cookie` value with the site's name as its domain, if it has one. Returns `nil` if the real host
    /// may not set the cookie, or if the cookie has the token's name.
    private func cookie(_ value: String) -> String? {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        guard let first = parts.first, first.prefix(while: { $0 != "=" }).trimmingFieldWhitespace != AccessToken.name
        else {
            return nil
        }
        var components = [first]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair[0].trimmingFieldWhitespace.asciiLowercased == "domain" else {
                components.append(part)
                continue
            }
            // RFC 6265, section 5.2.3: a leading dot is ignored.
            var domain = pair.count > 1 ? pair[1].trimmingFieldWhitespace.asciiLowercased : ""
            if domain.first == "." { domain.removeFirst() }
            guard domain.isEmpty || domain == site.host.host || site.host.host.hasSuffix(".\(domain)") else {
                return nil
            }
            // Without a dot it is a public suffix or an IPv6 address. An address has no subdomains. The cookie then
            // belongs to the host alone (RFC 6265bis, section 5.7, step 9).
            let hasSubdomains = domain.utf8.contains(UInt8(ascii: ".")) && !HostSyntax.isIPv4Address(domain.utf8)
            if hasSubdomains { components.append(" Domain=\(site.name)"[...]) }
        }
        return components.joined(separator: ";")
    }

    /// Returns a `Clear-Site-Data` value without cookies, because the field cannot exclude the token.
    private func clearing(_ value: String) -> String? {
        var kinds = FieldList.members(of: value).map(String.init)
        if kinds.contains("\"*\"") { kinds = ["\"cache\"", "\"storage\""] }
        kinds.removeAll { $0 == "\"cookies\"" }
        return kinds.isEmpty ? nil : kinds.joined(separator: ", ")
    }

    private func change(_ name: String, in headers: inout HTTPHeaders, by change: (String) -> String?) {
        let values = headers[name]
        guard !values.isEmpty else { return }
        headers.remove(name: name)
        for value in values { change(value).map { headers.add(name: name, value: $0) } }
    }

    /// Returns a URL with its origin replaced, or `nil` if the URL does not have the origin `old`.
    private static func moved(_ url: String, from old: String, to new: String) -> String? {
        guard url.utf8.count >= old.utf8.count, url.prefix(old.count).asciiLowercased == old else { return nil }
        let rest = url.dropFirst(old.count)
        guard rest.isEmpty || ["/", "?", "#"].contains(rest.first) else { return nil }
        return new + rest
    }
}
