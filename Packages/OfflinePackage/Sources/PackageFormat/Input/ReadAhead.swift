// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A buffer of 256 KiB over a file, so that many small adjacent reads cost one system call.
///
/// It is not `Sendable`; each reading thread has its own.
final class ReadAhead {
    static let capacity: Int64 = 256 << 10

    private let file: InputFile
    private let buffer: UnsafeMutableRawBufferPointer
    /// The range of the file that is in the buffer.
    private var range: Range<Int64> = 0..<0

    init(_ file: InputFile) {
        self.file = file
        buffer = .allocate(byteCount: Int(Self.capacity), alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    /// Returns 1 to `count` bytes of the file at `offset`. The result is valid until the next call.
    /// - Throws: ``PackageError`` with code `truncated` at the end of the file.
    func bytes(at offset: Int64, upTo count: Int64, name: String) throws -> UnsafeRawBufferPointer {
        if !range.contains(offset) { try fill(from: offset, name: name) }
        return held(at: offset, upTo: count)
    }

    /// Returns `count` bytes of the file at `offset`, or fewer at the end of the file. The result is valid until the
    /// next call.
    /// - Parameter count: more than 0, and at most ``capacity``.
    /// - Throws: the errors of ``bytes(at:upTo:name:)``.
    func whole(at offset: Int64, count: Int64, name: String) throws -> UnsafeRawBufferPointer {
        if !range.contains(offset) || range.upperBound - offset < count { try fill(from: offset, name: name) }
        return held(at: offset, upTo: count)
    }

    private func fill(from offset: Int64, name: String) throws {
        range = 0..<0
        let read = try file.read(into: buffer, at: offset)
        guard read > 0 else { throw PackageError(.truncated, "the archive ends inside the data of the file", at: name) }
        range = offset..<(offset + Int64(read))
    }

    private func held(at offset: Int64, upTo count: Int64) -> UnsafeRawBufferPointer {
        let start = Int(offset - range.lowerBound)
        let end = Int(min(range.upperBound - range.lowerBound, offset - range.lowerBound + count))
        return UnsafeRawBufferPointer(rebasing: buffer[start..<end])
    }
}
