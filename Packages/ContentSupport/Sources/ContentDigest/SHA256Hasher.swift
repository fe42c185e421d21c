// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto
public import Foundation

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
