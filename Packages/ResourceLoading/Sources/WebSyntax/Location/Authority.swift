// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The host and the port of an authority (RFC 3986, section 3.2), without user information.
///
/// The properties are slices of the parsed bytes; nothing is copied. The host is a registered name of unreserved
/// characters, an IPv4 address, or an IPv6 address in brackets. Engines serialize the hosts of their requests in this
/// form (URL Standard, section 3.5). Escapes and non-ASCII bytes are therefore rejected.
public struct Authority<Bytes>
where Bytes: BidirectionalCollection, Bytes.Element == UInt8, Bytes.SubSequence == Bytes {
    /// The host as it is spelled in the authority; an IPv6 address includes its brackets.
    public let host: Bytes
    /// The text after the colon, or `nil` if there is no colon.
    public let portDigits: Bytes?
    /// The port, or `nil` if it is missing or empty. An empty port means the scheme's default (RFC 3986, section
    /// 6.2.3).
    public let port: Int?

    /// Parses `host` or `host:port`.
    ///
    /// The port is 0 to 65535, with any number of leading zeros (URL Standard, port state).
    /// - Returns: `nil` for an invalid host or port.
    @inlinable
    public init?(_ bytes: Bytes) {
        let (host, digits) = Self.split(bytes)
        guard HostSyntax.isHost(host) else { return nil }
        var port: Int?
        if let digits, !digits.isEmpty {
            guard let number = UInt16(decimalDigits: digits) else { return nil }
            port = Int(number)
        }
        self.host = host
        self.portDigits = digits
        self.port = port
    }

    /// A Boolean value that indicates whether the host is this machine, in any case; see ``HostSyntax/isLoopback(_:)``.
    public var isLoopback: Bool { HostSyntax.isLoopback(host) }

    /// Splits an authority at the colon of its port, without validation.
    ///
    /// The port follows the last colon outside of the brackets of an IPv6 address.
    @inlinable
    public static func split(_ bytes: Bytes) -> (host: Bytes, portDigits: Bytes?) {
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), !bytes[colon...].contains(UInt8(ascii: "]")) else {
            return (bytes, nil)
        }
        return (bytes[..<colon], bytes[bytes.index(after: colon)...])
    }

    /// Returns the part of an authority after its user information (RFC 3986, section 3.2.1; URL Standard, authority
    /// state).
    @inlinable
    public static func withoutUser(_ bytes: Bytes) -> Bytes {
        bytes.lastIndex(of: UInt8(ascii: "@")).map { bytes[bytes.index(after: $0)...] } ?? bytes
    }

    /// A Boolean value that indicates whether the port is absent or can be connected to: 1 to 65535, in at most five
    /// digits. An empty port is neither.
    @inlinable
    public var hasConnectablePort: Bool {
        guard let portDigits else { return true }
        return portDigits.count <= 5 && port ?? 0 > 0
    }
}
