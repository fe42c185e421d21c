// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if Packaging && os(Linux)
    internal import CArchive
    internal import ZlibStreams

    /// A sequential source of bytes.
    protocol ByteStreaming: AnyObject {
        /// Reads at least one byte and at most the size of the buffer. Returns 0 only at the verified end.
        /// - Throws: ``PackageError``.
        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    }

    /// The decompressed bytes of a gzip file (RFC 1952).
    ///
    /// zlib checks the CRC-32 and the length of the trailer, which libarchive 3.6 ignores. Several members may follow
    /// each other, as compressors with several threads write them. Other bytes after a member are an error.
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

    /// The decompressed bytes of a zstd file (RFC 8878), read with libarchive. Checksums are verified if present.
    final class ZstandardStream: ByteStreaming {
        private let handle: LibarchiveReadHandle

        init(_ file: InputFile) throws {
            handle = try LibarchiveReadHandle(LibarchiveSource(file), limits: .default) { archive in
                max(archive_read_support_format_raw(archive), archive_read_support_filter_zstd(archive))
            }
            // In the raw format the whole stream is one entry.
            guard try handle.next() != nil else {
                throw PackageError(.truncated, "truncated zstd input", at: file.path)
            }
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            try handle.readRaw(into: buffer)
        }
    }
#endif
