// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A body in pieces, whatever it is made of: of bytes and files at most 256 KiB at a time, so that a file of any size
/// takes little memory and each piece is a step forward.
struct BodyChunks: AsyncSequence, Sendable {
    private static let size = 256 << 10
    private let body: ResourceBody

    /// `nil` for a body that is none.
    init?(_ body: ResourceBody) {
        if case .empty = body { return nil }
        self.body = body
    }

    func makeAsyncIterator() -> Iterator {
        switch body {
        case .empty: Iterator(source: .done)
        case .bytes(let data): Iterator(source: .bytes(data))
        case .file(let slice): Iterator(source: .file(slice, offset: 0))
        case .stream(let stream): Iterator(source: .stream(stream.makeAsyncIterator()))
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate enum Source {
            case done
            case bytes(Data)
            case file(FileSlice, offset: Int)
            case stream(ByteStream.Iterator)
        }

        fileprivate var source: Source

        mutating func next() async throws -> Data? {
            switch source {
            case .done: return nil
            case .bytes(let data):
                guard !data.isEmpty else { return nil }
                source = .bytes(data.dropFirst(BodyChunks.size))
                return data.prefix(BodyChunks.size)
            case .file(let slice, let offset):
                let count = Swift.min(BodyChunks.size, slice.range.count - offset)
                guard count > 0 else { return nil }
                source = .file(slice, offset: offset + count)
                return try slice.read(at: offset, count: count)
            case .stream(var iterator):
                let data = try await iterator.next()
                source = data == nil ? .done : .stream(iterator)
                return data
            }
        }
    }
}
