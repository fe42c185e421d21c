// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest

/// Bytes that can be read at any position.
protocol RandomAccessReading {
    /// What messages name.
    var location: String { get }
    /// Bytes in all.
    var size: Int64 { get }
    /// Reads up to as many bytes as the buffer has room for; fewer at the end, where it returns 0.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int
}

extension RandomAccessReading {
    /// Reads exactly `count` bytes.
    /// - Throws: ``PackageError`` with code `truncated` where they end early.
    func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
        guard offset >= 0, offset <= size, Int64(count) <= size - offset else {
            throw PackageError(.truncated, "ends before byte \(offset) + \(count)", at: location)
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
            throw PackageError(.truncated, "ends before byte \(offset) + \(count)", at: location)
        }
        return result
    }

    /// The digest of all bytes, read in pieces.
    /// - Throws: ``PackageError``, or `CancellationError` when the current task was cancelled.
    func sha256() throws -> SHA256Digest {
        var hasher = SHA256Hasher()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var position: Int64 = 0
        while position < size {
            try Task.checkCancellation()
            let count = try read(into: buffer, at: position)
            guard count > 0 else { throw PackageError(.truncated, "ends before byte \(size)", at: location) }
            hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            position += Int64(count)
        }
        return hasher.finalize()
    }
}
