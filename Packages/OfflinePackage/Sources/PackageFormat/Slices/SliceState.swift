// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ZlibStreams

/// How far the unpacking of one slice has come. What ``SliceInflater`` and ``SliceReader`` have in common.
///
/// Not `Sendable`, as ``ZlibInflater`` is not.
final class SliceState {
    /// The most bytes of a piece.
    static let chunk: Int64 = 256 << 10

    let name: String
    /// Packed bytes that are still to come.
    private(set) var missing: Int64
    /// Bytes of the file that are still to come.
    private(set) var wanted: Int64
    /// The last piece was filled to its end: zlib may have more without more input.
    private(set) var mayHold = false
    private let size: Int64
    /// `nil` for stored slices.
    private let zlib: ZlibInflater?
    /// All came out at once, without zlib.
    private var isWhole = false
    private var hasFailed = false

    /// - Parameter zlib: one to use again, of format raw; a new one is made where it is `nil`.
    init(_ slice: ArchiveSlice, size: Int64, name: String, zlib: ZlibInflater? = nil) throws {
        guard slice.offset >= 0, slice.size >= 0, size >= 0 else {
            throw PackageError(.badManifest, "negative size", at: name)
        }
        self.name = name
        self.size = size
        missing = slice.size
        wanted = size
        switch slice.method {
        case .stored:
            self.zlib = nil
            guard slice.size == size else {
                throw PackageError(.badManifest, "stored file of \(size) bytes in \(slice.size)", at: name)
            }
        case .deflate:
            zlib?.reset()
            self.zlib = try zlib ?? ZlibInflater.make(.raw)
        }
    }

    /// Whether the bytes are as they were.
    var isStored: Bool { zlib == nil }

    /// Unpacks the whole slice at once, where it is compressed and nothing was read of it before.
    /// - Parameters:
    ///   - output: has room for the whole file.
    ///   - packed: the bytes of the slice.
    /// - Returns: `false` where it is not sound, and nothing was taken: ``fill(_:from:)`` says what is wrong with it.
    func fill(
        _ output: UnsafeMutableRawBufferPointer, from packed: UnsafeRawBufferPointer, with inflater: WholeInflater
    ) -> Bool {
        guard !hasFailed, zlib != nil, Int64(packed.count) == missing, Int64(output.count) == wanted,
            inflater.inflate(packed, into: output)
        else { return false }
        missing = 0
        wanted = 0
        isWhole = true
        return true
    }

    /// Unpacks bytes that follow the ones before, until `output` is full or the input is used up; what was used of the
    /// input is dropped.
    /// - Parameter output: not empty, with room for at most ``wanted`` bytes.
    /// - Returns: how many bytes were written.
    func fill(_ output: UnsafeMutableRawBufferPointer, from input: inout UnsafeRawBufferPointer) throws -> Int {
        try guarded {
            guard Int64(input.count) <= missing else {
                throw PackageError(.mismatch, "\(Int64(input.count) - missing) bytes behind the slice's end", at: name)
            }
            var filled = 0
            while filled < output.count, !input.isEmpty || mayHold {
                let rest = UnsafeMutableRawBufferPointer(rebasing: output[filled...])
                let (consumed, produced) = try step(&input, into: rest)
                filled += produced
                mayHold = zlib != nil && produced == rest.count
                guard consumed > 0 || produced > 0 else { break }
            }
            if let zlib, zlib.isAtEnd, wanted > 0 {
                throw PackageError(.damaged, "entry of \(size) bytes unpacks to fewer", at: name)
            }
            return filled
        }
    }

    /// With all bytes of the file out, what is left of the slice may only be the end of the compressed data.
    func end(_ input: inout UnsafeRawBufferPointer) throws {
        try guarded {
            guard wanted == 0 else { throw PackageError(.io, "a slice was ended before its time", at: name) }
            guard let zlib else {
                guard input.isEmpty else {
                    throw PackageError(.mismatch, "\(input.count) bytes behind the slice's end", at: name)
                }
                return
            }
            guard Int64(input.count) <= missing else {
                throw PackageError(.mismatch, "\(Int64(input.count) - missing) bytes behind the slice's end", at: name)
            }
            var spare: UInt8 = 0
            while !isWhole, !zlib.isAtEnd {
                let (consumed, produced) = try withUnsafeMutableBytes(of: &spare) { try step(&input, into: $0) }
                guard produced == 0 else {
                    throw PackageError(.damaged, "entry of \(size) bytes unpacks to more", at: name)
                }
                guard consumed > 0 else { break }
            }
            guard input.isEmpty else {
                throw PackageError(.damaged, "bytes behind the end of the compressed data", at: name)
            }
        }
    }

    /// Checks that all went in and all came out.
    func finish() throws {
        if wanted == 0 {
            var nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            try end(&nothing)
        }
        try guarded {
            guard missing == 0 else {
                throw PackageError(.truncated, "\(missing) packed bytes are missing", at: name)
            }
            guard wanted == 0 else {
                throw PackageError(.damaged, "entry of \(size) bytes unpacks to fewer", at: name)
            }
            guard isWhole || zlib?.isAtEnd ?? true else {
                throw PackageError(.damaged, "compressed data without its end", at: name)
            }
        }
    }

    /// Nothing more comes out.
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
        wanted -= Int64(produced)
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
