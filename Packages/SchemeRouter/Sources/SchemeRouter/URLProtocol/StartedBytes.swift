// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// Pieces that were read already, and then those of their source.
struct StartedBytes: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    private let start: [Data]
    private let rest: InputStreamBytes

    init(_ start: [Data], then rest: InputStreamBytes) {
        self.start = start
        self.rest = rest
    }

    func makeAsyncIterator() -> Iterator { Iterator(start: start[...], rest: rest) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var start: ArraySlice<Data>
        fileprivate let rest: InputStreamBytes

        mutating func next() async throws -> Data? {
            if let piece = start.popFirst() { return piece }
            return try await rest.next()
        }
    }
}
