// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
import WebSyntax

@testable import NameResolution

/// The prefix of address translation (RFC 6052, section 2.4; RFC 7050, section 3).
@Suite(.timeLimit(.minutes(1)))
struct TranslationTests {
    /// The examples of RFC 6052, section 2.4, with the address 192.0.2.33.
    @Test(
        "An address is translated with each length of a prefix",
        arguments: [
            (32, "2001:db8::", "2001:db8:c000:221::"), (40, "2001:db8:100::", "2001:db8:1c0:2:21::"),
            (48, "2001:db8:122::", "2001:db8:122:c000:2:2100::"),
            (56, "2001:db8:122:300::", "2001:db8:122:3c0:0:221::"),
            (64, "2001:db8:122:344::", "2001:db8:122:344:c0:2:2100::"),
            (96, "2001:db8:122:344::", "2001:db8:122:344::192.0.2.33"), (96, "64:ff9b::", "64:ff9b::192.0.2.33"),
        ])
    func translation(length: Int, prefix: String, expected: String) throws {
        let network = try #require(IPAddress(prefix))
        let prefix = try #require(TranslationPrefix(network, length: length))
        let address = try #require(IPAddress("192.0.2.33"))
        let translated = try #require(IPAddress(expected))
        #expect(prefix.translated(address) == translated && prefix.embedded(in: translated) == address)
        #expect(prefix.translated(translated) == nil)
    }

    @Test("The prefix is found in the addresses of ipv4only.arpa", arguments: [32, 40, 48, 56, 64, 96])
    func discovery(length: Int) throws {
        let network = try #require(IPAddress("2a00:1:2:3::"))
        let prefix = try #require(TranslationPrefix(network, length: length))
        let addresses = IPAddress.list("192.0.0.170", "192.0.0.171")
        let found = addresses.compactMap { prefix.translated($0) }
        #expect(TranslationPrefix.discovered(in: addresses + found)?.translated(addresses[0]) == found[0])
        #expect(TranslationPrefix.discovered(in: [found[1]])?.translated(addresses[1]) == found[1])
    }

    @Test("Addresses without the well-known ones have no prefix")
    func noDiscovery() {
        for texts in [[], ["192.0.0.170"], ["64:ff9b::192.0.2.1"], ["2a00::100:0:c000:aa"], ["::1"]] {
            #expect(TranslationPrefix.discovered(in: texts.compactMap { IPAddress($0) }) == nil, "\(texts)")
        }
    }

    @Test("In a network without IPv4, public IPv4 addresses of servers are translated")
    func resolver() async throws {
        let fixture = try ResolverFixture(servers: 1, publicHosts: ["a.example"])
        fixture.loader.set([.a("a.example", "1.2.3.4"), .a("b.example", "10.0.0.1")])
        // A network can use an own prefix that is not public.
        fixture.system.set(IPAddress.list("fd00:64::192.0.0.170", "192.0.0.170"), of: "ipv4only.arpa")
        fixture.resolver.changeNetwork(to: NetworkIdentity(name: "mobile"), isIPv6Only: true)
        #expect(try await fixture.resolver.addresses(of: "a.example") == IPAddress.list("fd00:64::1.2.3.4"))
        #expect(try await fixture.resolver.addresses(of: "b.example") == IPAddress.list("10.0.0.1"))
        #expect(fixture.system.hosts == ["ipv4only.arpa"] && fixture.events.isEmpty)
        fixture.resolver.changeNetwork(to: NetworkIdentity(name: "home"))
        #expect(try await fixture.resolver.addresses(of: "a.example") == IPAddress.list("1.2.3.4"))
        #expect(fixture.system.hosts == ["ipv4only.arpa"])
    }

    @Test("A look-up waits for the prefix for 300 ms")
    func slowDiscovery() async throws {
        let fixture = try ResolverFixture(servers: 1)
        fixture.loader.set([.a("a.example", "1.2.3.4")])
        fixture.system.gate.close()
        fixture.resolver.changeNetwork(to: nil, isIPv6Only: true)
        let task = Task { try await fixture.resolver.addresses(of: "a.example") }
        await fixture.clock.sleepers(atLeast: 1)
        #expect(fixture.loader.requests.isEmpty)
        fixture.clock.advance(by: .milliseconds(300))
        #expect(try await task.value == IPAddress.list("1.2.3.4"))
        fixture.system.gate.open()
    }
}
