// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar

/// Whom a cookie is for (RFC 6265bis, sections 5.1.3 and 5.1.4).
enum CookieMatching {
    static func matches(host: String, _ identity: Cookie.Identity) -> Bool {
        identity.isHostOnly ? host == identity.domain : isWithin(host, identity.domain)
    }

    /// Whether a host is a domain, or lies below it. An address has nothing below.
    static func isWithin(_ host: String, _ domain: String) -> Bool {
        host == domain || !domain.isEmpty && host.hasSuffix("." + domain) && !isAddress(host)
    }

    static func matches(path: String, _ prefix: String) -> Bool {
        let path = path.utf8.first == UInt8(ascii: "/") ? path[...] : "/"
        guard path.utf8.starts(with: prefix.utf8) else { return false }
        return path.utf8.count == prefix.utf8.count || prefix.utf8.last == UInt8(ascii: "/")
            || path.utf8.dropFirst(prefix.utf8.count).first == UInt8(ascii: "/")
    }

    /// Whether a host is an IP address: it has colons, or ends in a number (URL Standard, "ends in a number checker").
    static func isAddress(_ host: String) -> Bool {
        guard !host.utf8.contains(UInt8(ascii: ":")) else { return true }
        guard let last = host.split(separator: ".").last else { return false }
        return last.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
