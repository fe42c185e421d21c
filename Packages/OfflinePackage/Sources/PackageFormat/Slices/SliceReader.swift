// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ZlibStreams

/// Hands out the bytes of one slice of an archive that lies in a file.
struct SliceReader: ArchiveEntryReading {
    private let input: ReadAhead
    /// For slices that are small enough; `nil` where zlib does all.
    private let whole: WholeInflater?
    private let state: SliceState
    /// The end of the slice in the file.
    private let end: Int64

    init(
        _ file: PackageManifest.File, from input: ReadAhead, zlib: ZlibInflater, whole: WholeInflater?
    ) throws {
        guard let slice = file.slice else {
            throw PackageError(.badManifest, "no place in an archive", at: file.path.description)
        }
        self.input = input
        let isSmall = slice.size <= ReadAhead.capacity && file.size <= SliceState.chunk
        self.whole = isSmall && slice.method == .deflate ? whole : nil
        end = slice.end
        state = try SliceState(slice, size: file.size, name: file.path.description, zlib: zlib)
    }

    mutating func next() throws -> Data? {
        try Task.checkCancellation()
        guard state.wanted > 0 else {
            while state.missing > 0 {
                var packed = try bytes()
                try state.end(&packed)
            }
            try state.finish()
            return nil
        }
        var piece = Data(count: Int(min(state.wanted, SliceState.chunk)))
        let filled = try piece.withUnsafeMutableBytes { output in
            if try fillAtOnce(output) { return output.count }
            var filled = 0
            while filled < output.count {
                // What the packed data lacks is found by zlib; that it is used up without its end, by finishing.
                var packed = state.missing > 0 ? try bytes() : UnsafeRawBufferPointer(start: nil, count: 0)
                guard !packed.isEmpty || state.mayHold else { break }
                filled += try state.fill(UnsafeMutableRawBufferPointer(rebasing: output[filled...]), from: &packed)
            }
            return filled
        }
        if filled < piece.count {
            // All packed bytes are in, and the file is not out.
            guard filled > 0 else {
                try state.finish()
                return nil
            }
            return piece.prefix(filled)
        }
        return piece
    }

    /// Ends the use of this reader and its copies: what it reads with serves the next slice.
    func close() {
        state.fail()
    }

    /// Unpacks a small file with one call.
    /// - Returns: `false` where the file is not small, or not sound: then it is taken piece by piece.
    private func fillAtOnce(_ output: UnsafeMutableRawBufferPointer) throws -> Bool {
        guard let whole, state.missing > 0 else { return false }
        let packed = try input.whole(at: end - state.missing, count: state.missing, name: state.name)
        return state.fill(output, from: packed, with: whole)
    }

    /// Packed bytes that were not used yet.
    private func bytes() throws -> UnsafeRawBufferPointer {
        try input.bytes(at: end - state.missing, upTo: state.missing, name: state.name)
    }
}
