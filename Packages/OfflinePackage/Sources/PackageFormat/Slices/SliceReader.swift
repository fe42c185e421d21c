// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ZlibStreams

/// A reader of the bytes of one slice of an archive in a file.
struct SliceReader: ArchiveEntryReading {
    private let input: ReadAhead
    /// The single-call inflater for small slices, or `nil` if zlib reads the slice in pieces.
    private let whole: WholeInflater?
    private let state: SliceState
    /// The offset of the end of the slice in the file.
    private let end: Int64

    /// Creates a reader of a file of a manifest that has slices.
    init(
        _ file: PackageManifest.File, from input: ReadAhead, zlib: ZlibInflater, whole: WholeInflater?
    ) throws {
        guard let slice = file.slice else {
            throw PackageError(.badManifest, "the file has no slice", at: file.path.description)
        }
        try self.init(slice, size: file.size, name: file.path.description, from: input, zlib: zlib, whole: whole)
    }

    /// Creates a reader of a slice.
    init(
        _ slice: ArchiveSlice, size: Int64, name: String, from input: ReadAhead, zlib: ZlibInflater,
        whole: WholeInflater? = nil
    ) throws {
        self.input = input
        let isSmall = slice.size <= ReadAhead.capacity && size <= SliceState.chunk
        self.whole = isSmall && slice.method == .deflate ? whole : nil
        end = slice.end
        state = try SliceState(slice, size: size, name: name, zlib: zlib)
    }

    mutating func next() throws -> Data? {
        try Task.checkCancellation()
        guard state.remaining > 0 else {
            while state.missing > 0 {
                var packed = try bytes()
                try state.end(&packed)
            }
            try state.finish()
            return nil
        }
        var piece = Data(count: Int(min(state.remaining, SliceState.chunk)))
        let filled = try piece.withUnsafeMutableBytes { output in
            if try fillAtOnce(output) { return output.count }
            var filled = 0
            while filled < output.count {
                // `bytes()` reports an archive that ends early. `finish()` reports a slice that ends before its file is
                // complete.
                var packed = state.missing > 0 ? try bytes() : UnsafeRawBufferPointer(start: nil, count: 0)
                guard !packed.isEmpty || state.mayHold else { break }
                filled += try state.fill(UnsafeMutableRawBufferPointer(rebasing: output[filled...]), from: &packed)
            }
            return filled
        }
        if filled < piece.count {
            // All packed bytes are consumed, but the file is not complete.
            guard filled > 0 else {
                try state.finish()
                return nil
            }
            return piece.prefix(filled)
        }
        return piece
    }

    /// Ends the use of this reader and its copies, because the next slice reuses the buffers.
    func close() {
        state.fail()
    }

    /// Inflates a small file with one call.
    /// - Returns: `false` if the file is not small or not valid; the caller then reads it in pieces.
    private func fillAtOnce(_ output: UnsafeMutableRawBufferPointer) throws -> Bool {
        guard let whole, state.missing > 0 else { return false }
        let packed = try input.whole(at: end - state.missing, count: state.missing, name: state.name)
        return state.fill(output, from: packed, with: whole)
    }

    /// Returns packed bytes that are not consumed yet.
    private func bytes() throws -> UnsafeRawBufferPointer {
        try input.bytes(at: end - state.missing, upTo: state.missing, name: state.name)
    }
}
