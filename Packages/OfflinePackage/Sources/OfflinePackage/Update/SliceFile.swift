// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import ResourceLoading

/// Takes one file out of an archive that need not be whole.
enum SliceFile {
    private static let piece = 256 << 10

    /// Unpacks a file from its slice, in pieces. Its digest is not looked at.
    /// - Parameters:
    ///   - archive: the path of a file that has the bytes of the slice at their place.
    ///   - consume: is given the unpacked bytes, never more than the file has.
    /// - Throws: ``PackageError``, ``ResourceError`` where the archive ends early, `CancellationError`, or the error of
    ///   `consume`.
    static func read(_ file: PackageManifest.File, in archive: String, _ consume: (Data) throws -> Void) throws {
        guard let slice = file.slice else {
            throw PackageError(.badManifest, "no place in an archive", at: file.path.description)
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
