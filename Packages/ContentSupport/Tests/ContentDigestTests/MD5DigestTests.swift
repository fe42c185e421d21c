// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import Foundation
import Testing

@Suite("MD5", .timeLimit(.minutes(1)))
struct MD5DigestTests {
    /// The example of RFC 1321, A.5.
    private let abc = "900150983cd24fb0d6963f7d28e17f72"

    @Test("The digest matches the examples of the standard")
    func vectors() {
        #expect(MD5Digest(of: Data("abc".utf8)).description == abc)
        #expect(MD5Digest(of: Data()).description == "d41d8cd98f00b204e9800998ecf8427e")
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
