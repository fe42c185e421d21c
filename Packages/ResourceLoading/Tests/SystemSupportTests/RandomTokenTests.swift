// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import SystemSupport
import Testing

@Suite struct RandomTokenTests {
    @Test(arguments: [8, 16, 32])
    func `A token has two lower-case digits for each byte`(count: Int) {
        let token = RandomToken.hex(byteCount: count)
        #expect(token.utf8.count == 2 * count)
        #expect(token.allSatisfy { "0123456789abcdef".contains($0) })
    }

    @Test func `Tokens differ, and use all digits`() {
        let tokens = (0..<1_000).map { _ in RandomToken.hex(byteCount: 16) }
        #expect(Set(tokens).count == 1_000)
        for place in [0, 15, 16, 31] { #expect(Set(tokens.map { Array($0)[place] }).count == 16) }
    }

    @Test func `Bytes are compared at every position`() {
        let secret = Array("0123456789abcdef".utf8)
        #expect(RandomToken.isEqual(secret, "0123456789abcdef".utf8))
        #expect(RandomToken.isEqual([UInt8](), []))
        #expect(!RandomToken.isEqual(secret, secret.dropLast()))
        #expect(!RandomToken.isEqual(secret.dropLast(), secret))
        for index in secret.indices {
            var other = secret
            other[index] ^= 0x80
            #expect(!RandomToken.isEqual(secret, other))
        }
    }
}
