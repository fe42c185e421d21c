// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// An IP address without a zone and without a port.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// A version of the Internet Protocol.
    public enum Family: UInt8, Sendable {
        /// IPv4.
        case ipv4 = 4
        /// IPv6.
        case ipv6 = 6
    }

    /// The family of the address.
    public let family: Family
    // Two integers instead of an array, so that a cached address needs no memory of its own.
    private let high: UInt64
    private let low: UInt64

    /// Creates an address from 4 or 16 octets in network order.
    /// - Returns: `nil` for another number of octets.
    public init?(octets: some Collection<UInt8>) {
        switch octets.count {
        case 4: family = .ipv4
        case 16: family = .ipv6
        default: return nil
        }
        high = octets.dropLast(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = octets.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Parses an IPv4 address of four decimal numbers, or an IPv6 address without brackets (RFC 4291, section 2.2).
    /// - Returns: `nil` for other texts.
    public init?(_ text: some StringProtocol) {
        let bytes = Substring(text).utf8
        if HostSyntax.isIPv4Address(bytes) {
            self.init(octets: bytes.split(separator: UInt8(ascii: ".")).compactMap { UInt8(decimalDigits: $0) })
        } else if let address = IPv6Address(bytes) {
            self.init(octets: address.octets)
        } else {
            return nil
        }
    }

    /// The 4 or 16 octets of the address in network order.
    public var octets: [UInt8] {
        let bytes = { (word: UInt64, count: Int) in
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
        }
        return family == .ipv4 ? bytes(low, 4) : bytes(high, 8) + bytes(low, 8)
    }

    /// The address as text; an IPv6 address has its shortest form (RFC 5952, section 4) and no brackets.
    public var description: String {
        switch family {
        case .ipv4: octets.map { String($0) }.joined(separator: ".")
        case .ipv6: IPv6Address(octets: octets)?.description ?? ""
        }
    }
}
