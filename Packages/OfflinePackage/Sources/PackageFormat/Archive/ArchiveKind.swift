// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The supported archive formats, detected by their first bytes.
enum ArchiveKind {
    case zip
    case gzip
    case zstandard

    init(of source: some RandomAccessReading) throws {
        let start = try source.bytes(at: 0, count: Int(min(4, source.size)))
        // A zip without entries begins with its end record.
        if [ZipSignature.local, ZipSignature.end, ZipSignature.zip64End].contains(start) {
            self = .zip
        } else if start.starts(with: [0x1F, 0x8B]) {
            self = .gzip
        } else if start == [0x28, 0xB5, 0x2F, 0xFD] {
            self = .zstandard
        } else {
            throw PackageError(
                .notAnArchive, "the file is neither a zip nor a tar.gz nor a tar.zst", at: source.location)
        }
    }
}
