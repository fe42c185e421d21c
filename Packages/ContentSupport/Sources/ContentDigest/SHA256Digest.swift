// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto
public import Foundation

/// The SHA-256 of some bytes (FIPS 180-4).
public struct SHA256Digest: Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes of a digest.
    public static let byteCount = 32

    // The 32 bytes, eight to a word, the first byte in the highest place: a value without allocation, used as a key by the
    // hundred thousand.
    @usableFromInline
    let words: SIMD4<UInt64>

    /// Creates a digest from its 32 bytes, or returns `nil` if there are more or fewer.
    @inlinable
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

    /// Creates a digest from 64 hexadecimal digits of either case, or returns `nil` for anything else.
    @inlinable
    public init?(hex: some StringProtocol) {
        self.init(digits: hex.utf8, allowsUpperCase: true)
    }

    /// Creates a digest from 64 lower-case hexadecimal digits, or returns `nil` for anything else.
    @inlinable
    public init?(lowerCaseHex hex: some StringProtocol) {
        self.init(digits: hex.utf8, allowsUpperCase: false)
    }

    @inlinable
    init?(digits: some Collection<UInt8>, allowsUpperCase: Bool) {
        guard digits.count == 2 * Self.byteCount else { return nil }
        var words = SIMD4<UInt64>()
        var all: UInt8 = 0
        for (index, digit) in digits.enumerated() {
            let value = HexDigits.value(of: digit, allowsUpperCase: allowsUpperCase)
            all |= value
            words[index / 16] = words[index / 16] << 4 | UInt64(value & 0xf)
        }
        guard all < 16 else { return nil }
        self.words = words
    }

    /// Computes the digest of bytes in memory.
    public init(of data: Data) {
        var hasher = SHA256Hasher()
        hasher.update(data)
        self = hasher.finalize()
    }

    init(bigEndianBytes bytes: UnsafeRawBufferPointer) {
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        words = SIMD4(word(0), word(1), word(2), word(3))
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            for index in 0..<Self.byteCount {
                buffer[index] = UInt8(truncatingIfNeeded: words[index / 8] >> UInt64(56 - index % 8 * 8))
            }
            count = Self.byteCount
        }
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String {
        String(unsafeUninitializedCapacity: 2 * Self.byteCount) { buffer in
            for index in 0..<2 * Self.byteCount {
                let value = UInt8(truncatingIfNeeded: words[index / 16] >> UInt64(60 - index % 16 * 4)) & 0xf
                buffer[index] = HexDigits.digit(of: value)
            }
            return 2 * Self.byteCount
        }
    }

    /// 64 lower-case hexadecimal digits.
    public var description: String { hex }

    /// Adds a part of the digest: its bits are as good as any hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words[0])
        hasher.combine(words[1])
    }
}

extension SHA256Digest: Codable {
    /// Reads 64 hexadecimal digits of either case.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = SHA256Digest(hex: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a SHA-256 is 64 hexadecimal digits")
        }
        self = digest
    }

    /// Writes 64 lower-case hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}

/// Computes a SHA-256 from bytes that arrive in pieces.
public struct SHA256Hasher: Sendable {
    private var state = SHA256()

    /// Creates a hasher that has no bytes.
    public init() {}

    /// Adds bytes.
    public mutating func update(_ data: Data) {
        state.update(data: data)
    }

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        state.update(bufferPointer: bytes)
    }

    /// Returns the digest of the bytes so far. More may follow.
    public func finalize() -> SHA256Digest {
        state.finalize().withUnsafeBytes { SHA256Digest(bigEndianBytes: $0) }
    }
}
