// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// The bytes of a request or a response, as a value.
///
/// A packaged file is passed as ``file(_:)`` from the store to the engine without a copy.
public enum ResourceBody: Sendable {
    /// No bytes.
    case empty
    /// Bytes in memory.
    case bytes(Data)
    /// A range of an open file.
    case file(FileSlice)
    /// Bytes that are still arriving. The stream can be read once.
    case stream(ByteStream)

    /// The number of bytes, or `nil` if it is not known before the end.
    public var length: Int64? {
        switch self {
        case .empty: 0
        case .bytes(let data): Int64(data.count)
        case .file(let slice): Int64(slice.range.count)
        case .stream(let stream): stream.length
        }
    }

    /// A Boolean value that indicates whether the bytes are still arriving.
    public var isStream: Bool { if case .stream = self { true } else { false } }
}

extension ResourceBody {
    /// Reads the whole body into memory.
    /// - Parameter limit: the maximum number of bytes.
    /// - Throws: ``ResourceError`` with code `tooLarge` if the body exceeds the limit.
    public func collect(upTo limit: Int) async throws -> Data {
        if let length, length > limit {
            throw ResourceError(.tooLarge, "body of \(length) bytes, limit \(limit)")
        }
        switch self {
        case .empty: return Data()
        case .bytes(let data): return data
        case .file(let slice): return try slice.read()
        case .stream(let stream):
            var collected = Data()
            for try await chunk in stream {
                guard collected.count + chunk.count <= limit else {
                    throw ResourceError(.tooLarge, "body of more than \(limit) bytes")
                }
                collected.append(chunk)
            }
            return collected
        }
    }

    /// Returns a part of the body without a copy. A part of a file stays a file slice.
    /// - Parameter range: The offsets of the part within the body.
    /// - Returns: `nil` for a stream and for a range that exceeds the body.
    public func slice(_ range: Range<Int64>) -> ResourceBody? {
        guard let length, range.lowerBound >= 0, range.upperBound <= length else { return nil }
        switch self {
        case .empty: return .empty
        case .bytes(let data):
            let start = data.startIndex + Int(range.lowerBound)
            return .bytes(data[start..<(start + range.count)])
        case .file(let slice):
            let start = slice.range.lowerBound
            return .file(FileSlice(slice.file, range: (start + range.lowerBound)..<(start + range.upperBound)))
        case .stream: return nil
        }
    }

    /// Returns the bytes in order, piece by piece. The pieces of a stream have the sizes that its source chooses.
    /// - Parameters:
    ///   - offset: The number of bytes to skip; at most the length of the body, if it is known.
    ///   - size: The maximum number of bytes that are read from a file at once.
    ///   - cutsBytes: A Boolean value that indicates whether `size` also limits the pieces of bytes in memory. By
    ///     default, bytes in memory are one piece.
    public func pieces(from offset: Int64 = 0, upTo size: Int = 64 << 10, cutsBytes: Bool = false) -> Pieces {
        Pieces(self, from: offset, upTo: size, cutsBytes: cutsBytes)
    }

    /// The bytes of a body in order, for one reader. No piece is empty.
    public struct Pieces: AsyncSequence, AsyncIteratorProtocol {
        /// A piece of the body.
        public typealias Element = Data

        /// The bytes or the file; empty for a stream, whose bytes come from `stream`.
        private let body: ResourceBody
        private let size: Int
        /// The offset of the next piece, for bytes in memory and for a file.
        private var offset = 0
        private var stream: ByteStream.Iterator?
        /// The number of stream bytes that still have to be skipped.
        private var skipped: Int64 = 0

        fileprivate init(_ body: ResourceBody, from offset: Int64, upTo size: Int, cutsBytes: Bool) {
            if case .stream(let stream) = body {
                self.body = .empty
                self.size = size
                self.stream = stream.makeAsyncIterator()
                skipped = offset
            } else {
                self.body = body
                self.offset = Int(offset)
                if case .bytes = body, !cutsBytes { self.size = .max } else { self.size = size }
            }
        }

        public func makeAsyncIterator() -> Self { self }

        public mutating func next() async throws -> Data? {
            try await next(isolation: nil)
        }

        /// Returns the next piece, or `nil` after the last one.
        /// - Throws: ``ResourceError`` with code `io` if a file cannot be read; with code `connectionLost` if a stream
        ///   ends before the first byte to read; or the error of the stream.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            switch body {
            case .bytes(let data):
                guard offset < data.count else { return nil }
                let piece = data.dropFirst(offset).prefix(size)
                offset += piece.count
                return piece
            case .file(let slice):
                let count = Swift.min(size, slice.range.count - offset)
                guard count > 0 else { return nil }
                let piece = try slice.read(at: offset, count: count)
                offset += count
                return piece
            case .empty, .stream: break
            }
            while let piece = try await stream?.next(isolation: actor) {
                let passed = Swift.min(skipped, Int64(piece.count))
                skipped -= passed
                if passed < piece.count { return piece.dropFirst(Int(passed)) }
            }
            // Releasing the iterator ends the source.
            stream = nil
            guard skipped == 0 else {
                throw ResourceError(.connectionLost, "the response body is shorter than expected")
            }
            return nil
        }
    }
}

/// Bytes that arrive over time, pulled by the reader.
///
/// The stream can be iterated once. Releasing the iterator, or cancelling the task that iterates, ends the source.
public struct ByteStream: AsyncSequence, Sendable {
    /// A piece of the body.
    public typealias Element = Data

    /// The total number of bytes, or `nil` if the source did not announce it.
    public let length: Int64?
    private let makeIterator: @Sendable () -> any PieceIterator

    /// Creates a stream.
    /// - Parameters:
    ///   - base: a sequence of chunks of any size.
    ///   - length: the total number of bytes, if it is known.
    public init<Base: AsyncSequence & Sendable>(_ base: Base, length: Int64? = nil) where Base.Element == Data {
        makeIterator = { BasePieces(base: base.makeAsyncIterator()) }
        self.length = length
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: makeIterator())
    }

    /// An iterator over the pieces of the body.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: any PieceIterator

        public mutating func next() async throws -> Data? {
            try await base.next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try await base.next(isolation: actor)
        }
    }
}

/// An iterator of any type over the pieces of a body.
protocol PieceIterator {
    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data?
}

/// The iterator of the sequence that a stream was created with.
struct BasePieces<Base: AsyncIteratorProtocol>: PieceIterator where Base.Element == Data {
    var base: Base

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
        if #available(iOS 18, macOS 15, *) { return try await base.next(isolation: actor) }
        return try await nextOffActor(isolation: actor)
    }

    /// Returns the next piece without `next(isolation:)` of the base, which needs iOS 18 and macOS 15.
    ///
    /// The base runs off the actor.
    mutating func nextOffActor(isolation actor: isolated (any Actor)?) async throws -> Data? {
        // Unchecked: like in a `for await` loop, only this call uses the iterator until it returns.
        nonisolated(unsafe) var base = base
        defer { self.base = base }
        return try await base.next()
    }
}
