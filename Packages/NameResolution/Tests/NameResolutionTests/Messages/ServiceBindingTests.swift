// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@testable import NameResolution

/// HTTPS records (RFC 9460).
@Suite(.timeLimit(.minutes(1)))
struct ServiceBindingTests {
    /// Returns the data of a record.
    private static func data(
        _ priority: UInt16 = 1, _ target: String = "", _ parameters: [(UInt16, [UInt8])] = []
    ) -> [UInt8] {
        var bytes = TestMessage.bytes(priority) + TestMessage.name(target)
        for (key, value) in parameters {
            bytes += TestMessage.bytes(key) + TestMessage.bytes(UInt16(value.count)) + value
        }
        return bytes
    }

    private func message(_ data: [UInt8]...) -> TestMessage {
        TestMessage("host.example", type: 65, answers: data.map { .init("host.example", 65, $0) })
    }

    private static let http2: [UInt8] = [2] + Array("h2".utf8)
    private static let http3: [UInt8] = [2] + Array("h3".utf8)
    private static let ipv6 = IPAddress("2001:db8::1")?.octets ?? []

    @Test("Hints and a port are read")
    func hints() throws {
        let data = Self.data(
            1, "svc.example", [(1, Self.http2), (3, [0x20, 0xFB]), (4, [192, 0, 2, 1, 192, 0, 2, 2]), (6, Self.ipv6)])
        let service = try #require(try message(data).resolve("host.example", .https).services.first)
        #expect(service.priority == 1 && service.target.description == "svc.example" && service.port == 8443)
        #expect(service.hints == IPAddress.list("192.0.2.1", "192.0.2.2", "2001:db8::1"))
    }

    @Test("Records are in the order of their priorities, and an alias is the only one")
    func priorities() throws {
        let answer = try message(Self.data(2, "b.example"), Self.data(1, "a.example"))
            .resolve("host.example", .https)
        #expect(answer.services.map(\.priority) == [1, 2])
        let alias = try message(Self.data(1, "a.example"), Self.data(0, "b.example", [(4, [192, 0, 2, 1])]))
            .resolve("host.example", .https)
        #expect(alias.services.map(\.target.description) == ["b.example"])
        // Section 2.4.2: the parameters of an alias are ignored.
        #expect(alias.services.allSatisfy { $0.isAlias && $0.hints.isEmpty && $0.port == nil })
    }

    @Test("A record without a protocol over TCP or with an unknown mandatory parameter is not used")
    func usability() throws {
        let unusable: [[(UInt16, [UInt8])]] = [
            [(1, Self.http3), (2, [])], [(0, [0x10, 0x00]), (0x1000, [])],
            [(0, [0, 4, 0x10, 0]), (4, [1, 2, 3, 4]), (0x1000, [])],
        ]
        for parameters in unusable {
            let answer = try message(Self.data(1, "", parameters)).resolve("host.example", .https)
            #expect(answer.isNegative, "\(parameters)")
        }
        let usable: [[(UInt16, [UInt8])]] = [
            [(1, Self.http3)], [(1, Self.http3 + Self.http2), (2, [])], [(0, [0, 4]), (4, [1, 2, 3, 4])],
            [(0x1000, [])], [(5, [1, 2, 3])],
        ]
        for parameters in usable {
            let answer = try message(Self.data(1, "", parameters)).resolve("host.example", .https)
            #expect(answer.services.count == 1, "\(parameters)")
        }
    }

    @Test(
        "Malformed parameters make all HTTPS records of an answer invalid",
        arguments: [
            // The order of keys: decreasing and twice.
            [(4, [1, 2, 3, 4]), (3, [0, 1])], [(3, [0, 1]), (3, [0, 1])],
            // mandatory: empty, odd, itself, decreasing, twice, and missing.
            [(0, [])], [(0, [0])], [(0, [0, 0])], [(0, [0, 4, 0, 3]), (3, [0, 1]), (4, [1, 2, 3, 4])],
            [(0, [0, 3, 0, 3]), (3, [0, 1])], [(0, [0, 3])],
            // alpn: empty, an empty identifier, and a too long one.
            [(1, [])], [(1, [0])], [(1, [3, 0x68, 0x32])],
            // no-default-alpn: with a value, and without alpn.
            [(1, [2, 0x68, 0x32]), (2, [0])], [(2, [])],
            // port: of one and three octets.
            [(3, [1])], [(3, [0, 1, 2])],
            // Hints: empty, and of a part of an address.
            [(4, [])], [(4, [1, 2, 3])], [(4, [1, 2, 3, 4, 5])], [(6, [])], [(6, [1, 2, 3, 4])],
        ] as [[(UInt16, [UInt8])]])
    func malformed(parameters: [(UInt16, [UInt8])]) {
        let wrong = message(Self.data(), Self.data(1, "", parameters))
        #expect(wrong.failure("host.example", .https) == .badMessage)
    }

    @Test("Data that end early and a compressed target are rejected")
    func shortened() {
        let data = Self.data(1, "a.example", [(4, [1, 2, 3, 4])])
        let complete: Set = [data.count, 13]
        for count in 0..<data.count where !complete.contains(count) {
            #expect(message(Array(data.prefix(count))).failure("host.example", .https) == .badMessage, "\(count)")
        }
        #expect(message([0, 1, 0xC0, 12]).failure("host.example", .https) == .badMessage)
    }
}
