// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

/// The body of a response that several readers share while it is received. A reader that is too slow is detached and
/// reads the rest separately.
struct SharedBody: AsyncSequence, Sendable {
    /// A closure that returns the bytes from an offset on.
    typealias Rest = @Sendable (_ offset: Int64) async throws -> ResourceBody.Pieces

    private let reader: FlightReader
    private let rest: Rest

    init(_ reader: FlightReader, rest: @escaping Rest) {
        self.reader = reader
        self.rest = rest
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader, rest: rest)
    }

    struct Iterator: AsyncIteratorProtocol {
        let reader: FlightReader
        let rest: Rest
        private var offset: Int64 = 0
        private var alone: ResourceBody.Pieces?

        init(reader: FlightReader, rest: @escaping Rest) {
            self.reader = reader
            self.rest = rest
        }

        mutating func next() async throws -> Data? {
            try await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            if alone == nil {
                switch try await reader.step() {
                case .piece(let piece):
                    offset += Int64(piece.count)
                    return piece
                case .end: return nil
                case .detached: alone = try await rest(offset)
                }
            }
            return try await alone?.next(isolation: actor)
        }
    }
}
