// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
package import ResourceLoading

/// A body as a sequence of chunks. Bytes and files yield chunks of at most 256 KiB, so that a file of any size needs
/// little memory. Streams yield their own chunks.
package struct BodyChunks: AsyncSequence, Sendable {
    private static let size = 256 << 10
    private let body: ResourceBody
    private let url: String?

    /// Creates a sequence, or returns `nil` for an empty body.
    /// - Parameter url: The URL that a request body is sent to. If it is not `nil`, an error that is neither a
    ///   `ResourceError` nor a `CancellationError` is wrapped in a `ResourceError` with this location and code `io`.
    package init?(_ body: ResourceBody, sentTo url: String? = nil) {
        if case .empty = body { return nil }
        self.body = body
        self.url = url
    }

    package func makeAsyncIterator() -> Iterator {
        let source: Iterator.Source =
            switch body {
            case .empty: .done
            case .bytes(let data): .bytes(data)
            case .file(let slice): .file(slice, offset: 0)
            case .stream(let stream): .stream(stream.makeAsyncIterator())
            }
        return Iterator(source: source, url: url)
    }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate enum Source {
            case done
            case bytes(Data)
            case file(FileSlice, offset: Int)
            case stream(ByteStream.Iterator)
        }

        fileprivate var source: Source
        fileprivate let url: String?

        package mutating func next() async throws -> Data? {
            do {
                return try await piece()
            } catch let error where url != nil && !(error is ResourceError) && !(error is CancellationError) {
                throw ResourceError(.io, "the request body could not be read", at: url, cause: error)
            }
        }

        private mutating func piece() async throws -> Data? {
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
