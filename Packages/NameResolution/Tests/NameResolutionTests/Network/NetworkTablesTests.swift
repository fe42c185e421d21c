// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@testable import NameResolution

/// The tables of Linux.
@Suite(.timeLimit(.minutes(1)))
struct NetworkTablesTests {
    private static let heading = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
    private static let routes =
        heading + "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
        + "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
    private static let zeros = String(repeating: "0", count: 32)
    private static let ipv6Routes = """
        \(zeros) 00 \(zeros) 00 fd000000000000000000000000000001 00000400 00000001 00000000 00000003     eth0
        \(zeros) 00 \(zeros) 00 \(zeros) ffffffff 00000001 00000000 00200200       lo

        """
    private static let neighbours = """
        IP address       HW type     Flags       HW address            Mask     Device
        192.0.2.7        0x1         0x2         02:fc:00:00:00:07     *        eth0
        192.0.2.1        0x1         0x2         02:fc:00:00:00:05     *        eth0

        """

    private func tables(
        _ routes: String = routes, _ ipv6Routes: String = ipv6Routes, _ neighbours: String = neighbours
    ) -> NetworkTables {
        NetworkTables(
            routes: Array(routes.utf8), ipv6Routes: Array(ipv6Routes.utf8), neighbours: Array(neighbours.utf8))
    }

    @Test("The network has the interface, both gateways and the hardware address")
    func identity() {
        let status = tables().status
        #expect(status.identity?.name == "eth0|192.0.2.1|02:fc:00:00:00:05|fd00::1" && !status.isIPv6Only)
        #expect(tables(Self.routes, "").status.identity?.name == "eth0|192.0.2.1|02:fc:00:00:00:05|")
    }

    @Test("The identity is unknown without a gateway or its hardware address")
    func unknown() {
        for (name, status) in [
            ("no files", tables("", "", "").status),
            ("no route", tables(Self.heading).status),
            ("no neighbours", tables(Self.routes, Self.ipv6Routes, "").status),
            ("incomplete", tables(Self.routes, "", Self.neighbours.replacing("0x2", with: "0x0")).status),
            (
                "zeros",
                tables(Self.routes, "", Self.neighbours.replacing("02:fc:00:00:00:05", with: "00:00:00:00:00:00"))
                    .status
            ),
            ("other interface", tables(Self.routes, "", Self.neighbours.replacing("eth0", with: "eth1")).status),
            ("no gateway", tables(Self.routes.replacing("010200C0\t0003", with: "00000000\t0001")).status),
            ("route is down", tables(Self.routes.replacing("\t0003\t", with: "\t0002\t")).status),
        ] { #expect(status.identity == nil, "\(name)") }
    }

    @Test("A network without an IPv4 default route is IPv6 only")
    func ipv6Only() {
        #expect(tables(Self.heading).status.isIPv6Only)
        #expect(tables("").status.isIPv6Only)
        // A point-to-point link has no gateway.
        #expect(!tables(Self.routes.replacing("010200C0\t0003", with: "00000000\t0001")).status.isIPv6Only)
        #expect(!tables("", "").status.isIPv6Only)
        #expect(!tables("", Self.ipv6Routes.replacing("    eth0", with: "      lo")).status.isIPv6Only)
    }

    @Test("The route with the lowest metric counts")
    func metrics() {
        let other = "wlan0\t00000000\t010300C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
        #expect(tables(Self.routes + other).ipv4?.interface == "eth0")
        let first = Self.routes.replacing("\t0\t00000000\t0\t0\t0\n", with: "\t700\t00000000\t0\t0\t0\n")
        #expect(tables(first + other).ipv4?.interface == "wlan0")
        #expect(tables(first + other).ipv4?.gateway?.description == "192.0.3.1")
    }

    @Test(
        "Malformed lines are ignored",
        arguments: [
            "", "\n\n\n", "eth0", "eth0\t0\t0", "a-name-of-sixteen\t00000000\t010200C0\t0003\t0\t0\t0\t00000000",
            "eth1\t00000000\t0102\u{e9}0C0\t0003\t0\t0\t0\t00000000",
            "eth1\t00000000\t010200C0\t0003\t0\t0\t-1\t00000000",
            "eth1\t00000000\t010200C0FF\t0003\t0\t0\t0\t00000000",
        ])
    func malformed(line: String) {
        #expect(tables(Self.heading + line + "\n").ipv4 == nil)
        #expect(tables(line + "\n" + Self.routes).ipv4?.interface == "eth0")
    }

    @Test("Lines after the limit are ignored, and such a network is not IPv6 only")
    func limit() {
        let line = "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
        let many = String(repeating: line, count: NetworkTables.maxBytes / line.utf8.count + 1)
        #expect(tables(many + Self.routes).ipv4 == nil && !tables(many + Self.routes).status.isIPv6Only)
        #expect(tables(Self.routes + many).ipv4?.interface == "eth0")
    }

    #if os(Linux)
        @Test("The tables of this device are read completely")
        func device() {
            let content = LinuxNetworkIdentity.content(of: "/proc/net/arp")
            #expect(content.starts(with: "IP address".utf8) || content.isEmpty)
            #expect(LinuxNetworkIdentity.content(of: "/proc/self/missing").isEmpty)
            #expect(LinuxNetworkIdentity.content(of: "/proc/self/status").starts(with: "Name:".utf8))
        }
    #endif
}
