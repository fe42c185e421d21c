// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest

/// A source of bytes with random access.
protocol RandomAccessReading {
    /// The name of the source in messages.
    var location: String { get }
    /// The total number of bytes.
    var size: Int64 { get }
    /// Reads at most the size of the buffer at an offset. Returns fewer bytes near the end, and 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int
}

extension RandomAccessReading {
    /// Reads exactly `count` bytes.
    /// - Throws: ``PackageError`` with code `truncated` if the source ends early.
    func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
        guard offset >= 0, offset <= size, Int64(count) <= size - offset else {
            throw PackageError(.truncated, "the data ends before byte \(offset) + \(count)", at: location)
        }
        var done = 0
        let result = try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while done < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[done...])
                let read = try read(into: rest, at: offset + Int64(done))
                guard read > 0 else { break }
                done += read
            }
            filled = done
        }
        guard result.count == count else {
            throw PackageError(.truncated, "the data ends before byte \(offset) + \(count)", at: location)
        }
        return result
    }

    /// Returns the digest of all bytes, which are read in pieces of 256 KiB.
    /// - Throws: ``PackageError``, or `CancellationError` if the current task is cancelled.
    func sha256() throws -> SHA256Digest {
        var hasher = SHA256Hasher()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var position: Int64 = 0
        while position < size {
            try Task.checkCancellation()
            let count = try read(into: buffer, at: position)
            guard count > 0 else { throw PackageError(.truncated, "the data ends before byte \(size)", at: location) }
            hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            position += Int64(count)
        }
        return hasher.finalize()
    }
}
