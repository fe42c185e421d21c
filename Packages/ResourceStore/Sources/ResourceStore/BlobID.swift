// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The content address of a blob: the SHA-256 of its bytes.
///
/// Its description is 64 lower-case hexadecimal digits, which is also how the blob's file is named.
public struct BlobID: Sendable, Hashable, CustomStringConvertible {
    /// How many bytes an address has.
    public static let byteCount = 32

    // The 32 bytes, eight to a word, the first byte in the highest place.
    private let words: SIMD4<UInt64>

    /// Takes the 32 bytes of a digest, or returns `nil` where there are more or fewer.
    public init?(bytes: some Sequence<UInt8>) {
        var words = SIMD4<UInt64>()
        var count = 0
        for byte in bytes {
            guard count < Self.byteCount else { return nil }
            words[count / 8] = words[count / 8] << 8 | UInt64(byte)
            count += 1
        }
        guard count == Self.byteCount else { return nil }
        self.words = words
    }

    /// Takes 64 lower-case hexadecimal digits, or returns `nil` for anything else.
    public init?(hex: some StringProtocol) {
        guard hex.utf8.count == 2 * Self.byteCount else { return nil }
        var words = SIMD4<UInt64>()
        for (index, digit) in hex.utf8.enumerated() {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            words[index / 16] = words[index / 16] << 4 | UInt64(value)
        }
        self.words = words
    }

    /// Hashes bytes that are in memory.
    public init(hashing data: Data) {
        self.init(SHA256.hash(data: data))
    }

    init(_ digest: SHA256Digest) {
        var words = SIMD4<UInt64>()
        for (index, byte) in digest.enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
        self.words = words
    }

    /// The 32 bytes of the digest.
    public var bytes: [UInt8] {
        (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - $0 % 8 * 8)) }
    }

    /// 64 lower-case hexadecimal digits.
    public var description: String {
        String(unsafeUninitializedCapacity: 2 * Self.byteCount) { buffer in
            for index in 0..<2 * Self.byteCount {
                let value = UInt8(truncatingIfNeeded: words[index / 16] >> UInt64(60 - index % 16 * 4)) & 0xf
                buffer[index] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
            }
            return 2 * Self.byteCount
        }
    }

    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/digestMismatch`` where this is another address.
    func check(_ expected: BlobID, size: Int64) throws {
        guard self == expected else {
            throw StoreError(.digestMismatch, "\(size) bytes with SHA-256 \(self), expected \(expected)")
        }
    }

    /// Takes a part of the digest: its bits are as good as any hash.
    public func hash(into hasher: inout Hasher) {
        // The bytes are a hash already: eight of them spread as well as all.
        hasher.combine(words[0])
    }
}
