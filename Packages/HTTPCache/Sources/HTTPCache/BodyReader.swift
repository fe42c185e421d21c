// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

/// A reader that returns a body of any kind piece by piece, starting at an offset.
struct BodyReader {
    private enum Source {
        case bytes(Data)
        case file(FileSlice, Int)
        case stream(ByteStream.Iterator)
    }

    private static let pieceBytes = 64 << 10

    private var source: Source
    /// The number of stream bytes that still have to be skipped.
    private var skipped: Int64

    /// Creates a reader.
    /// - Parameter count: The number of bytes to skip; at most the length of the body, if it is known.
    init(_ body: ResourceBody, skipping count: Int64) {
        skipped = 0
        switch body {
        case .empty: source = .bytes(Data())
        case .bytes(let data): source = .bytes(data.dropFirst(Int(count)))
        case .file(let slice): source = .file(slice, Int(count))
        case .stream(let stream):
            source = .stream(stream.makeAsyncIterator())
            skipped = count
        }
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
        switch source {
        case .bytes(let data):
            source = .bytes(Data())
            return data.isEmpty ? nil : data
        case .file(let slice, let offset):
            let count = min(Self.pieceBytes, slice.range.count - offset)
            guard count > 0 else { return nil }
            source = .file(slice, offset + count)
            return try slice.read(at: offset, count: count)
        case .stream(var iterator):
            // The iterator is a copy, so every exit stores it again.
            defer { source = .stream(iterator) }
            while let piece = try await iterator.next(isolation: actor) {
                let passed = min(skipped, Int64(piece.count))
                skipped -= passed
                if passed < piece.count { return piece.dropFirst(Int(passed)) }
            }
            guard skipped == 0 else {
                throw ResourceError(.connectionLost, "the response body is shorter than expected")
            }
            return nil
        }
    }
}
