// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

extension ResourceBody {
    /// Hands out the bytes of a body of any kind, in pieces and in order.
    /// - Throws: what the body's source or `consume` throws.
    func forEachPiece(_ consume: (Data) throws -> Void) async throws {
        switch self {
        case .empty: break
        case .bytes(let data): try consume(data)
        case .file(let slice):
            var offset = 0
            while offset < slice.range.count {
                try Task.checkCancellation()
                let count = Swift.min(256 << 10, slice.range.count - offset)
                try consume(slice.read(at: offset, count: count))
                offset += count
            }
        case .stream(let stream):
            for try await piece in stream { try consume(piece) }
        }
    }
}
