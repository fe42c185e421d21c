// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A proxy on a host and a port.
public struct EngineProxy: Sendable, Hashable {
    /// What a proxy speaks.
    public enum Kind: Sendable, Hashable {
        /// HTTP: `CONNECT` for https, requests for absolute URLs for http.
        case http
        /// SOCKS5 (RFC 1928), with credentials by RFC 1929: a tunnel for each connection, http included. Names are
        /// resolved by the proxy.
        case socks5
    }

    /// What a proxy wants to hear before it serves.
    public struct Credentials: Sendable, Hashable {
        /// Without a colon, which would end it (RFC 7617, section 2), where the proxy speaks HTTP; up to 255 bytes for
        /// SOCKS5.
        public let username: String
        /// Up to 255 bytes for SOCKS5. No description of this value shows it.
        public let password: String

        /// Takes both as they are.
        public init(username: String, password: String) {
            self.username = username
            self.password = password
        }
    }

    /// What it speaks.
    public let kind: Kind
    /// A name or an address.
    public let host: String
    /// 1 to 65535.
    public let port: Int
    /// Names and addresses that are asked directly; none by default.
    public let exceptions: [String]
    /// What the engine says where the proxy asks; `nil`, the default, for a proxy that serves anyone.
    public let credentials: Credentials?

    /// Names a proxy; whether it answers shows with the first request.
    public init(
        _ kind: Kind = .http, host: String, port: Int, exceptions: [String] = [], credentials: Credentials? = nil
    ) {
        self.kind = kind
        self.host = host
        self.port = port
        self.exceptions = exceptions
        self.credentials = credentials
    }
}

// Proxies are logged, and dumped by debuggers: the password stays out of it.
extension EngineProxy.Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user's name alone.
    public var description: String { "\(username):…" }
    /// The user's name alone.
    public var debugDescription: String { description }
    /// The user's name alone.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}
