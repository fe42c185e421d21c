// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@Suite(.timeLimit(.minutes(1)))
struct HostSyntaxTests {
    /// URL Standard, "ends in a number" checker.
    @Test(
        arguments: [
            ("1.2.3.4", true), ("1.2.3.4.", true), ("example.1", true), ("a.0x", true), ("a.0XfF", true),
            ("a.0x1g", false),
            ("0", true), ("a", false), ("a.1b", false), ("a.b", false), ("", false), (".", false), ("1..", false),
            ("[::1]", false),
        ])
    func `A host ends in a number if its last label is a number`(host: String, isNumber: Bool) {
        #expect(HostSyntax.endsInNumber(host[...].utf8) == isNumber)
    }

    @Test(
        arguments: [
            ("localhost", true), ("LocalHost", true), ("localhost.", true), ("a.localhost", true),
            ("a.b.LOCALHOST.", true), ("notlocalhost", false), ("localhost.example", false), ("localhost..", false),
            ("", false), (".", false), ("[::1]", false), ("127.0.0.1", false), ("local", false),
            // U+017F LATIN SMALL LETTER LONG S has the uppercase form S.
            ("localho\u{17F}t", false),
        ])
    func `A host is localhost if its last label is localhost`(host: String, isLocalhost: Bool) {
        #expect(HostSyntax.isLocalhost(host[...].utf8) == isLocalhost)
    }

    /// Secure Contexts, section 3.1.
    @Test(
        arguments: [
            ("127.0.0.1", true), ("127.255.0.9", true), ("127.0.0.1.", true), ("[::1]", true),
            ("[0:0:0:0:0:0:0:1]", true), ("[0000::0.0.0.1]", true), ("localhost", true), ("LOCALHOST.", true),
            ("a.localhost", true), ("a.localhost.", true),
            ("127", false), ("127.", false), ("127.0.0.1..", false), ("127.0.0.256", false), ("127.example", false),
            ("127.0.0.1.example", false), ("128.0.0.1", false), ("0.0.0.0", false), ("[::]", false), ("[::2]", false),
            ("[1::1]", false), ("[::1", false), ("::1", false), ("[]", false), ("[", false), ("", false),
            ("localhost..", false), ("localhost.example", false),
        ])
    func `A host is loopback if it is a loopback address or localhost`(host: String, isLoopback: Bool) {
        #expect(HostSyntax.isLoopback(host[...].utf8) == isLoopback)
    }

    @Test(
        arguments: [
            ("0.0.0.0", true), ("127.0.0.1", true), ("255.255.255.255", true), ("256.0.0.1", false), ("1.2.3", false),
            ("1.2.3.4.", false), ("01.2.3.4", false), ("1..3.4", false), ("1.2.3.4.5", false), ("a.b.c.d", false),
            ("", false), ("0x1.2.3.4", false), ("1.2.3.1000", false),
        ])
    func `IPv4 addresses are canonical`(host: String, isAddress: Bool) {
        #expect(HostSyntax.isIPv4Address(host.utf8) == isAddress)
    }

    @Test(
        arguments: [
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("0:0:0:0:0:0:0:1", "::1"),
            ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
            ("0001:0002::00a0", "1:2::a0"), ("::1.2.3.4", "::102:304"), ("::ffff:127.0.0.1", "::ffff:7f00:1"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("fe80::1:0:0:2", "fe80::1:0:0:2"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ])
    func `IPv6 addresses are written in their shortest form`(text: String, canonical: String) throws {
        let address = try #require(IPv6Address(text.utf8))
        #expect(address.description == canonical)
        #expect(IPv6Address(canonical.utf8) == address)
    }

    @Test(
        arguments: [
            "", ":", ":::", "1", "1:", ":1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:", "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7:8::",
            "::1:2:3:4:5:6:7:8", "1::2::3", "1:::2", "12345::", "g::", "::1%lo", "::1.2.3", "::1.2.3.4.5",
            "::256.0.0.1",
            "::01.2.3.4", "1.2.3.4", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.4:5", "::1 ", "[::1]", "::.1",
            "1:2:3:4:5:6:1.2.3.4.", "::1\0",
        ])
    func `Rejects invalid IPv6 addresses`(text: String) {
        #expect(IPv6Address(text.utf8) == nil)
    }

    @Test(arguments: ["::", "::1", "2001:db8::1:0:0:1", "ff02::fffe", "64:ff9b::c000:201"])
    func `IPv6 addresses are made of 16 octets`(text: String) throws {
        let address = try #require(IPv6Address(text.utf8))
        #expect(IPv6Address(octets: address.octets) == address)
        #expect(IPv6Address(octets: address.octets.dropLast()) == nil)
        #expect(IPv6Address(octets: address.octets + [0]) == nil)
    }

    @Test func `Schemes begin with a letter`() {
        for text in ["http", "a", "A1+-.", "x-1"] { #expect(URLScheme.isValid(text.utf8)) }
        for text in ["", "1a", "+a", "a:", "a b", "ä", "a\u{301}"] { #expect(!URLScheme.isValid(text.utf8)) }
        #expect(URLScheme.isLowercase("app-1"))
        #expect(!URLScheme.isLowercase("App"))
    }
}
