// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The reach of an address (RFC 6890).
enum AddressScope: String, Sendable {
    /// This computer: 127.0.0.0/8 and ::1.
    case loopback
    /// The unspecified address and its network: 0.0.0.0/8 and ::.
    case unspecified
    /// A link: 169.254.0.0/16 (RFC 3927) and fe80::/10 (RFC 4291, section 2.5.6).
    case linkLocal
    /// A private network: RFC 1918, RFC 4193, and the shared addresses of RFC 6598.
    case privateNetwork
    /// Multicast, documentation, benchmarks and other special purposes.
    case special
    /// The public internet.
    case global
}

/// A prefix that translates IPv4 addresses to IPv6 (RFC 6052), for example one that RFC 7050 discovers.
struct TranslationPrefix: Sendable, Hashable {
    /// The prefix 64:ff9b::/96 (RFC 6052, section 2.1).
    static let wellKnown = TranslationPrefix(validOctets: [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8))

    /// The octets of the prefix: 4, 5, 6, 7, 8 or 12.
    let octets: [UInt8]

    /// Creates a prefix.
    /// - Parameters:
    ///   - address: an IPv6 address in the prefix.
    ///   - length: the length in bits: 32, 40, 48, 56, 64 or 96 (RFC 6052, section 2.2).
    /// - Returns: `nil` for an IPv4 address and for other lengths.
    init?(_ address: IPAddress, length: Int) {
        guard address.family == .ipv6, [32, 40, 48, 56, 64, 96].contains(length) else { return nil }
        self.init(validOctets: Array(address.octets.prefix(length / 8)))
    }

    private init(validOctets: [UInt8]) {
        octets = validOctets
    }

    /// Returns the IPv4 address that an IPv6 address of the prefix contains. It skips octet 8, which is zero (RFC 6052,
    /// section 2.2).
    /// - Returns: `nil` for an address without the prefix.
    func embedded(in address: IPAddress) -> IPAddress? {
        let all = address.octets
        guard address.family == .ipv6, all.starts(with: octets) else { return nil }
        let places = (octets.count..<16).filter { $0 != 8 || octets.count == 12 }.prefix(4)
        return IPAddress(octets: places.map { all[$0] })
    }
}

extension IPAddress {
    /// The reach of the address.
    ///
    /// An address that contains an IPv4 address has the reach of that address: IPv4-mapped addresses (RFC 4291, section
    /// 2.5.5.2), addresses of 6to4 (RFC 3056) and addresses of a translation (NAT64). RFC 6052, section 3.1, forbids
    /// private addresses in the well-known prefix. Addresses of 64:ff9b:1::/48 (RFC 8215) are global, because the
    /// length of the prefix in use is not known.
    /// - Parameter translations: the prefixes of translations in the current network, besides the well-known one.
    func scope(translations: [TranslationPrefix] = []) -> AddressScope {
        let octets = self.octets
        guard family == .ipv6 else { return Self.scopeOfIPv4(octets) }
        for prefix in translations + [.wellKnown] {
            if let embedded = prefix.embedded(in: self) { return embedded.scope() }
        }
        if octets.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 1]) { return .global }
        if octets.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) {
            return Self.scopeOfIPv4(Array(octets.suffix(4)))
        }
        if octets.dropLast().allSatisfy({ $0 == 0 }), octets[15] < 2 {
            return octets[15] == 1 ? .loopback : .unspecified
        }
        switch (octets[0], octets[1]) {
        case (0xFE, 0x80...0xBF): return .linkLocal
        case (0xFC...0xFD, _): return .privateNetwork
        case (0x20, 0x02): return Self.scopeOfIPv4(Array(octets[2..<6]))
        // Documentation: 2001:db8::/32 (RFC 3849) and 3fff::/20 (RFC 9637).
        case (0x20, 0x01) where octets[2] == 0x0D && octets[3] == 0xB8: return .special
        case (0x3F, 0xFF) where octets[2] < 0x10: return .special
        // RFC 4291, section 2.4, with the global addresses that are allocated: 2000::/3.
        case (0x20...0x3F, _): return .global
        default: return .special
        }
    }

    private static func scopeOfIPv4(_ octets: [UInt8]) -> AddressScope {
        switch (octets[0], octets[1], octets[2]) {
        case (0, _, _): .unspecified
        case (127, _, _): .loopback
        case (169, 254, _): .linkLocal
        case (10, _, _), (172, 16...31, _), (192, 168, _), (100, 64...127, _): .privateNetwork
        // Protocol assignments (RFC 6890) with the addresses of ipv4only.arpa (RFC 7050), documentation (RFC 5737),
        // benchmarks (RFC 2544), multicast, reserved addresses and broadcast.
        case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113), (198, 18...19, _), (224..., _, _): .special
        default: .global
        }
    }
}
