// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// A host, or all hosts below a domain.
///
/// Written `shop.example.com`, `*.example.com` (every host below the domain, not the domain itself), each with an
/// optional `:port`; without one, any port matches. Letters' case does not count.
public struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    /// In lower case.
    let name: String
    let matchesBelow: Bool
    let port: Int?

    /// Reads a pattern; `nil` where it is not one.
    public init?(_ text: String) {
        guard let authority = HostAuthority(text.hasPrefix("*.") ? String(text.dropFirst(2)) : text) else { return nil }
        name = authority.host
        port = authority.port
        matchesBelow = text.hasPrefix("*.")
    }

    /// Returns a Boolean value that indicates whether the pattern covers a host.
    /// - Parameters:
    ///   - authority: the host, written `host` or `host:port`. An invalid one is not covered.
    ///   - defaultPort: the port that an authority without one stands for.
    public func matches(_ authority: String, defaultPort: Int) -> Bool {
        guard let authority = HostAuthority(authority) else { return false }
        if let port, port != authority.port ?? defaultPort { return false }
        return matchesBelow ? authority.host.hasSuffix("." + name) : authority.host == name
    }

    /// The name without the dot of the root, which makes no difference to where it leads.
    var rootless: String {
        name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    public var description: String {
        (matchesBelow ? "*." : "") + name + (port.map { ":\($0)" } ?? "")
    }
}

/// The authority of a URL: host and port, apart.
struct HostAuthority {
    /// In lower case; an IPv6 literal in its brackets.
    let host: String
    let port: Int?

    /// - Returns: `nil` for an invalid host, and for a port that no connection can be made to.
    init?(_ text: String) {
        guard let authority = Authority(text[...].utf8), authority.hasConnectablePort, authority.host.count <= 255
        else {
            return nil
        }
        host = Substring(authority.host).lowercased()
        port = authority.port
    }
}
