// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import Foundation
import Testing

@Suite("SHA-256", .timeLimit(.minutes(1)))
struct SHA256DigestTests {
    /// An example of FIPS 180-4.
    private let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test("The digest matches the example of the standard, computed at once and incrementally")
    func vectors() {
        #expect(SHA256Digest(of: Data("abc".utf8)).hex == abc)
        var hasher = SHA256Hasher()
        hasher.update(Data("a".utf8))
        hasher.update(Data())
        Array("bc".utf8).withUnsafeBytes { hasher.update($0) }
        #expect(hasher.finalize().description == abc)
    }

    @Test("A digest can be converted to hex and bytes and back")
    func forms() throws {
        let digest = try #require(SHA256Digest(hex: abc.uppercased()))
        #expect(digest.hex == abc)
        #expect(SHA256Digest(lowerCaseHex: abc) == digest)
        #expect(digest.bytes.prefix(3) == [0xba, 0x78, 0x16])
        #expect(SHA256Digest(bytes: digest.bytes) == digest)
        for bad in ["", "0", "ba78", String(repeating: "0", count: 63), String(repeating: "x", count: 64), abc + "0"] {
            #expect(SHA256Digest(lowerCaseHex: bad) == nil && SHA256Digest(hex: bad) == nil)
        }
        let json = try JSONEncoder().encode([digest])
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(abc)\"]")
        #expect(try JSONDecoder().decode([SHA256Digest].self, from: json) == [digest])
        #expect(try JSONDecoder().decode([SHA256Digest].self, from: Data("[\"\(abc.uppercased())\"]".utf8)) == [digest])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([SHA256Digest].self, from: Data("[\"\(abc)0\"]".utf8))
        }
    }

    @Test("Uppercase digits are rejected if lowercase is required")
    func lowerCase() {
        #expect(SHA256Digest(lowerCaseHex: abc.uppercased()) == nil)
        #expect(SHA256Digest(lowerCaseHex: String(repeating: "A", count: 64)) == nil)
        #expect(SHA256Digest(lowerCaseHex: String(repeating: "g", count: 64)) == nil)
    }

    @Test("Other lengths are rejected", arguments: [0, 31, 33])
    func lengths(_ count: Int) {
        #expect(SHA256Digest(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }
}
