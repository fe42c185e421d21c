// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOCore
internal import NIOFoundationCompat
internal import ResourceLoading

/// The body of a request, as the loader reads it. If the loader does not read it, reading from the connection stops
/// after a few chunks.
struct RequestBody: AsyncSequence, Sendable {
    typealias Strategy = NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark
    typealias Producer = NIOThrowingAsyncSequenceProducer<ByteBuffer, any Error, Strategy, Demand>
    typealias Source = Producer.Source

    private let pieces: Producer
    private let demand: Demand

    /// Creates a body and its source.
    /// - Parameter demand: The receiver of the reader's demand.
    static func make(_ demand: Demand) -> (source: Source, body: RequestBody) {
        let new = Producer.makeSequence(
            // Each chunk is one read of at most 64 KiB.
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

    /// The demand of a body's reader, forwarded to the connection.
    ///
    /// Isolation: any.
    struct Demand: NIOAsyncSequenceProducerDelegate {
        let eventLoop: any EventLoop
        /// A closure that is called on the event loop when the first chunk is requested.
        let onBegin: @Sendable () -> Void
        /// A closure that is called on the event loop when more data is needed.
        let onMore: @Sendable () -> Void
        /// A closure that is called on the event loop when the reader has ended.
        let onEnd: @Sendable () -> Void

        func begin() { eventLoop.execute(onBegin) }
        func produceMore() { eventLoop.execute(onMore) }
        func didTerminate() { eventLoop.execute(onEnd) }
    }
}
