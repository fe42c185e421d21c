// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@testable import NameResolution

/// The reach of addresses (RFC 6890; RFC 6052) and the rule for answers of the system.
@Suite(.timeLimit(.minutes(1)))
struct AddressScopeTests {
    private func parse(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test(
        "Addresses have the reach of their block",
        arguments: [
            ("0.0.0.0", .unspecified), ("0.1.2.3", .unspecified), ("127.0.0.1", .loopback),
            ("127.255.255.255", .loopback),
            ("10.0.0.1", .privateNetwork), ("172.15.255.255", .global), ("172.16.0.0", .privateNetwork),
            ("172.31.255.255", .privateNetwork), ("172.32.0.0", .global), ("192.168.0.1", .privateNetwork),
            ("192.167.255.255", .global), ("100.63.255.255", .global), ("100.64.0.0", .privateNetwork),
            ("100.127.255.255", .privateNetwork), ("100.128.0.0", .global), ("169.254.1.1", .linkLocal),
            ("169.253.1.1", .global), ("192.0.0.170", .special), ("192.0.2.1", .special), ("192.0.1.1", .global),
            ("198.18.0.1", .special), ("198.19.255.255", .special), ("198.20.0.0", .global), ("198.51.100.1", .special),
            ("203.0.113.1", .special), ("223.255.255.255", .global), ("224.0.0.1", .special),
            ("255.255.255.255", .special), ("8.8.8.8", .global),
            ("::", .unspecified), ("::1", .loopback), ("::2", .special), ("fe80::1", .linkLocal),
            ("febf::1", .linkLocal),
            ("fec0::1", .special), ("fc00::1", .privateNetwork), ("fdff::1", .privateNetwork), ("ff02::1", .special),
            ("2001:db8::1", .special), ("2001:db9::1", .global), ("3fff:fff::1", .special), ("3fff:1000::1", .global),
            ("2606:4700::1111", .global), ("4000::1", .special), ("1fff::1", .special),
            // Addresses that contain an IPv4 address.
            ("::ffff:8.8.8.8", .global), ("::ffff:10.0.0.1", .privateNetwork), ("::ffff:127.0.0.1", .loopback),
            ("64:ff9b::8.8.8.8", .global), ("64:ff9b::10.0.0.1", .privateNetwork), ("64:ff9b::127.0.0.1", .loopback),
            ("64:ff9b:0:0:0:1::", .special), ("64:ff9b:1::10.0.0.1", .global), ("64:ff9b:2::1", .special),
            ("2002:808:808::1", .global), ("2002:a00:1::1", .privateNetwork), ("2002:7f00:1::1", .loopback),
        ] as [(String, AddressScope)])
    func scopes(text: String, scope: AddressScope) throws {
        #expect(try parse(text).scope() == scope)
    }

    /// RFC 6052, section 2.4, with 192.0.2.33 replaced by 8.0.2.33 in the prefix 2001:db8::/32 and longer ones.
    @Test(
        "The IPv4 address of a translation is after the prefix, without octet 8",
        arguments: [
            ("2001:db8:800:221::", 32), ("2001:db8:108:2:21::", 40), ("2001:db8:122:800:2:2100::", 48),
            ("2001:db8:122:308:0:221::", 56), ("2001:db8:122:344:8:2:2100::", 64), ("2001:db8:122:344::800:221", 96),
        ])
    func translations(text: String, length: Int) throws {
        let address = try parse(text)
        let prefix = try #require(TranslationPrefix(address, length: length))
        #expect(prefix.embedded(in: address) == IPAddress("8.0.2.33"))
        #expect(address.scope(translations: [prefix]) == .global)
        #expect(address.scope() == .special)
        let other = try parse("2001:db9::1")
        #expect(prefix.embedded(in: other) == nil)
    }

    @Test("A private prefix of a translation in the current network is judged by the IPv4 address")
    func privateTranslation() throws {
        let prefix = try #require(TranslationPrefix(try parse("fd00:64::"), length: 96))
        #expect(try parse("fd00:64::8.8.8.8").scope(translations: [prefix]) == .global)
        #expect(try parse("fd00:64::10.0.0.1").scope(translations: [prefix]) == .privateNetwork)
        #expect(try parse("fd00:65::8.8.8.8").scope(translations: [prefix]) == .privateNetwork)
        #expect(TranslationPrefix(try parse("192.0.2.1"), length: 32) == nil)
        for length in [-1, 0, 31, 33, 72, 80, 88, 128] {
            #expect(TranslationPrefix(try parse("fd00::"), length: length) == nil)
        }
    }

    @Test("An answer with one local address is implausible for a public host only")
    func plausibility() throws {
        let mixed = IPAddress.list("8.8.8.8", "10.0.0.1")
        #expect(SystemAnswerCheck.check(mixed, isPublic: false) == .plausible)
        #expect(SystemAnswerCheck.check(mixed, isPublic: true) == .implausible(mixed[1], .privateNetwork))
        #expect(SystemAnswerCheck.check(IPAddress.list("8.8.8.8", "64:ff9b::808:808"), isPublic: true) == .plausible)
        #expect(SystemAnswerCheck.check([], isPublic: true) == .empty)
        #expect(SystemAnswerCheck.check([], isPublic: false) == .empty)
        let unspecified = IPAddress.list("0.0.0.0")
        #expect(SystemAnswerCheck.check(unspecified, isPublic: true) == .implausible(unspecified[0], .unspecified))
    }
}
