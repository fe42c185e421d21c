// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import WebSyntax

@Suite(.timeLimit(.minutes(1)))
struct IPAddressTests {
    @Test(
        "Addresses keep their octets and have one text",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("::", "::"),
            ("2001:DB8:0::1", "2001:db8::1"), ("::ffff:1.2.3.4", "::ffff:102:304"),
            ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe"),
        ])
    func texts(text: String, description: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == description)
        #expect(IPAddress(octets: address.octets) == address)
        #expect(address.octets.count == (address.family == .ipv4 ? 4 : 16))
    }

    @Test("An IPv4 address is not the IPv6 address with the same number")
    func families() {
        #expect(IPAddress("0.0.0.1") != IPAddress("::1"))
    }

    @Test(
        "Other texts are rejected",
        arguments: ["", "1.2.3", "01.2.3.4", "1.2.3.256", "[::1]", "::1%lo", "::g", "host.example", "1.2.3.4 "])
    func invalid(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("An address has 4 or 16 octets")
    func counts() {
        for count in 0..<20 {
            #expect((IPAddress(octets: [UInt8](repeating: 1, count: count)) != nil) == (count == 4 || count == 16))
        }
    }
}
