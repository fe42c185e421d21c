// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Bytes that arrive over time, pulled by the reader: who does not ask does not receive.
///
/// Can be iterated once. Dropping the iterator, or cancelling the task that iterates, ends the source.
public struct ByteStream: AsyncSequence, Sendable {
    public typealias Element = Data

    /// The total number of bytes, where the source announced it.
    public let length: Int64?
    private let base: any AsyncSequence<Data, any Error> & Sendable

    /// - Parameters:
    ///   - base: pieces of any size; it ends or throws once.
    ///   - length: all bytes together, where that is known.
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
