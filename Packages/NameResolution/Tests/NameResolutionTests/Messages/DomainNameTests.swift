// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import NameResolution

/// Names in messages (RFC 1035, sections 2.3.4, 3.1 and 4.1.4).
@Suite(.timeLimit(.minutes(1)))
struct DomainNameTests {
    @Test(
        "A host becomes labels in lower case",
        arguments: [
            ("host.example", "host.example"), ("HOST.Example.", "host.example"), ("a_b.xn--1", "a_b.xn--1"),
            ("localhost", "localhost"),
        ])
    func host(text: String, description: String) throws {
        #expect(try DomainName(host: text).description == description)
        #expect(try DomainName(host: text).octets == TestMessage.name(description))
    }

    @Test(
        "Addresses, empty and long labels and other characters are rejected",
        arguments: [
            "", ".", "..", "a..b", ".a", "a b", "é.example", "a/b", "a@b", "127.0.0.1", "a.1", "[::1]", "::1", "a\0",
            String(repeating: "a", count: 64) + ".example",
            Array(repeating: String(repeating: "a", count: 49), count: 5).joined(separator: ".") + ".aaaa",
        ])
    func invalid(text: String) {
        let error = #expect(throws: NameResolutionError.self) { try DomainName(host: text) }
        #expect(error?.code == .invalidName)
    }

    @Test("The longest label and the longest name are accepted")
    func limits() throws {
        let label = String(repeating: "a", count: 63)
        #expect(try DomainName(host: "\(label).example").octets.count == 73)
        let longest = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(try DomainName(host: longest).octets.count == DomainName.maxOctets)
    }

    @Test("Names are compared at their labels")
    func below() throws {
        let name = try DomainName(host: "a.host.example")
        for domain in ["a.host.example", "host.example", "example"] {
            #expect(name.isAtOrBelow(try DomainName(host: domain)), "\(domain)")
        }
        #expect(name.isAtOrBelow(.root))
        for domain in ["b.a.host.example", "st.example", "other", "a.host"] {
            #expect(!name.isAtOrBelow(try DomainName(host: domain)), "\(domain)")
        }
        #expect(DomainName.root.isAtOrBelow(.root))
        #expect(!DomainName.root.isAtOrBelow(name))
    }

    @Test("Dots in labels and invisible octets are escaped")
    func escapes() {
        let octets: [UInt8] = [4, 0x61, 0x2E, 0x5C, 0x00, 1, 0xFF, 0]
        #expect(DomainName(octets: octets).description == "a\\.\\\\\\000.\\255")
        #expect(DomainName.root.description == ".")
    }

    /// Reads the name at an offset of bytes after a header.
    private func read(_ bytes: [UInt8], at offset: Int = 0) throws -> DomainName {
        var reader = MessageReader([UInt8](repeating: 0, count: MessageReader.headerOctets) + bytes)
        _ = try reader.readOctets(MessageReader.headerOctets + offset)
        return try reader.readName()
    }

    @Test("A compressed name continues at an earlier name")
    func compressed() throws {
        let bytes = TestMessage.name("host.example") + [1, 0x61, 0xC0, 12] + [1, 0x62, 0xC0, 26] + [0xC0, 30]
        #expect(try read(bytes, at: 14).description == "a.host.example")
        #expect(try read(bytes, at: 18).description == "b.a.host.example")
        #expect(try read(bytes, at: 22).description == "b.a.host.example")
    }

    @Test(
        "Pointers lead backwards and stay in the message",
        arguments: [
            // To itself, forwards, into the header, and to the labels before the pointer.
            [0xC0, 12], [0xC0, 14, 0], [0xC0, 0], [0xC0, 11], [1, 0x61, 0xC0, 12], [1, 0x61, 0xC0, 13], [0xC0, 200],
            // Without the second octet, without an end, beyond the end, and of unknown types.
            [0xC0], [], [1], [1, 0x61], [63, 0x61, 0], [0x40, 0], [0x80, 0], [0x41, 0x61, 0],
        ] as [[UInt8]])
    func hostilePointers(bytes: [UInt8]) {
        let error = #expect(throws: NameResolutionError.self) { try read(bytes) }
        #expect(error?.code == .badMessage)
    }

    @Test("A name that runs into the labels of its pointer is rejected")
    func overlap() {
        // The label at 12 is longer than the octets before the name at 14.
        #expect(throws: NameResolutionError.self) { try read([5, 0x61, 1, 0x62, 0xC0, 12], at: 2) }
    }

    @Test("The number of pointers and the length of a name are limited")
    func pointerLimits() throws {
        var bytes = TestMessage.name("example")
        var target = 12
        for _ in 0..<MessageReader.maxPointers {
            let next = 12 + bytes.count
            bytes += [0xC0, UInt8(target)]
            target = next
        }
        let last = target - 12
        #expect(try read(bytes, at: last).description == "example")
        bytes += [0xC0, UInt8(target)]
        #expect(throws: NameResolutionError.self) { try read(bytes, at: last + 2) }

        let label: [UInt8] = [63] + [UInt8](repeating: 0x61, count: 63)
        let three = label + label + label
        #expect(try read(three + [61] + [UInt8](repeating: 0x62, count: 61) + [0]).octets.count == 255)
        #expect(throws: NameResolutionError.self) {
            try read(three + [62] + [UInt8](repeating: 0x62, count: 62) + [0])
        }
        // Short pieces that pointers join to a name of more than 255 octets.
        let joined = three + [0] + label + [0xC0, 12]
        #expect(throws: NameResolutionError.self) { try read(joined, at: three.count + 1) }
    }
}
