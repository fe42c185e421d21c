// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ZlibStreams

/// A reader of the bytes of one entry of a validated zip, which checks their number and their CRC-32.
///
/// It uses zlib for all sizes: libdeflate accepts data that other zip readers reject.
final class ZipEntryReader: ArchiveEntryReading {
    private let entry: ZipDirectory.Entry
    private var slice: SliceReader
    /// The CRC-32 of the bytes that were read.
    private var crc32: UInt32 = 0

    /// Creates a reader.
    /// - Parameters:
    ///   - entry: the entry to read.
    ///   - input: the bytes of the zip.
    ///   - zlib: a raw inflater, which is reset.
    /// - Throws: ``PackageError``.
    init(_ entry: ZipDirectory.Entry, from input: ReadAhead, zlib: ZlibInflater) throws {
        self.entry = entry
        var data = ArchiveSlice(entry)
        // Some writers mark an empty entry as deflated and write no data, not even the end marker.
        if entry.size == 0, entry.compressedSize == 0 { data.method = .stored }
        slice = try SliceReader(data, size: entry.size, name: entry.path.description, from: input, zlib: zlib)
    }

    func next() throws -> Data? {
        guard let piece = try slice.next() else {
            guard crc32 == entry.crc32 else {
                throw PackageError(.damaged, "the CRC-32 of the entry is wrong", at: entry.path.description)
            }
            return nil
        }
        crc32 = piece.withUnsafeBytes { CRC32.checksum(of: $0, after: crc32) }
        return piece
    }

    /// Ends the use of this reader, because the next entry reuses the buffers.
    func close() {
        slice.close()
    }
}
