// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ZlibStreams

/// The decoding progress of one slice, shared by ``SliceInflater`` and ``SliceReader``.
///
/// It is not `Sendable`, because ``ZlibInflater`` is not.
final class SliceState {
    /// The maximum number of bytes of a piece.
    static let chunk: Int64 = 256 << 10

    let name: String
    /// The number of packed bytes that are not consumed yet.
    private(set) var missing: Int64
    /// The number of bytes of the file that are not produced yet.
    private(set) var remaining: Int64
    /// A Boolean value that indicates whether zlib may produce more bytes without input, because the last output was
    /// full.
    private(set) var mayHold = false
    private let size: Int64
    /// The inflater, or `nil` for a stored slice.
    private let zlib: ZlibInflater?
    /// A Boolean value that indicates whether the whole slice was inflated with one call, without zlib.
    private var isWhole = false
    private var hasFailed = false

    /// Creates the state of a slice.
    /// - Parameter zlib: a raw inflater to reuse, or `nil` to create one.
    init(_ slice: ArchiveSlice, size: Int64, name: String, zlib: ZlibInflater? = nil) throws {
        guard slice.offset >= 0, slice.size >= 0, size >= 0 else {
            throw PackageError(.badManifest, "the slice or the file has a negative size", at: name)
        }
        self.name = name
        self.size = size
        missing = slice.size
        remaining = size
        switch slice.method {
        case .stored:
            self.zlib = nil
            guard slice.size == size else {
                throw PackageError(
                    .badManifest, "stored file of \(size) bytes has a slice of \(slice.size) bytes", at: name)
            }
        case .deflate:
            zlib?.reset()
            self.zlib = try zlib ?? ZlibInflater.make(.raw)
        }
    }

    /// A Boolean value that indicates whether the slice is uncompressed.
    var isStored: Bool { zlib == nil }

    /// Inflates the whole slice with one call, if it is compressed and nothing was read of it before.
    /// - Parameters:
    ///   - output: a buffer with the size of the whole file.
    ///   - packed: the bytes of the slice.
    /// - Returns: `false` if the data is not valid. The state is then unchanged, and ``fill(_:from:)`` reports the
    ///   error.
    func fill(
        _ output: UnsafeMutableRawBufferPointer, from packed: UnsafeRawBufferPointer, with inflater: WholeInflater
    ) -> Bool {
        guard !hasFailed, zlib != nil, Int64(packed.count) == missing, Int64(output.count) == remaining,
            inflater.inflate(packed, into: output)
        else { return false }
        missing = 0
        remaining = 0
        isWhole = true
        return true
    }

    /// Decodes the following bytes until `output` is full or the input is used up, and drops the consumed input.
    /// - Parameter output: a non-empty buffer of at most ``remaining`` bytes.
    /// - Returns: the number of bytes that were written.
    func fill(_ output: UnsafeMutableRawBufferPointer, from input: inout UnsafeRawBufferPointer) throws -> Int {
        try guarded {
            guard Int64(input.count) <= missing else {
                throw PackageError(
                    .mismatch, "\(Int64(input.count) - missing) bytes after the end of the slice", at: name)
            }
            var filled = 0
            while filled < output.count, !input.isEmpty || mayHold {
                let rest = UnsafeMutableRawBufferPointer(rebasing: output[filled...])
                let (consumed, produced) = try step(&input, into: rest)
                filled += produced
                mayHold = zlib != nil && produced == rest.count
                guard consumed > 0 || produced > 0 else { break }
            }
            if let zlib, zlib.isAtEnd, remaining > 0 {
                throw PackageError(.damaged, "entry of \(size) bytes inflates to fewer", at: name)
            }
            return filled
        }
    }

    /// Consumes the rest of the slice after all bytes of the file. The rest may only contain the end of the compressed
    /// data.
    func end(_ input: inout UnsafeRawBufferPointer) throws {
        try guarded {
            guard remaining == 0 else {
                throw PackageError(.io, "the slice was ended before all bytes of the file were read", at: name)
            }
            guard let zlib else {
                guard input.isEmpty else {
                    throw PackageError(.mismatch, "\(input.count) bytes after the end of the slice", at: name)
                }
                return
            }
            guard Int64(input.count) <= missing else {
                throw PackageError(
                    .mismatch, "\(Int64(input.count) - missing) bytes after the end of the slice", at: name)
            }
            var spare: UInt8 = 0
            while !isWhole, !zlib.isAtEnd {
                let (consumed, produced) = try withUnsafeMutableBytes(of: &spare) { try step(&input, into: $0) }
                guard produced == 0 else {
                    throw PackageError(.damaged, "entry of \(size) bytes inflates to more", at: name)
                }
                guard consumed > 0 else { break }
            }
            guard input.isEmpty else {
                throw PackageError(.damaged, "bytes after the end of the compressed data", at: name)
            }
        }
    }

    /// Checks that all packed bytes were consumed and all bytes of the file were produced.
    func finish() throws {
        if remaining == 0 {
            var nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            try end(&nothing)
        }
        try guarded {
            guard missing == 0 else {
                throw PackageError(.truncated, "\(missing) packed bytes are missing", at: name)
            }
            guard remaining == 0 else {
                throw PackageError(.damaged, "entry of \(size) bytes inflates to fewer", at: name)
            }
            guard isWhole || zlib?.isAtEnd ?? true else {
                throw PackageError(.damaged, "the compressed data has no end marker", at: name)
            }
        }
    }

    /// Marks the state as failed, so that every further call throws.
    func fail() {
        hasFailed = true
    }

    private func step(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws -> (consumed: Int, produced: Int) {
        let consumed: Int
        let produced: Int
        if let zlib {
            (consumed, produced) = try zlib.inflate(input, into: output, name: name)
        } else {
            produced = min(input.count, output.count)
            consumed = produced
            output.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<produced]))
        }
        input = UnsafeRawBufferPointer(rebasing: input[consumed...])
        missing -= Int64(consumed)
        remaining -= Int64(produced)
        return (consumed, produced)
    }

    private func guarded<Result>(_ body: () throws -> Result) throws -> Result {
        guard !hasFailed else { throw PackageError(.io, "a slice was read after its end or an error", at: name) }
        do {
            return try body()
        } catch {
            hasFailed = true
            throw error
        }
    }
}
