// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

extension TranslationPrefix {
    /// The name whose IPv6 addresses contain the prefix of a translation (RFC 7050, section 2.2).
    static let discoveryName = "ipv4only.arpa"
    /// The IPv4 addresses of the name (RFC 7050, section 2.2).
    private static let wellKnownAddresses: Set<IPAddress> = Set(
        [[192, 0, 0, 170], [192, 0, 0, 171]].compactMap { (octets: [UInt8]) in IPAddress(octets: octets) })
    /// The lengths of prefixes, the most common one first.
    private static let lengths = [96, 64, 56, 48, 40, 32]

    /// Finds the prefix in the addresses of ``discoveryName`` (RFC 7050, section 3).
    /// - Returns: `nil` if no IPv6 address contains an IPv4 address of the name.
    static func discovered(in addresses: [IPAddress]) -> TranslationPrefix? {
        // Octet 8 is zero with each prefix (RFC 6052, section 2.2).
        for address in addresses where address.family == .ipv6 && address.octets[8] == 0 {
            for length in lengths {
                guard let prefix = TranslationPrefix(address, length: length),
                    let embedded = prefix.embedded(in: address), wellKnownAddresses.contains(embedded),
                    prefix.translated(embedded) == address
                else { continue }
                return prefix
            }
        }
        return nil
    }

    /// Returns the IPv6 address for an IPv4 address, with zeros in octet 8 and after the address (RFC 6052, section
    /// 2.2).
    /// - Returns: `nil` for an IPv6 address.
    func translated(_ address: IPAddress) -> IPAddress? {
        guard address.family == .ipv4 else { return nil }
        var octets = octets
        for octet in address.octets {
            if octets.count == 8 { octets.append(0) }
            octets.append(octet)
        }
        octets += [UInt8](repeating: 0, count: 16 - octets.count)
        return IPAddress(octets: octets)
    }

    /// Returns the addresses that a network without IPv4 can reach: each public IPv4 address is replaced by its
    /// translation (RFC 6052, section 3.1).
    func reachable(_ addresses: [IPAddress]) -> [IPAddress] {
        var known: Set<IPAddress> = []
        return addresses.compactMap { address in
            guard address.family == .ipv4, address.scope() == .global else { return address }
            return translated(address)
        }.filter { known.insert($0).inserted }
    }
}
