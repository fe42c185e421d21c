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
}

extension ResourceBody {
    /// Reads the whole body into memory.
    /// - Parameter limit: the maximum number of bytes.
    /// - Throws: ``ResourceError`` with code `tooLarge` if the body exceeds the
    ///   limit.
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
}

/// Bytes that arrive over time, pulled by the reader.
///
/// The stream can be iterated once. Releasing the iterator, or cancelling the task that iterates, ends the source.
public struct ByteStream: AsyncSequence, Sendable {
    public typealias Element = Data

    /// The total number of bytes, or `nil` if the source did not announce it.
    public let length: Int64?
    private let base: any AsyncSequence<Data, any Error> & Sendable

    /// Creates a stream.
    /// - Parameters:
    ///   - base: a sequence of chunks of any size.
    ///   - length: the total number of bytes, if it is known.
    public init(_ base: some AsyncSequence<Data, any Error> & Sendable, length: Int64? = nil) {
        self.base = base
        self.length = length
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator())
    }

    public struct Iterator: AsyncIteratorProtocol {
        var base: any AsyncIteratorProtocol<Data, any Error>

        public mutating func next() async throws -> Data? {
            try await base.next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try await base.next(isolation: actor)
        }
    }
}
