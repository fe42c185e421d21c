// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// A host and a port, as a CONNECT asks for them (RFC 9110, section 9.3.6).
public struct HostPort: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address in lower case, of IPv6 without brackets.
    public let host: String
    /// 1 to 65535.
    public let port: Int

    /// Takes a host as URLs write it, with or without the brackets of IPv6.
    public init(host: String, port: Int) {
        self.host = host.filter { $0 != "[" && $0 != "]" }.lowercased()
        self.port = port
    }

    /// Reads `host:port`, also if an IPv6 address has no brackets.
    ///
    /// - Parameters:
    ///   - text: a host with a port, or without one if there is a default.
    ///   - defaultPort: the port for a text without a port, or with an empty one (RFC 3986, section 6.2.3).
    /// - Returns: `nil` for an invalid host (RFC 3986, section 3.2.2), for the port 0, and for a text without a port if
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

    /// The longest name of the domain name system, brackets, a colon and a port.
    private static let maxLength = maxHostLength + 6
    private static let maxHostLength = 253 + 2

    /// Whether the host is an address of IPv6.
    public var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

    /// As it is written in a URL: `example.org:443`, `[::1]:80`.
    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// As URLs of a scheme have it: without the port where it is the scheme's own.
    public func authority(isSecure: Bool) -> String {
        guard port == (isSecure ? 443 : 80) else { return description }
        return isIPv6 ? "[\(host)]" : host
    }
}
