// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebSyntax

/// A server that resolves names over HTTPS: DNS over HTTPS (RFC 8484) or HTTPDNS.
public struct ResolverServer: Sendable, Hashable {
    /// The host and the port of the server.
    public let authority: HostPort
    /// The path of the URL; it begins with a slash and has no query.
    public let path: String
    /// The addresses of the server. If there are none and the host is a name, the system resolves it.
    public let addresses: [IPAddress]

    /// The maximum number of addresses.
    static let maxAddresses = 16

    /// Creates a server.
    /// - Parameters:
    ///   - url: an `https` URL without user information, query and fragment, such as `https://dns.example/dns-query`.
    ///     The template variable `{?dns}` at its end (RFC 8484, section 4.1.1) has no effect.
    ///   - addresses: the IPv4 and IPv6 addresses of the host, at most 16, so that no resolver is needed to reach it.
    /// - Throws: ``NameResolutionError`` with code `invalidServer`.
    public init(url: String, addresses: [String] = []) throws(NameResolutionError) {
        var rest = Substring(url)
        let variable = "{?dns}"
        if rest.hasSuffix(variable) { rest = rest.dropLast(variable.count) }
        guard rest.utf8.startsIgnoringCase("https://"), addresses.count <= Self.maxAddresses else {
            throw NameResolutionError(.invalidServer, "not an https URL", at: url)
        }
        rest = Substring(rest.utf8.dropFirst("https://".utf8.count))
        let pathStart = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        guard let authority = HostPort(rest[..<pathStart], defaultPort: 443),
            rest[pathStart...].utf8.allSatisfy({ ASCIISet.path.contains($0) || $0 == UInt8(ascii: "%") })
        else { throw NameResolutionError(.invalidServer, "not the URL of a resolver", at: url) }
        self.authority = authority
        path = pathStart == rest.endIndex ? "/" : String(rest[pathStart...])
        let known = addresses.compactMap { IPAddress($0) }
        guard known.count == addresses.count else {
            throw NameResolutionError(.invalidServer, "an address of the server is invalid", at: url)
        }
        self.addresses = IPAddress(authority.host).map { [$0] } ?? known
    }

    /// The URL without a query.
    public var url: String { "https://\(authority.authority(isSecure: true))\(path)" }
}
