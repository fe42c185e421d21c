// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) import ConnectTunnel
import NIOCore
import Testing

@Suite("Addresses of localhost")
struct LocalhostAddressesTests {
    @Test(
        "localhost and the names below it have both loopback addresses",
        arguments: ["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.Localhost."])
    func loopback(host: String) throws {
        let addresses = try #require(try LocalhostAddresses.of(host, port: 8_080))
        #expect(addresses.map(\.ipAddress) == ["::1", "127.0.0.1"])
        #expect(addresses.map(\.port) == [8_080, 8_080])
    }

    @Test(
        "Other names have no addresses",
        arguments: ["localhost.example", "notlocalhost", "127.0.0.1", "::1", "", "localhost.."])
    func others(host: String) throws {
        #expect(try LocalhostAddresses.of(host, port: 80) == nil)
    }
}
