// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Reads a file in pieces of 256 KiB, so that many small neighbours cost one read.
///
/// Not `Sendable`: one for each thread that reads.
final class ReadAhead {
    static let capacity: Int64 = 256 << 10

    private let file: InputFile
    private let buffer: UnsafeMutableRawBufferPointer
    /// What the buffer holds.
    private var range: Range<Int64> = 0..<0

    init(_ file: InputFile) {
        self.file = file
        buffer = .allocate(byteCount: Int(Self.capacity), alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    /// At least one and at most `count` bytes of the file at `offset`. Valid until the next call.
    /// - Throws: ``PackageError`` with code `truncated` at the file's end.
    func bytes(at offset: Int64, upTo count: Int64, name: String) throws -> UnsafeRawBufferPointer {
        if !range.contains(offset) { try fill(from: offset, name: name) }
        return held(at: offset, upTo: count)
    }

    /// As many as `count` bytes of the file at `offset`, or fewer at the file's end. Valid until the next call.
    /// - Parameter count: more than 0, and at most ``capacity``.
    /// - Throws: as ``bytes(at:upTo:name:)`` does.
    func whole(at offset: Int64, count: Int64, name: String) throws -> UnsafeRawBufferPointer {
        if !range.contains(offset) || range.upperBound - offset < count { try fill(from: offset, name: name) }
        return held(at: offset, upTo: count)
    }

    private func fill(from offset: Int64, name: String) throws {
        range = 0..<0
        let read = try file.read(into: buffer, at: offset)
        guard read > 0 else { throw PackageError(.truncated, "the archive ends before the file does", at: name) }
        range = offset..<(offset + Int64(read))
    }

    private func held(at offset: Int64, upTo count: Int64) -> UnsafeRawBufferPointer {
        let start = Int(offset - range.lowerBound)
        let end = Int(min(range.upperBound - range.lowerBound, offset - range.lowerBound + count))
        return UnsafeRawBufferPointer(rebasing: buffer[start..<end])
    }
}
