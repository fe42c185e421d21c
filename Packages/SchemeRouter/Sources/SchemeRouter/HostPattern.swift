// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A host, or all hosts below a domain.
///
/// Written `shop.example.com`, `*.example.com` (every host below the domain, not the domain itself), each with an
/// optional `:port`; without one, any port matches. Letters' case does not count.
public struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    private let name: String
    private let matchesBelow: Bool
    private let port: Int?

    /// Reads a pattern; `nil` where it is not one.
    public init?(_ text: String) {
        guard let authority = Authority(text.hasPrefix("*.") ? String(text.dropFirst(2)) : text),
            !authority.host.contains("*")
        else { return nil }
        name = authority.host
        port = authority.port
        matchesBelow = text.hasPrefix("*.")
    }

    /// Whether the host of `authority`, written `host` or `host:port`, is covered.
    /// - Parameter defaultPort: the port that an authority without one stands for.
    public func matches(_ authority: String, defaultPort: Int) -> Bool {
        guard let authority = Authority(authority) else { return false }
        if let port, port != authority.port ?? defaultPort { return false }
        return matchesBelow ? authority.host.hasSuffix("." + name) : authority.host == name
    }

    public var description: String {
        (matchesBelow ? "*." : "") + name + (port.map { ":\($0)" } ?? "")
    }
}

/// Host and port, apart.
private struct Authority {
    let host: String
    let port: Int?

    init?(_ text: String) {
        var host = Substring(text)
        var port: Int?
        // The last colon outside of an IPv6 literal's brackets starts the port (RFC 3986, section 3.2).
        if let colon = text.lastIndex(of: ":"), text.lastIndex(of: "]").map({ $0 < colon }) ?? true {
            let digits = text[text.index(after: colon)...]
            guard let number = UInt16(digits), number > 0 else { return nil }
            port = Int(number)
            host = text[..<colon]
        }
        guard !host.isEmpty, host.utf8.count <= 255, !host.contains(where: { "/?#@ \\".contains($0) }) else {
            return nil
        }
        self.host = host.lowercased()
        self.port = port
    }
}
