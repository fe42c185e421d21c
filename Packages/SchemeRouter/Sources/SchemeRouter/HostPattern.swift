// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// A pattern for one host, or for all hosts below a domain.
///
/// The syntax is `shop.example.com` or `*.example.com`, which matches every host below the domain, but not the domain
/// itself. An optional `:port` restricts the port; without it, any port matches. Matching is case-insensitive.
public struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    /// The host or domain in lower case.
    let name: String
    let matchesBelow: Bool
    let port: Int?

    /// Parses a pattern; returns `nil` if it is invalid.
    public init?(_ text: String) {
        guard let authority = HostAuthority(text.hasPrefix("*.") ? String(text.dropFirst(2)) : text) else { return nil }
        name = authority.host
        port = authority.port
        matchesBelow = text.hasPrefix("*.")
    }

    /// Returns a Boolean value that indicates whether the pattern matches a host.
    /// - Parameters:
    ///   - authority: The host as `host` or `host:port`. An invalid authority does not match.
    ///   - defaultPort: The port of an authority without a port.
    public func matches(_ authority: String, defaultPort: Int) -> Bool {
        guard let authority = HostAuthority(authority) else { return false }
        if let port, port != authority.port ?? defaultPort { return false }
        return matchesBelow ? authority.host.hasSuffix("." + name) : authority.host == name
    }

    /// Returns a Boolean value that indicates whether this pattern matches each host that another pattern matches.
    func includes(_ other: HostPattern) -> Bool {
        if let port, port != other.port { return false }
        guard matchesBelow else { return !other.matchesBelow && other.rootless == rootless }
        return other.rootless.hasSuffix("." + rootless) || other.matchesBelow && other.rootless == rootless
    }

    /// The name without a trailing dot, which is the DNS root and does not change the host.
    var rootless: String {
        name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    public var description: String {
        (matchesBelow ? "*." : "") + name + (port.map { ":\($0)" } ?? "")
    }
}

/// The host and the port of a URL.
struct HostAuthority {
    /// The host in lower case; an IPv6 literal has brackets.
    let host: String
    let port: Int?

    /// Parses an authority.
    /// - Returns: `nil` for an invalid host, and for a port that cannot be connected to.
    init?(_ text: String) {
        guard let authority = Authority(text[...].utf8), authority.hasConnectablePort, authority.host.count <= 255
        else {
            return nil
        }
        host = Substring(authority.host).asciiLowercased
        port = authority.port
    }
}
