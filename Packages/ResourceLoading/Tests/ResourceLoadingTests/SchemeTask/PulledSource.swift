// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import ResourceLoading

/// A body source that counts its pulls and reports its release.
final class PulledSource: Sendable {
    private let pulls = Mutex(0)
    let ends: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init() {
        (ends, end) = AsyncStream.makeStream()
    }

    var pulled: Int { pulls.withLock { $0 } }

    /// Returns a body of `count` chunks: "1", "2", … After them the source ends, or waits until it is cancelled.
    func body(_ count: Int, thenWaits: Bool = false) -> ResourceBody {
        .stream(ByteStream(Pieces(source: self, count: count, thenWaits: thenWaits)))
    }

    private struct Pieces: AsyncSequence, Sendable {
        let source: PulledSource
        let count: Int
        let thenWaits: Bool

        func makeAsyncIterator() -> Iterator {
            Iterator(pieces: self, grip: Grip(source))
        }
    }

    private struct Iterator: AsyncIteratorProtocol {
        let pieces: Pieces
        let grip: Grip

        mutating func next() async throws -> Data? {
            let number = pieces.source.pulls.withLock { pulls in
                pulls += 1
                return pulls
            }
            if number <= pieces.count { return Data("\(number)".utf8) }
            if pieces.thenWaits {
                // Ends only by cancellation.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                throw CancellationError()
            }
            return nil
        }
    }

    /// An object that is released with the iterator.
    private final class Grip: Sendable {
        private let source: PulledSource

        init(_ source: PulledSource) {
            self.source = source
        }

        deinit {
            source.end.yield()
        }
    }
}
