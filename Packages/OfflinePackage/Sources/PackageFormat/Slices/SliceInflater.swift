// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// An incremental decoder that turns the packed bytes of one slice into the bytes of its file, with zlib.
///
/// Call ``append(_:_:)`` with the slice's bytes in order, in pieces of any size, and then ``finish()``. The slice is
/// complete only if ``finish()`` returns. After an error the inflater produces no more bytes.
///
/// An inflater uses about 40 KB and at most one piece of 256 KiB. Copies share their state. It is not `Sendable` and
/// never blocks.
@_spi(Packaging) public struct SliceInflater {
    private let state: SliceState

    /// Creates an inflater for a slice.
    /// - Parameters:
    ///   - slice: the compression method and the number of packed bytes.
    ///   - size: the number of bytes of the file.
    ///   - name: the name that errors report.
    /// - Throws: ``PackageError`` with code `badManifest` if the sizes are not valid.
    public init(_ slice: ArchiveSlice, size: Int64, name: String) throws {
        state = try SliceState(slice, size: size, name: name)
    }

    /// Creates an inflater for a file of a manifest that has slices.
    /// - Throws: ``PackageError`` with code `badManifest` if the file has no slice.
    public init(_ file: PackageManifest.File) throws {
        guard let slice = file.slice else {
            throw PackageError(.badManifest, "the file has no slice", at: file.path.description)
        }
        try self.init(slice, size: file.size, name: file.path.description)
    }

    /// Decodes packed bytes and passes the result to `consume` in non-empty pieces of at most 256 KiB.
    ///
    /// The pieces never have more bytes in total than the file.
    /// - Parameters:
    ///   - packed: the next bytes of the slice.
    ///   - consume: a closure that receives each piece. If it throws, decoding ends and the error is rethrown.
    /// - Throws: ``PackageError`` with code `damaged` if the data is not valid, ends before the slice does, or
    ///   inflates to more or fewer bytes than the file has; `mismatch` if there are more packed bytes than the slice
    ///   has.
    public mutating func append(_ packed: Data, _ consume: (Data) throws -> Void) throws {
        var position = packed.startIndex
        while state.remaining > 0 {
            let left = Int64(packed.endIndex - position)
            guard left > 0 || state.mayHold else { return }
            // The capacity follows the size of the input, so that a small input of a large file does not allocate 256
            // KiB.
            let likely = state.isStored ? left : max(left * 8, 16 << 10)
            var piece = Data(count: Int(min(state.remaining, SliceState.chunk, likely)))
            let filled = try packed[position...].withUnsafeBytes { input in
                var rest = input
                let filled = try piece.withUnsafeMutableBytes { try state.fill($0, from: &rest) }
                position += input.count - rest.count
                return filled
            }
            guard filled > 0 else { continue }
            do {
                try consume(filled == piece.count ? piece : piece.prefix(filled))
            } catch {
                state.fail()
                throw error
            }
        }
        try packed[position...].withUnsafeBytes { input in
            var rest = input
            try state.end(&rest)
        }
    }

    /// Checks that the slice is complete.
    /// - Throws: ``PackageError`` with code `truncated` if packed bytes are missing, otherwise `damaged`.
    public mutating func finish() throws {
        try state.finish()
    }
}
