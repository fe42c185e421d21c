// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// An MD5 digest (RFC 1321). It detects damaged and outdated files of a resource table, but does not protect against
/// deliberate changes.
public struct MD5Digest: Sendable, Hashable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// Creates the digest of data in memory.
    public init(of data: Data) {
        (high, low) = SystemMD5.withDigest(of: data) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// Creates a digest from 32 hexadecimal digits of either case. Fails for other texts.
    public init?(_ hexadecimal: String) {
        var text = hexadecimal
        guard let digest = text.withUTF8({ MD5Digest(utf8: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = digest
    }

    /// Creates a digest from 32 hexadecimal digits of either case. Fails for other bytes.
    public init?(utf8 bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 32 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var all: UInt8 = 0
        for index in 0..<16 {
            let high = HexDigits.value(of: bytes[index], allowsUpperCase: true)
            let low = HexDigits.value(of: bytes[index + 16], allowsUpperCase: true)
            all |= high | low
            words.0 = words.0 << 4 | UInt64(high & 0xf)
            words.1 = words.1 << 4 | UInt64(low & 0xf)
        }
        guard all < 16 else { return nil }
        (high, low) = words
    }

    /// The digest as 32 lowercase hexadecimal digits.
    public var description: String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            for index in 0..<32 {
                let word = index < 16 ? high : low
                buffer[index] = HexDigits.digit(
                    of: UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4)) & 0xf)
            }
            return 32
        }
    }
}
