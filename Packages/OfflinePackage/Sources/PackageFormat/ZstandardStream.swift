// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CArchive

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
