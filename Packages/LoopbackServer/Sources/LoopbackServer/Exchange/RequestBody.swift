// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOCore
internal import NIOFoundationCompat
internal import ResourceLoading

/// The body of a request, as the loader reads it. What nobody reads is not taken from the connection for long.
struct RequestBody: AsyncSequence, Sendable {
    typealias Strategy = NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark
    typealias Producer = NIOThrowingAsyncSequenceProducer<ByteBuffer, any Error, Strategy, Demand>
    typealias Source = Producer.Source

    private let pieces: Producer
    private let demand: Demand

    /// - Parameter demand: hears what its reader wants.
    static func make(_ demand: Demand) -> (source: Source, body: RequestBody) {
        let new = Producer.makeSequence(
            // Pieces are of one read each, of 64 KiB at most.
            backPressureStrategy: Strategy(lowWatermark: 1, highWatermark: 4), finishOnDeinit: true, delegate: demand)
        return (new.source, RequestBody(pieces: new.sequence, demand: demand))
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(base: pieces.makeAsyncIterator(), demand: demand)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let base: Producer.AsyncIterator
        fileprivate let demand: Demand
        private var hasBegun = false

        fileprivate init(base: Producer.AsyncIterator, demand: Demand) {
            self.base = base
            self.demand = demand
        }

        mutating func next() async throws -> Data? {
            if !hasBegun {
                hasBegun = true
                demand.begin()
            }
            return try await base.next().map { Data(buffer: $0) }
        }
    }

    /// What the reader of a body wants, told to its connection.
    ///
    /// Isolation: any.
    struct Demand: NIOAsyncSequenceProducerDelegate {
        let eventLoop: any EventLoop
        /// The first piece is asked for. On the event loop.
        let onBegin: @Sendable () -> Void
        /// More is wanted. On the event loop.
        let onMore: @Sendable () -> Void
        /// Nobody reads any more. On the event loop.
        let onEnd: @Sendable () -> Void

        func begin() { eventLoop.execute(onBegin) }
        func produceMore() { eventLoop.execute(onMore) }
        func didTerminate() { eventLoop.execute(onEnd) }
    }
}
