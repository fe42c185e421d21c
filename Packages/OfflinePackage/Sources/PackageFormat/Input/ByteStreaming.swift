// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CArchive
internal import ZlibStreams

/// Bytes that come one after the other.
protocol ByteStreaming: AnyObject {
    /// Reads up to as many bytes as the buffer has room for; at least one, or 0 at the proven end.
    /// - Throws: ``PackageError``.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// The bytes inside of a gzip file (RFC 1952).
///
/// zlib checks the trailer, checksum and length, which libarchive 3.6 reads over. Members may follow each other, as
/// programs write them that compress on several threads; anything else behind a member is refused.
final class GzipStream: ByteStreaming {
    private let file: InputFile
    private let zlib: ZlibInflater
    private let buffer: UnsafeMutableRawBufferPointer
    private var input: UnsafeRawBufferPointer
    private var position: Int64 = 0

    init(_ file: InputFile) throws {
        self.file = file
        zlib = try ZlibInflater.make(.gzip)
        buffer = .allocate(byteCount: 64 << 10, alignment: 16)
        input = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    deinit {
        buffer.deallocate()
    }

    func read(into output: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            if input.isEmpty {
                let count = try file.read(into: buffer, at: position)
                position += Int64(count)
                input = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                if count == 0 {
                    guard zlib.isAtEnd else {
                        throw PackageError(.truncated, "truncated gzip input", at: file.path)
                    }
                    return 0
                }
            }
            if zlib.isAtEnd { zlib.reset() }
            let (consumed, produced) = try zlib.inflate(input, into: output, name: file.path)
            input = UnsafeRawBufferPointer(rebasing: input[consumed...])
            if produced > 0 { return produced }
        }
    }
}

/// The bytes inside of a zstd file (RFC 8878), through libarchive. Checksums are checked where the file has them.
final class ZstandardStream: ByteStreaming {
    private let handle: LibarchiveReadHandle

    init(_ file: InputFile) throws {
        handle = try LibarchiveReadHandle(LibarchiveSource(file), limits: .default) { archive in
            max(archive_read_support_format_raw(archive), archive_read_support_filter_zstd(archive))
        }
        // In this format one entry is all there is.
        guard try handle.next() != nil else {
            throw PackageError(.truncated, "truncated zstd input", at: file.path)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try handle.readRaw(into: buffer)
    }
}
