// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import NameResolution

/// Queries (RFC 8484, section 4.1; RFC 6891; RFC 7830; RFC 8467, section 4.1).
@Suite(.timeLimit(.minutes(1)))
struct QueryMessageTests {
    @Test("A query has identifier 0, one question and an OPT record")
    func fields() throws {
        let question = DNSQuestion(name: try DomainName(host: "host.example"), type: .aaaa)
        let bytes = QueryMessage.encode(question)
        #expect(Array(bytes.prefix(12)) == [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1])
        #expect(Array(bytes[12..<30]) == TestMessage.name("host.example") + [0, 28, 0, 1])
        // The root, type 41, the size of UDP messages, and no flags.
        #expect(Array(bytes[30..<39]) == [0, 0, 41, 0x04, 0xD0, 0, 0, 0, 0])
        let length = Int(bytes[39]) << 8 | Int(bytes[40])
        #expect(length == bytes.count - 41)
        #expect(Array(bytes[41..<43]) == [0, 12])
        #expect(Int(bytes[43]) << 8 | Int(bytes[44]) == length - 4)
        #expect(bytes[45...].allSatisfy { $0 == 0 })
        #expect(bytes.count == 128)
    }

    @Test("Queries are padded to a multiple of 128 octets")
    func padding() throws {
        var sizes: Set<Int> = []
        for length in 1...61 {
            for labels in 1...4 {
                let label = String(repeating: "a", count: length)
                let host = Array(repeating: label, count: labels).joined(separator: ".")
                sizes.insert(QueryMessage.encode(DNSQuestion(name: try DomainName(host: host), type: .a)).count)
            }
        }
        #expect(sizes == [128, 256, 384])
    }
}
