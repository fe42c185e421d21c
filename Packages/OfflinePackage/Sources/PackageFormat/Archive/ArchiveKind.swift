// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The formats that can be read, told by their first bytes.
enum ArchiveKind {
    case zip
    case gzip
    case zstandard

    init(of source: some RandomAccessReading) throws {
        let start = try source.bytes(at: 0, count: Int(min(4, source.size)))
        // Without entries a zip begins with its end.
        if [ZipSignature.local, ZipSignature.end, ZipSignature.zip64End].contains(start) {
            self = .zip
        } else if start.starts(with: [0x1F, 0x8B]) {
            self = .gzip
        } else if start == [0x28, 0xB5, 0x2F, 0xFD] {
            self = .zstandard
        } else {
            throw PackageError(.notAnArchive, "neither zip nor tar.gz nor tar.zst", at: source.location)
        }
    }
}
