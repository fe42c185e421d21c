// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The host and port of a connection.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// A host name or an IP address; an IPv6 address has no brackets.
    public let host: String
    /// The port, from 1 to 65535.
    public let port: Int

    /// Creates an endpoint. It does not check whether a server listens there.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Returns a port of this machine on its IPv4 loopback address.
    public static func loopback(_ port: Int) -> Endpoint {
        Endpoint(host: "127.0.0.1", port: port)
    }

    /// The endpoint as `host:port`, with an IPv6 address in brackets.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension Endpoint {
    /// Parses `host:port`, `[v6]:port`, or a host without a port if `defaultPort` is not `nil`. Returns `nil` for any
    /// other text.
    ///
    /// The grammar is the authority of RFC 3986, section 3.2, without user information.
    init?(authority: some StringProtocol, defaultPort: Int? = nil) {
        guard authority.utf8.count <= 255 + 6, let authority = Authority(Substring(authority).utf8),
            let port = authority.port ?? defaultPort, port > 0
        else { return nil }
        let host = Substring(authority.host)
        self.init(host: String(host.first == "[" ? host.dropFirst().dropLast() : host), port: port)
    }
}
