// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import Foundation
import Testing

@Suite("MD5", .timeLimit(.minutes(1)))
struct MD5DigestTests {
    /// An example of RFC 1321, A.5.
    private let abc = "900150983cd24fb0d6963f7d28e17f72"

    @Test("The digest matches the examples of the standard")
    func vectors() {
        for (text, digest) in [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", abc),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f"
            ),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        ] {
            #expect(MD5Digest(of: Data(text.utf8)).description == digest, "\(text)")
        }
    }

    @Test("Digits of either case are accepted, and other texts are rejected")
    func forms() {
        let digest = MD5Digest(of: Data("abc".utf8))
        #expect(MD5Digest(abc) == digest && MD5Digest(abc.uppercased()) == digest)
        for bad in [
            "", String(abc.dropLast()), abc + "0", "g" + abc.dropFirst(), abc.dropLast() + "/", "é" + abc.dropFirst(2),
        ] {
            #expect(MD5Digest(bad) == nil, "\(bad)")
        }
        #expect(MD5Digest("@" + abc.dropFirst()) == nil && MD5Digest("`" + abc.dropFirst()) == nil)
    }
}
