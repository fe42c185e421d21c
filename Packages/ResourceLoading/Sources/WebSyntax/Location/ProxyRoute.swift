// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A route of connections to a host: direct, or through a proxy.
public enum ProxyRoute: Sendable, Hashable {
    /// A connection without a proxy.
    case direct
    /// A tunnel of an HTTP proxy (`CONNECT`, RFC 9110, section 9.3.6), with the credentials of the scheme `Basic`.
    case http(HostPort, Credentials?)
    /// A tunnel of a SOCKS5 proxy (RFC 1928), with username and password (RFC 1929). The proxy resolves the host name.
    case socks5(HostPort, Credentials?)

    /// The credentials of a client for a proxy.
    public struct Credentials: Sendable, Hashable {
        /// The user name; without a colon for an HTTP proxy (RFC 7617, section 2), and 1 to 255 bytes for SOCKS5.
        public let username: String
        /// The password; 1 to 255 bytes for SOCKS5. The descriptions of this value omit it.
        public let password: String

        /// Creates credentials without validation.
        public init(username: String, password: String) {
            self.username = username
            self.password = password
        }
    }

    /// Parses the URL of a proxy: `direct://`, or a scheme with host, port and percent-encoded credentials. A path is
    /// ignored.
    ///
    /// The schemes are `http` (port 80 by default), and `socks`, `socks5` and `socks5h` (port 1080).
    /// - Returns: `nil` for an invalid text, and for other schemes, such as SOCKS4, which has no IPv6 and no passwords,
    ///   and a proxy over TLS.
    public init?(proxyURL: String) {
        guard let mark = proxyURL.utf8.firstRange(of: "://".utf8) else { return nil }
        let scheme = proxyURL[..<mark.lowerBound].asciiLowercased
        if scheme == "direct" {
            self = .direct
            return
        }
        var rest = Substring(proxyURL[mark.upperBound...].utf8.prefix { $0 != UInt8(ascii: "/") })
        var credentials: Credentials?
        if let end = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
            let parts = rest[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let user = PercentEncoding.decodeText(parts[0]),
                let password = parts.count > 1 ? PercentEncoding.decodeText(parts[1]) : ""
            else { return nil }
            credentials = Credentials(username: user, password: password)
            rest = rest[rest.utf8.index(after: end)...]
        }
        switch scheme {
        case "http":
            guard let proxy = HostPort(rest, defaultPort: 80) else { return nil }
            self = .http(proxy, credentials)
        case "socks", "socks5", "socks5h":
            guard let proxy = HostPort(rest, defaultPort: 1_080) else { return nil }
            self = .socks5(proxy, credentials)
        default: return nil
        }
    }

    /// The host and port of the proxy; `nil` without a proxy.
    public var proxy: HostPort? {
        switch self {
        case .direct: nil
        case .http(let proxy, _), .socks5(let proxy, _): proxy
        }
    }
}

// Routes appear in logs and debuggers, so the descriptions omit the password.
extension ProxyRoute.Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user name, without the password.
    public var description: String { "\(username):…" }
    /// The user name, without the password.
    public var debugDescription: String { description }
    /// The user name, without the password.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}
