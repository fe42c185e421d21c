// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A text that is equal to another text only if both have the same UTF-8 bytes.
///
/// Two strings are equal if their characters are canonically equivalent (Unicode Standard, chapter 3, D70), for example
/// `é` as one scalar and as two, or `K` and U+212A KELVIN SIGN. Protocols compare bytes. Use this type for keys that
/// come from the network or from a file, and that are not only ASCII.
public struct ByteText: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The text.
    public let text: String

    /// Creates a key from a text.
    @inlinable
    public init(_ text: String) {
        self.text = text
    }

    public var description: String { text }

    @inlinable
    public static func == (one: ByteText, other: ByteText) -> Bool { one.text.hasSameBytes(as: other.text) }

    /// Orders texts by their UTF-8 bytes, which is also the order of their scalars.
    @inlinable
    public static func < (one: ByteText, other: ByteText) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        text.hashBytes(into: &hasher)
    }
}

extension StringProtocol {
    /// Returns a Boolean value that indicates whether both texts have the same UTF-8 bytes.
    @inlinable
    public func hasSameBytes(as other: some StringProtocol) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.count == $0.count && bytes.elementsEqual($0) }
        }
        return isSame.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
    }
}

extension String {
    /// Hashes the UTF-8 bytes and their end.
    @inlinable
    public func hashBytes(into hasher: inout Hasher) {
        if utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
            for byte in utf8 { hasher.combine(byte) }
        }
        // This byte is not in UTF-8.
        hasher.combine(0xFF as UInt8)
    }
}

extension String? {
    /// Returns a Boolean value that indicates whether both texts have the same UTF-8 bytes, or both are `nil`.
    @inlinable
    public func hasSameBytes(as other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameBytes(as: other)
    }
}
