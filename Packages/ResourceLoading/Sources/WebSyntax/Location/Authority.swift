// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The host and the port of an authority (RFC 3986, section 3.2), without user information.
///
/// The parts are slices of the bytes that were read; nothing is copied. The host is a registered name of unreserved
/// characters, an IPv4 address, or an IPv6 address in brackets. Engines encode the hosts of their requests as such
/// (URL Standard, section 3.5), so that escapes and bytes beyond ASCII are refused here.
public struct Authority<Bytes>
where Bytes: BidirectionalCollection, Bytes.Element == UInt8, Bytes.SubSequence == Bytes {
    /// The host in its own spelling; an IPv6 address stands in its brackets.
    public let host: Bytes
    /// The text after the colon of the port, or `nil` without a colon.
    public let portDigits: Bytes?
    /// The port, or `nil` if there is none or its text is empty, which means the scheme's own (RFC 3986, section 6.2.3).
    public let port: Int?

    /// Reads `host` or `host:port`.
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

    /// Divides an authority at the colon of its port, and checks neither part.
    ///
    /// It is the last colon outside of the brackets of an IPv6 address.
    @inlinable
    public static func split(_ bytes: Bytes) -> (host: Bytes, portDigits: Bytes?) {
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), !bytes[colon...].contains(UInt8(ascii: "]")) else {
            return (bytes, nil)
        }
        return (bytes[..<colon], bytes[bytes.index(after: colon)...])
    }

    /// The part of an authority after its user information (RFC 3986, section 3.2.1; URL Standard, authority state).
    @inlinable
    public static func withoutUser(_ bytes: Bytes) -> Bytes {
        bytes.lastIndex(of: UInt8(ascii: "@")).map { bytes[bytes.index(after: $0)...] } ?? bytes
    }

    /// A Boolean value that indicates whether the port is left out, or names one to connect to: 1 to 65535, in at most
    /// five digits. An empty port is neither.
    @inlinable
    public var hasConnectablePort: Bool {
        guard let portDigits else { return true }
        return portDigits.count <= 5 && port ?? 0 > 0
    }
}
