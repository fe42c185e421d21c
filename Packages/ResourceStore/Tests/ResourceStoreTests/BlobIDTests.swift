// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct BlobIDTests {
    /// SHA-256 of `abc`, from FIPS 180-2, B.1.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func hashes() {
        #expect(BlobID(hashing: Data("abc".utf8)).description == abc)
    }

    @Test func keepsHexAndBytes() throws {
        let id = try #require(BlobID(hex: abc))
        #expect(id.description == abc)
        #expect(id.bytes.prefix(3) == [0xba, 0x78, 0x16])
        #expect(BlobID(bytes: id.bytes) == id)
    }

    @Test(arguments: ["", "ba78", String(repeating: "A", count: 64), String(repeating: "g", count: 64)])
    func refusesOtherText(_ text: String) {
        #expect(BlobID(hex: text) == nil)
    }

    @Test(arguments: [0, 31, 33])
    func refusesOtherLengths(_ count: Int) {
        #expect(BlobID(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }
}
