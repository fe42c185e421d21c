// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The tables of routes and neighbours that Linux has in /proc/net, as text (proc(5)).
///
/// The tables are those of the kernel, but the parser has limits and ignores lines that it does not understand, because
/// a container can mount other files there.
struct NetworkTables: Sendable, Hashable {
    /// The maximum number of bytes of a table that are read. Lines after them are ignored.
    static let maxBytes = 256 << 10
    /// The maximum number of bytes of a name of an interface, without the final zero (netdevice(7)).
    private static let maxInterfaceBytes = 15

    /// A default route.
    struct Route: Sendable, Hashable {
        /// The name of the interface.
        let interface: String
        /// The address of the gateway; `nil` for a link without one.
        let gateway: IPAddress?
        let metric: UInt32
    }

    private enum Flag {
        static let up: UInt32 = 0x1
        static let gateway: UInt32 = 0x2
        static let reject: UInt32 = 0x200
        /// The flag of an entry of the table of neighbours that is complete.
        static let complete: UInt32 = 0x2
    }

    /// The default route for IPv4 with the lowest metric.
    let ipv4: Route?
    /// The default route for IPv6 with the lowest metric.
    let ipv6: Route?
    /// The hardware address of the gateway for IPv4; `nil` while it is unknown.
    let hardwareAddress: String?
    /// A Boolean value that indicates whether no table was longer than the limit.
    let isComplete: Bool

    /// Parses the tables.
    /// - Parameters:
    ///   - routes: the content of /proc/net/route.
    ///   - ipv6Routes: the content of /proc/net/ipv6_route.
    ///   - neighbours: the content of /proc/net/arp.
    init(routes: [UInt8], ipv6Routes: [UInt8], neighbours: [UInt8]) {
        isComplete = [routes, ipv6Routes, neighbours].allSatisfy { $0.count <= Self.maxBytes }
        let ipv4 = Self.lowest(Self.lines(of: routes).compactMap(Self.ipv4Route))
        self.ipv4 = ipv4
        ipv6 = Self.lowest(Self.lines(of: ipv6Routes).compactMap(Self.ipv6Route))
        hardwareAddress = ipv4.flatMap { route in
            Self.lines(of: neighbours).lazy.compactMap { Self.hardwareAddress(of: route, in: $0) }.first
        }
    }

    /// The network: the interface, both gateways, and the hardware address of the gateway for IPv4, because many
    /// networks use the same addresses. The identity is unknown without such a gateway or while its hardware address
    /// is unknown.
    var status: NetworkStatus {
        var identity: NetworkIdentity?
        if let ipv4, let gateway = ipv4.gateway, let hardwareAddress {
            let other = ipv6?.gateway?.description ?? ""
            identity = NetworkIdentity(name: "\(ipv4.interface)|\(gateway)|\(hardwareAddress)|\(other)")
        }
        return NetworkStatus(identity: identity, isIPv6Only: isComplete && ipv4 == nil && ipv6 != nil)
    }

    /// Returns the fields of each complete line.
    private static func lines(of table: [UInt8]) -> some Sequence<[ArraySlice<UInt8>]> {
        var lines = table.prefix(maxBytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
        if table.count > maxBytes { lines = lines.dropLast() }
        return lines.lazy.map { $0.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
    }

    /// The first of the routes with the lowest metric.
    private static func lowest(_ routes: some Sequence<Route>) -> Route? {
        routes.reduce(nil) { best, route in
            if let best, best.metric <= route.metric { best } else { route }
        }
    }

    /// Parses a line of /proc/net/route: interface, destination, gateway, flags, two counters, metric, mask. The metric
    /// is decimal; addresses are hexadecimal words in the order of the processor.
    private static func ipv4Route(_ fields: [ArraySlice<UInt8>]) -> Route? {
        guard fields.count >= 8, let interface = name(fields[0]), hex(fields[1]) == 0, hex(fields[7]) == 0,
            let gateway = hex(fields[2]), let flags = hex(fields[3]), let metric = UInt32(decimalDigits: fields[6]),
            flags & (Flag.up | Flag.reject) == Flag.up
        else { return nil }
        let octets = withUnsafeBytes(of: gateway) { Array($0) }
        return Route(
            interface: interface, gateway: flags & Flag.gateway == 0 ? nil : IPAddress(octets: octets), metric: metric)
    }

    /// Parses a line of /proc/net/ipv6_route: destination, its length, source, its length, gateway, metric, two
    /// counters, flags, interface. All numbers are hexadecimal.
    private static func ipv6Route(_ fields: [ArraySlice<UInt8>]) -> Route? {
        guard fields.count >= 10, let destination = octets(fields[0]), destination.allSatisfy({ $0 == 0 }),
            hex(fields[1]) == 0, hex(fields[3]) == 0, let gateway = octets(fields[4]), let metric = hex(fields[5]),
            let flags = hex(fields[8]), let interface = name(fields[9]), interface != "lo",
            flags & (Flag.up | Flag.reject) == Flag.up
        else { return nil }
        return Route(
            interface: interface, gateway: flags & Flag.gateway == 0 ? nil : IPAddress(octets: gateway), metric: metric)
    }

    /// Parses a line of /proc/net/arp: address, type, flags, hardware address, mask, interface.
    /// - Returns: `nil` for a line of another neighbour than the gateway of a route.
    private static func hardwareAddress(of route: Route, in fields: [ArraySlice<UInt8>]) -> String? {
        guard fields.count >= 6, let gateway = route.gateway, name(fields[5]) == route.interface,
            IPAddress(Substring(decoding: fields[0], as: UTF8.self)) == gateway, fields[2].starts(with: "0x".utf8),
            let flags = hex(fields[2].dropFirst(2)), flags & Flag.complete != 0, fields[3].count == 17,
            fields[3].allSatisfy({ $0 == UInt8(ascii: ":") || $0.hexDigitValue != nil }),
            fields[3].contains(where: { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: ":") })
        else { return nil }
        return String(decoding: fields[3], as: UTF8.self)
    }

    private static func name(_ field: ArraySlice<UInt8>) -> String? {
        guard (1...maxInterfaceBytes).contains(field.count), field.allSatisfy(ASCIISet.visible.contains) else {
            return nil
        }
        return String(decoding: field, as: UTF8.self)
    }

    private static func hex(_ field: ArraySlice<UInt8>) -> UInt32? {
        guard (1...8).contains(field.count) else { return nil }
        return field.reduce(UInt32?(0)) { value, digit in
            value.flatMap { value in digit.hexDigitValue.map { value << 4 | UInt32($0) } }
        }
    }

    private static func octets(_ field: ArraySlice<UInt8>) -> [UInt8]? {
        guard field.count == 32 else { return nil }
        var octets: [UInt8] = []
        var rest = field
        while !rest.isEmpty {
            guard let octet = hex(rest.prefix(2)) else { return nil }
            octets.append(UInt8(truncatingIfNeeded: octet))
            rest = rest.dropFirst(2)
        }
        return octets
    }
}
