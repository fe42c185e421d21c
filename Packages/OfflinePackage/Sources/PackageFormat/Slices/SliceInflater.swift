// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Unpacks the packed bytes of one slice into the bytes of its file, as they arrive, with zlib.
///
/// Call ``append(_:_:)`` with the slice's bytes in order, in pieces of any size, then ``finish()``: only when that
/// returns was the slice whole. After an error nothing more comes out.
///
/// Holds some 40 KB and at most one piece of 256 KiB. Copies share their state. Not `Sendable`: used in one isolation
/// at a time, and never blocks.
public struct SliceInflater {
    private let state: SliceState

    /// - Parameters:
    ///   - slice: how the bytes are packed, and how many there are.
    ///   - size: bytes of the file.
    ///   - name: what errors name.
    public init(_ slice: ArchiveSlice, size: Int64, name: String) throws {
        state = try SliceState(slice, size: size, name: name)
    }

    /// For a file of a manifest that has slices.
    /// - Throws: ``PackageError`` with code `badManifest` where it has none.
    public init(_ file: PackageManifest.File) throws {
        guard let slice = file.slice else {
            throw PackageError(.badManifest, "no place in an archive", at: file.path.description)
        }
        try self.init(slice, size: file.size, name: file.path.description)
    }

    /// Takes packed bytes, and hands out what they unpack to: pieces of at most 256 KiB and never empty, and never
    /// more in all than the file has.
    /// - Parameters:
    ///   - packed: the next bytes of the slice.
    ///   - consume: receives each piece. An error that it throws ends the unpacking and is thrown on.
    /// - Throws: ``PackageError`` with code `damaged` for data that cannot be, that
    ///   ends before the slice does, or that unpacks to more or fewer bytes than the file has;
    ///   `mismatch` for more packed bytes than the slice has.
    public mutating func append(_ packed: Data, _ consume: (Data) throws -> Void) throws {
        var position = packed.startIndex
        while state.wanted > 0 {
            let left = Int64(packed.endIndex - position)
            guard left > 0 || state.mayHold else { return }
            // As large as the input will probably make it: small inputs of a large file do not cost 256 KiB each.
            let likely = state.isStored ? left : max(left * 8, 16 << 10)
            var piece = Data(count: Int(min(state.wanted, SliceState.chunk, likely)))
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

    /// Checks that the slice is whole.
    /// - Throws: ``PackageError`` with code `truncated` where packed bytes are
    ///   missing, else `damaged`.
    public mutating func finish() throws {
        try state.finish()
    }
}
