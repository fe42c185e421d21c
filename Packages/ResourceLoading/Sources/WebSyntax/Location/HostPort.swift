// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The host and port of a CONNECT request (RFC 9110, section 9.3.6).
public struct HostPort: Sendable, Hashable, CustomStringConvertible {
    /// The name or address in lower case; an IPv6 address has no brackets.
    public let host: String
    /// The port, from 1 to 65535.
    public let port: Int

    /// Creates a value from the host of a URL; an IPv6 address may have brackets.
    public init(host: String, port: Int) {
        self.host = host.filter { $0 != "[" && $0 != "]" }.asciiLowercased
        self.port = port
    }

    /// Parses `host:port`. The brackets of an IPv6 address are optional.
    ///
    /// - Parameters:
    ///   - text: A host with a port; the port may be missing if there is a default.
    ///   - defaultPort: The port for a text without a port or with an empty port (RFC 3986, section 6.2.3).
    /// - Returns: `nil` for an invalid host (RFC 3986, section 3.2.2), for port 0, and for a text without a port if
    ///   there is no default.
    public init?(_ text: some StringProtocol, defaultPort: Int? = nil) {
        let bytes = Substring(text).utf8
        guard bytes.count <= Self.maxLength else { return nil }
        if let authority = Authority(bytes) {
            guard authority.host.count <= Self.maxHostLength, let port = authority.port ?? defaultPort, port > 0 else {
                return nil
            }
            self.init(host: String(Substring(authority.host)), port: port)
        } else {
            let (host, digits) = Authority.split(bytes)
            guard IPv6Address(host) != nil, let digits, let port = UInt16(decimalDigits: digits), port > 0 else {
                return nil
            }
            self.init(host: String(Substring(host)), port: Int(port))
        }
    }

    /// The maximum lengths: a DNS name, brackets, a colon and a port.
    private static let maxLength = maxHostLength + 6
    private static let maxHostLength = 253 + 2

    /// A Boolean value that indicates whether the host is an IPv6 address.
    public var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

    /// A Boolean value that indicates whether the host is this machine; see ``HostSyntax/isLoopback(_:)``.
    public var isLoopback: Bool { HostSyntax.isLoopback((isIPv6 ? "[\(host)]" : host)[...].utf8) }

    /// The form used in URLs: `example.org:443`, `[::1]:80`.
    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Returns the authority of a URL, without the default port of the scheme.
    /// - Parameter isSecure: A Boolean value that indicates whether the scheme is `https`, not `http`.
    public func authority(isSecure: Bool) -> String {
        guard port == (isSecure ? 443 : 80) else { return description }
        return isIPv6 ? "[\(host)]" : host
    }
}
