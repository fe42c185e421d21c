// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import PackageFormat
import Testing

@Suite("SHA-256", .timeLimit(.minutes(1)))
struct SHA256DigestTests {
    /// From FIPS 180-4's examples.
    private let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test("Agrees with the standard's example, whole and in pieces")
    func vectors() {
        #expect(SHA256Digest(of: Data("abc".utf8)).hex == abc)
        var hasher = SHA256Hasher()
        hasher.update(Data("a".utf8))
        hasher.update(Data())
        Array("bc".utf8).withUnsafeBytes { hasher.update($0) }
        #expect(hasher.finalize().description == abc)
    }

    @Test("Hex and bytes come back")
    func forms() throws {
        let digest = try #require(SHA256Digest(hex: abc.uppercased()))
        #expect(digest.hex == abc)
        #expect(SHA256Digest(bytes: digest.bytes) == digest)
        #expect(SHA256Digest(bytes: digest.bytes.dropLast()) == nil)
        for bad in ["", "0", String(repeating: "0", count: 63), String(repeating: "x", count: 64), abc + "0"] {
            #expect(SHA256Digest(hex: bad) == nil)
        }
        let json = try JSONEncoder().encode([digest])
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(abc)\"]")
        #expect(try JSONDecoder().decode([SHA256Digest].self, from: json) == [digest])
    }
}
