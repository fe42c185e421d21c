// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The SHA-384 and SHA-512 digests of data in memory.
public enum LongDigest {
    /// Returns the 48 bytes of the SHA-384 digest.
    public static func sha384(of data: Data) -> [UInt8] { SystemSHA384.withDigest(of: data) { Array($0) } }

    /// Returns the 64 bytes of the SHA-512 digest.
    public static func sha512(of data: Data) -> [UInt8] { SystemSHA512.withDigest(of: data) { Array($0) } }
}
