// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// A SHA-256 digest (FIPS 180-4).
public struct SHA256Digest: Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes of a digest.
    public static let byteCount = 32

    // The 32 bytes as four big-endian words, which need no heap allocation. Dictionaries have up to a hundred thousand
    // digests as keys.
    @usableFromInline
    let words: SIMD4<UInt64>

    /// Creates a digest from its 32 bytes. Fails for another number of bytes.
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

    /// Creates a digest from 64 hexadecimal digits of either case. Fails for other texts.
    @inlinable
    public init?(hex: some StringProtocol) {
        self.init(digits: hex.utf8, allowsUpperCase: true)
    }

    /// Creates a digest from 64 lowercase hexadecimal digits. Fails for other texts.
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

    /// Creates the digest of data in memory.
    public init(of data: Data) {
        self = SystemSHA256.withDigest(of: data) { SHA256Digest(bigEndianBytes: $0) }
    }

    init(bigEndianBytes bytes: UnsafeRawBufferPointer) {
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        words = SIMD4(word(0), word(1), word(2), word(3))
    }

    /// The 32 bytes of the digest.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            for index in 0..<Self.byteCount {
                buffer[index] = UInt8(truncatingIfNeeded: words[index / 8] >> UInt64(56 - index % 8 * 8))
            }
            count = Self.byteCount
        }
    }

    /// The digest as 64 lowercase hexadecimal digits.
    public var hex: String {
        String(unsafeUninitializedCapacity: 2 * Self.byteCount) { buffer in
            for index in 0..<2 * Self.byteCount {
                let value = UInt8(truncatingIfNeeded: words[index / 16] >> UInt64(60 - index % 16 * 4)) & 0xf
                buffer[index] = HexDigits.digit(of: value)
            }
            return 2 * Self.byteCount
        }
    }

    /// The digest as 64 lowercase hexadecimal digits.
    public var description: String { hex }

    /// Hashes half of the digest. The bits of a digest are distributed uniformly, so half of them are enough.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words[0])
        hasher.combine(words[1])
    }
}

extension SHA256Digest: Codable {
    /// Decodes a digest from 64 hexadecimal digits of either case.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = SHA256Digest(hex: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a SHA-256 is 64 hexadecimal digits")
        }
        self = digest
    }

    /// Encodes the digest as 64 lowercase hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}

/// An incremental SHA-256 computation.
public struct SHA256Hasher: Sendable {
    private var state = SystemSHA256()

    /// Creates a hasher without input.
    public init() {}

    /// Appends bytes to the input.
    public mutating func update(_ data: Data) {
        data.withUnsafeBytes { state.update($0) }
    }

    /// Appends bytes to the input.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        state.update(bytes)
    }

    /// Returns the digest of the input so far. More input may follow.
    public func finalize() -> SHA256Digest {
        state.withDigest { SHA256Digest(bigEndianBytes: $0) }
    }
}
