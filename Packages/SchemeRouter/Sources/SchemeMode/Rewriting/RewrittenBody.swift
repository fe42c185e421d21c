// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

/// A body that is rewritten while it is read.
struct RewrittenBody: AsyncSequence, Sendable {
    typealias Element = Data

    /// The number of bytes that are read from a file or from memory at once.
    private static let step = 64 << 10
    private let body: ResourceBody
    private let rewriter: any TextRewriting

    init(_ body: ResourceBody, by rewriter: any TextRewriting) {
        self.body = body
        self.rewriter = rewriter
    }

    func makeAsyncIterator() -> Iterator {
        let stream: ByteStream.Iterator? =
            if case .stream(let stream) = body { stream.makeAsyncIterator() } else { nil }
        return Iterator(body: body, stream: stream, rewriter: rewriter)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var body: ResourceBody
        fileprivate var stream: ByteStream.Iterator?
        fileprivate var rewriter: any TextRewriting
        fileprivate var offset = 0
        fileprivate var isOver = false

        mutating func next() async throws -> Data? {
            while !isOver {
                let result: Data
                if let piece = try await read() {
                    result = rewriter.feed(piece)
                } else {
                    isOver = true
                    stream = nil
                    result = rewriter.finish()
                }
                if !result.isEmpty { return result }
            }
            return nil
        }

        private mutating func read() async throws -> Data? {
            switch body {
            case .empty: return nil
            case .bytes(let data):
                defer { offset += RewrittenBody.step }
                return offset < data.count ? data.dropFirst(offset).prefix(RewrittenBody.step) : nil
            case .file(let slice):
                let count = Swift.min(slice.range.count - offset, RewrittenBody.step)
                guard count > 0 else { return nil }
                defer { offset += count }
                return try slice.read(at: offset, count: count)
            case .stream: return try await stream?.next()
            }
        }
    }
}
