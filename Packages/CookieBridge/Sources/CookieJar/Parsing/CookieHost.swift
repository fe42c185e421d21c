// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The comparison of host names and addresses for cookies.
package enum CookieHost {
    /// Returns the host in lower case, an address in its shortest form (RFC 6265bis, section 5.1.2). Characters beyond
    /// ASCII are not converted to A-labels, because URL parsers convert them.
    /// - Returns: `nil` if the text is not a host, or is an address in an unusual spelling.
    static func canonical(_ host: String) -> String? {
        if host.utf8.first == UInt8(ascii: "[") {
            guard host.utf8.count > 2, host.utf8.last == UInt8(ascii: "]") else { return nil }
            return IPv6Address(host.utf8.dropFirst().dropLast()).map { "[\($0)]" }
        }
        let name = host.asciiLowercased
        let isAbsolute = name.utf8.last == UInt8(ascii: ".")
        let labels = name.utf8.dropLast(isAbsolute ? 1 : 0)
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard name.utf8.count <= 253 + (isAbsolute ? 1 : 0),
            labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(isAllowed) })
        else { return nil }
        // A host that ends in a number must be an IPv4 address (URL Standard, section 3.5).
        return HostSyntax.endsInNumber(name[...].utf8) && !HostSyntax.isIPv4Address(name.utf8) ? nil : name
    }

    /// Returns a Boolean value that indicates whether a canonical host is an address, which has no subdomains.
    static func isAddress(_ host: String) -> Bool {
        host.utf8.first == UInt8(ascii: "[") || HostSyntax.isIPv4Address(host.utf8)
    }

    /// Returns a Boolean value that indicates whether a canonical host is the local device.
    static func isLoopback(_ host: String) -> Bool {
        if isAddress(host) { return host == "[::1]" || host.utf8.starts(with: "127.".utf8) }
        return matches(host, domain: "localhost") || matches(host, domain: "localhost.")
    }

    /// Returns a Boolean value that indicates whether a host is this domain or a subdomain of it (section 5.1.3). Both
    /// are canonical.
    package static func matches(_ host: String, domain: String) -> Bool {
        let size = domain.utf8.count
        if host.utf8.count == size { return host.utf8.elementsEqual(domain.utf8) }
        guard host.utf8.count > size, size > 0, host.utf8.suffix(size).elementsEqual(domain.utf8) else { return false }
        return host.utf8.dropLast(size).last == UInt8(ascii: ".") && !isAddress(host)
    }

    /// Returns a host and its parent domains, longest first: `a.b.c`, `b.c`, `c`. An address has no parent domains.
    static func chain(_ host: String) -> [Substring] {
        guard !isAddress(host) else { return [host[...]] }
        var chain = [host[...]]
        while let next = CookieBytes.split(chain[chain.count - 1].utf8, at: UInt8(ascii: ".")).tail, !next.isEmpty {
            chain.append(Substring(next))
        }
        return chain
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILowercase || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

/// The comparison of cookie paths (RFC 6265bis, section 5.1.4), byte by byte.
enum CookiePath {
    /// The maximum length of a stored path, in bytes. Attributes have the same limit. Without this limit, a default
    /// path could be longer and use more memory.
    static let maxBytes = 1_024

    /// Returns a Boolean value that indicates whether a cookie path matches a request path.
    static func matches(_ request: String, _ cookie: String) -> Bool {
        guard request.utf8.starts(with: cookie.utf8) else { return false }
        return cookie.utf8.count == request.utf8.count || cookie.utf8.last == UInt8(ascii: "/")
            || request.utf8.dropFirst(cookie.utf8.count).first == UInt8(ascii: "/")
    }
}
