// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Packaging) internal import PackageFormat
internal import ResourceLoading

/// A reader of one file from an archive that may be incomplete.
enum SliceFile {
    private static let piece = 256 << 10

    /// Decodes a file from its slice in pieces, without a check of its digest.
    /// - Parameters:
    ///   - file: the file to read.
    ///   - archive: the path of a file that has the bytes of the slice at their offset.
    ///   - consume: a closure that receives the decoded bytes, never more than the file has.
    /// - Throws: ``PackageError``, ``ResourceError`` if the archive ends early, `CancellationError`, or the error of
    ///   `consume`.
    static func read(_ file: PackageManifest.File, in archive: String, _ consume: (Data) throws -> Void) throws {
        guard let slice = file.slice else {
            throw PackageError(.badManifest, "the file has no slice", at: file.path.description)
        }
        var inflater = try SliceInflater(file)
        let source = FileSlice(try OpenFile(path: archive), range: slice.offset..<slice.end)
        var offset = 0
        while offset < source.range.count {
            try Task.checkCancellation()
            let count = min(piece, source.range.count - offset)
            try inflater.append(source.read(at: offset, count: count), consume)
            offset += count
        }
        try inflater.finish()
    }
}
