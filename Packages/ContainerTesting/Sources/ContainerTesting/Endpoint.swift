// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// Where a connection leads.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address; an IPv6 address stands without brackets.
    public let host: String
    /// 1 to 65535.
    public let port: Int

    /// Names a place; whether anyone listens there shows with a connection.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// A port of this machine, by its IPv4 loopback address.
    public static func loopback(_ port: Int) -> Endpoint {
        Endpoint(host: "127.0.0.1", port: port)
    }

    /// `host:port`, an IPv6 address in brackets.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension Endpoint {
    /// Reads `host:port`, `[v6]:port`, or without a port where `defaultPort` is given.
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
