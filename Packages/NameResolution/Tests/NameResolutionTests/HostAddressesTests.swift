// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import Testing
import WebSyntax

@testable import NameResolution

/// The combination of answers of types A, AAAA and HTTPS.
@Suite(.timeLimit(.minutes(1)))
struct HostAddressesTests {
    /// Returns a response to the question of the message's type.
    private func response(
        _ type: RecordType, _ records: [TestMessage.Record], zone: UInt32? = 20, _ fields: HTTPFields = [:]
    ) throws -> DoHResponse {
        var message = TestMessage("host.example", type: type.rawValue, answers: records)
        if let zone { message.authorities = [.soa("example", minimum: zone)] }
        var fields = fields
        fields[.contentType] = "application/dns-message"
        return try DoHResponse(
            HTTPResponse(status: .ok, headerFields: fields), body: message.bytes,
            to: DNSQuestion(name: DomainName(host: "host.example"), type: type))
    }

    private let service = TestMessage.Record(
        "host.example", 65, [0, 1, 0, 0, 4, 0, 4, 192, 0, 2, 7], timeToLive: 40)

    @Test("Addresses of both families have the lower lifetime, without that of negative answers")
    func bothFamilies() throws {
        let ipv4 = try response(.a, [.a("host.example", "192.0.2.1", timeToLive: 90)])
        let ipv6 = try response(.aaaa, [.aaaa("host.example", "2001:db8::1", timeToLive: 60)])
        let both = HostAddresses([ipv6, ipv4, try response(.https, [service])])
        #expect(both.addresses == IPAddress.list("2001:db8::1", "192.0.2.1") && both.lifetime == 60)
        let one = HostAddresses([try response(.aaaa, []), ipv4])
        #expect(one.addresses == IPAddress.list("192.0.2.1") && one.lifetime == 90)
    }

    @Test("Hints are used if there are no addresses")
    func hints() throws {
        let negative = try response(.a, [])
        let hinted = HostAddresses([negative, try response(.https, [service])])
        #expect(hinted.addresses == IPAddress.list("192.0.2.7") && hinted.lifetime == 40)
        var other = service
        other.data = [0, 1, 0, 0, 3, 0, 2, 0x20, 0xFB, 0, 4, 0, 4, 192, 0, 2, 8]
        #expect(HostAddresses([negative, try response(.https, [other])]).addresses.isEmpty)
        #expect(HostAddresses([try response(.https, [other, service])]).addresses == IPAddress.list("192.0.2.7"))
    }

    @Test("Negative answers have the lowest lifetime, if all of them can be stored")
    func negative() throws {
        let short = try response(.a, [], zone: 5)
        #expect(HostAddresses([short, try response(.aaaa, [], zone: 9)]) == HostAddresses([short]))
        #expect(HostAddresses([short]).lifetime == 5)
        #expect(HostAddresses([short, try response(.aaaa, [], zone: nil)]).lifetime == nil)
        #expect(HostAddresses([]).lifetime == nil)
        let unstored = try response(.a, [.a("host.example", "192.0.2.1")], [.cacheControl: "no-store"])
        #expect(HostAddresses([unstored, short]).lifetime == nil)
    }
}
