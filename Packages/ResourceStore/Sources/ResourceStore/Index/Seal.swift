// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation

/// A digest over the fields of rows. SQLite detects a page with a damaged structure, but not a flipped bit in a path.
/// The entry would silently get another path.
struct Seal {
    private var hasher = SHA256Hasher()
    private var buffer = Data()

    mutating func add(_ text: String) {
        add(Int64(text.utf8.count))
        buffer.append(contentsOf: text.utf8)
    }

    mutating func add(_ bytes: Data) {
        add(Int64(bytes.count))
        buffer.append(bytes)
    }

    mutating func add(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { buffer.append(contentsOf: $0) }
        if buffer.count > 64 << 10 { flush() }
    }

    mutating func add(_ blob: SHA256Digest) {
        buffer.append(contentsOf: blob.bytes)
    }

    mutating func add(_ entry: StoredEntry) {
        add(entry.path)
        add(entry.blob)
        add(entry.size)
        add(entry.mediaType)
    }

    /// Returns the first 16 bytes of the digest. They detect accidental changes, not those of an attacker who can
    /// write the database.
    consuming func finish() -> Data {
        flush()
        return Data(hasher.finalize().bytes.prefix(16))
    }

    private mutating func flush() {
        hasher.update(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
