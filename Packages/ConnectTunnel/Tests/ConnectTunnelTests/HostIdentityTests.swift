// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@_spi(Facade) @testable import ConnectTunnel
@testable import ContainerTesting

@Suite("Hosts of a certificate", .timeLimit(.minutes(1)))
struct HostIdentityTests {
    @Test("Names match exactly or with a wildcard for one label")
    func names() {
        for (host, pattern) in [
            ("shop.test", "shop.test"), ("shop.test", "Shop.TEST"), ("shop.test.", "shop.test"),
            ("a.shop.test", "*.shop.test"),
        ] {
            #expect(HostIdentity.matches(host, pattern), "\(host) \(pattern)")
        }
        for (host, pattern) in [
            ("shop.test", "other.test"), ("shop.test", "*.test"), ("shop.test", "*"), ("shop.test", "*.shop.test"),
            ("a.b.shop.test", "*.shop.test"), (".shop.test", "*.shop.test"), ("ab.shop.test", "a*.shop.test"),
            ("a.shop.test", "a.*.test"), ("", ""), ("shop.test", ""), ("shop.test", "shop.test\0.evil"),
        ] {
            #expect(!HostIdentity.matches(host, pattern), "\(host) \(pattern)")
        }
    }

    @Test("Addresses match only addresses, and names only names", arguments: ["127.0.0.1", "::1", "shop.test"])
    func kinds(host: String) throws {
        let leaf = try OriginCertificate(names: [host]).leaf
        for other in ["127.0.0.1", "127.0.0.2", "::1", "0:0:0:0:0:0:0:1", "shop.test", "www.shop.test"] {
            let isSame = other == host || host == "::1" && other == "0:0:0:0:0:0:0:1"
            #expect(HostIdentity.isOf(other, certificate: leaf) == isSame)
        }
        #expect(!HostIdentity.isOf(host, certificate: [1, 2, 3]))
    }

    @Test("A common name is ignored (RFC 9525, section 6.3)")
    func commonName() throws {
        let leaf = try OriginCertificate(names: [], commonName: "shop.test").leaf
        #expect(!HostIdentity.isOf("shop.test", certificate: leaf))
    }
}
