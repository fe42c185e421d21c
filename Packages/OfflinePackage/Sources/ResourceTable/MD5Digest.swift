// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An MD5. It tells a damaged or outdated file from the one that the table names; it is no proof against a forger.
public struct MD5Digest: Sendable, Hashable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// Computes the digest of some bytes.
    public init(of data: Data) {
        (high, low) = Insecure.MD5.hash(data: data).withUnsafeBytes { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// Takes 32 hexadecimal digits of either case.
    public init?(_ hexadecimal: String) {
        var text = hexadecimal
        guard let digest = text.withUTF8({ MD5Digest(utf8: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = digest
    }

    init?(utf8 bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 32 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var wrong: UInt8 = 0
        for index in 0..<16 {
            let (high, low) = (Self.nibble(bytes[index]), Self.nibble(bytes[index + 16]))
            wrong |= high | low
            words.0 = words.0 << 4 | UInt64(high & 0xf)
            words.1 = words.1 << 4 | UInt64(low & 0xf)
        }
        guard wrong < 16 else { return nil }
        (high, low) = words
    }

    /// 16 and more for what is no digit.
    @inline(__always)
    private static func nibble(_ byte: UInt8) -> UInt8 {
        let number = byte &- UInt8(ascii: "0")
        if number < 10 { return number }
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : 0x10
    }

    /// 32 lower-case hexadecimal digits.
    public var description: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(32)
        for word in [high, low] {
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                let value = UInt8(truncatingIfNeeded: word >> shift) & 0xf
                digits.append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
