// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto
public import Foundation

/// The SHA-384 and SHA-512 digests of data in memory.
public enum LongDigest {
    /// Returns the 48 bytes of the SHA-384 digest.
    public static func sha384(of data: Data) -> [UInt8] { Array(SHA384.hash(data: data)) }

    /// Returns the 64 bytes of the SHA-512 digest.
    public static func sha512(of data: Data) -> [UInt8] { Array(SHA512.hash(data: data)) }
}
