// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import Foundation
import Testing

@Suite("Input of hash functions", .timeLimit(.minutes(1)))
struct HashInputTests {
    /// A hash function and expected digests.
    struct Function: Sendable, CustomTestStringConvertible {
        let name: String
        let digest: @Sendable (Data) -> String
        /// The digests of the examples of FIPS 180-4: `abc`, and a message that is longer than one block.
        var short: String?
        var long: String?
        let million: String
        /// The SHA-256 digest of the digests of the first 0 to 300 bytes of `pattern(300)`, by hashlib of Python.
        let prefixes: String

        var testDescription: String { name }
    }

    static let functions = [
        Function(
            name: "MD5", digest: { MD5Digest(of: $0).description },
            million: "7707d6ae4e027c70eea2a935c2296f21",
            prefixes: "6389df0543f006b758a64c9eaebe06c8a9ed696d728ddd66fac6a31b03ab136c"),
        Function(
            name: "SHA-256", digest: { SHA256Digest(of: $0).hex },
            short: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            long: "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
            million: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            prefixes: "926e1a640eefefaf95bfa7840c520bd5daf2454b17d500ab5146c08168153352"),
        Function(
            name: "SHA-384", digest: { hex(LongDigest.sha384(of: $0)) },
            short: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                + "8086072ba1e7cc2358baeca134c825a7",
            long: "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712"
                + "fcc7c71a557e2db966c3e9fa91746039",
            million: "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b"
                + "07b8b3dc38ecc4ebae97ddd87f3d8985",
            prefixes: "5c0c2c4105a35a235c622b5a25f0f3af7fbef38db2e896cc642abfd39e88d70d"),
        Function(
            name: "SHA-512", digest: { hex(LongDigest.sha512(of: $0)) },
            short: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            long: "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
            million: "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
            prefixes: "3fd0843dd9dc7ff786402136fcfeda03e8f5c0836f36e57f5904c88db09869bd"),
    ]

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Returns bytes that differ from their neighbours.
    static func pattern(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) }) }

    @Test("The digests match the examples of FIPS 180-4", arguments: functions.filter { $0.short != nil })
    func examples(_ function: Function) {
        #expect(function.digest(Data("abc".utf8)) == function.short)
        let long =
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
            + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
        #expect(function.digest(Data(long.utf8)) == function.long)
    }

    @Test("The digest of a million times the letter a is that of the standard's example", arguments: functions)
    func millionLetters(_ function: Function) {
        #expect(function.digest(Data(repeating: UInt8(ascii: "a"), count: 1_000_000)) == function.million)
    }

    @Test("The padding is correct for every length up to two blocks and more", arguments: functions)
    func lengths(_ function: Function) throws {
        let data = Self.pattern(300)
        var all = Data()
        for count in 0...300 {
            let digits = Array(function.digest(data.prefix(count)).utf8)
            for index in stride(from: 0, to: digits.count, by: 2) {
                all.append(try #require(UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16)))
            }
        }
        #expect(SHA256Digest(of: all).hex == function.prefixes)
    }

    @Test("Slices and bridged objects have the digest of their bytes", arguments: functions)
    func otherData(_ function: Function) {
        let data = Self.pattern(1_000)
        let expected = function.digest(data)
        #expect(function.digest((Data([1, 2, 3]) + data + Data([4]))[3..<1_003]) == expected)
        #expect(function.digest(Data(referencing: NSData(data: data))) == expected)
        #expect(function.digest(data[500..<500]) == function.digest(Data()))
    }

    @Test("A hasher without input, or with empty input, returns the digest of no bytes")
    func empty() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        var hasher = SHA256Hasher()
        #expect(hasher.finalize().hex == empty)
        hasher.update(Data())
        hasher.update(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(hasher.finalize().hex == empty && SHA256Digest(of: Data()).hex == empty)
    }

    @Test("A digest does not depend on the pieces of the input", arguments: [1, 3, 55, 63, 64, 65, 127, 129, 1_021])
    func pieces(_ size: Int) {
        let data = Self.pattern(4_099)
        var hasher = SHA256Hasher()
        var rawHasher = SHA256Hasher()
        for start in stride(from: 0, to: data.count, by: size) {
            let piece = data[start..<min(start + size, data.count)]
            hasher.update(piece)
            rawHasher.update(UnsafeRawBufferPointer(start: nil, count: 0))
            Array(piece).withUnsafeBytes { rawHasher.update($0) }
        }
        #expect(hasher.finalize() == SHA256Digest(of: data))
        #expect(rawHasher.finalize() == SHA256Digest(of: data))
    }

    @Test("Copies of a hasher are independent, and input may follow a digest")
    func copies() {
        let data = Self.pattern(200)
        for count in [0, 1, 63, 64, 100] {
            var first = SHA256Hasher()
            first.update(data.prefix(count))
            var second = first
            second.update(Data("other".utf8))
            #expect(first.finalize() == SHA256Digest(of: data.prefix(count)))
            #expect(first.finalize() == SHA256Digest(of: data.prefix(count)))
            first.update(data.dropFirst(count))
            #expect(first.finalize() == SHA256Digest(of: data))
            #expect(second.finalize() == SHA256Digest(of: data.prefix(count) + Data("other".utf8)))
        }
    }
}
