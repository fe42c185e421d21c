// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

/// A body that is rewritten while it is read.
struct RewrittenBody: AsyncSequence, Sendable {
    typealias Element = Data

    private let body: ResourceBody
    private let rewriter: any TextRewriting

    init(_ body: ResourceBody, by rewriter: any TextRewriting) {
        self.body = body
        self.rewriter = rewriter
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(pieces: body.pieces(cutsBytes: true), rewriter: rewriter)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: ResourceBody.Pieces
        fileprivate var rewriter: any TextRewriting
        fileprivate var isOver = false

        mutating func next() async throws -> Data? {
            while !isOver {
                let result: Data
                if let piece = try await pieces.next() {
                    result = rewriter.feed(piece)
                } else {
                    isOver = true
                    result = rewriter.finish()
                }
                if !result.isEmpty { return result }
            }
            return nil
        }
    }
}
