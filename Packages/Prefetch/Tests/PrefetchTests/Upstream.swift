// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading

@testable import Prefetch

/// A loader whose responses a test sends by hand.
final class Upstream: ResourceLoader {
    /// One request with its response.
    final class Exchange: Sendable {
        let request: ResourceRequest
        /// A Boolean value that indicates whether a transport may refuse the request in Low Data Mode.
        let isRefusable = BackgroundTransfer.isRefusable
        /// A Boolean value that indicates whether a refusable request may use expensive networks.
        let allowsExpensiveNetworks = BackgroundTransfer.allowsExpensiveNetworks
        private let head = AsyncThrowingStream.makeStream(of: ResourceResponse?.self)
        private let pieces: AsyncThrowingStream<Data, any Error>
        private let body: AsyncThrowingStream<Data, any Error>.Continuation
        private let received = Mutex(0)
        private let isOver = Mutex(false)

        init(_ request: ResourceRequest) {
            self.request = request
            (pieces, body) = AsyncThrowingStream.makeStream()
        }

        /// The number of times that a piece of the body was requested.
        var requestCount: Int { received.withLock { $0 } }
        /// A Boolean value that indicates whether the response was released.
        var isEnded: Bool { isOver.withLock { $0 } }

        /// Sends the head of a response whose pieces follow.
        func answer(_ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:]) {
            let body = ByteStream(Pieces(exchange: self))
            yield(
                ResourceResponse(
                    head: HTTPResponse(status: status, headerFields: fields), body: .stream(body),
                    provenance: Provenance(.network, reason: "upstream")))
        }

        /// Sends a whole response.
        func answer(whole text: String, _ fields: HTTPFields = [:]) {
            yield(
                ResourceResponse(
                    head: HTTPResponse(status: .ok, headerFields: fields), body: .bytes(Data(text.utf8)),
                    provenance: Provenance(.network, reason: "upstream")))
        }

        /// Returns `nil` for the request.
        func decline() { yield(nil) }

        func fail() { head.continuation.finish(throwing: ResourceError(.connectionLost, "upstream is gone")) }

        func send(_ text: String) { body.yield(Data(text.utf8)) }
        func end() { body.finish() }
        func breakOff() { body.finish(throwing: ResourceError(.connectionLost, "upstream broke off")) }

        private func yield(_ response: ResourceResponse?) {
            head.continuation.yield(response)
            head.continuation.finish()
        }

        fileprivate func response() async throws -> ResourceResponse? {
            for try await response in head.stream { return response }
            isOver.withLock { $0 = true }
            throw CancellationError()
        }

        private final class Watch: Sendable {
            private let exchange: Exchange
            init(_ exchange: Exchange) { self.exchange = exchange }
            deinit { exchange.isOver.withLock { $0 = true } }
        }

        private struct Pieces: AsyncSequence, Sendable {
            let exchange: Exchange

            func makeAsyncIterator() -> Iterator {
                Iterator(base: exchange.pieces.makeAsyncIterator(), exchange: exchange, watch: Watch(exchange))
            }

            struct Iterator: AsyncIteratorProtocol {
                var base: AsyncThrowingStream<Data, any Error>.Iterator
                let exchange: Exchange
                let watch: Watch

                mutating func next() async throws -> Data? {
                    exchange.received.withLock { $0 += 1 }
                    return try await base.next()
                }
            }
        }
    }

    private let exchanges = Mutex<[Exchange]>([])

    var count: Int { exchanges.withLock(\.count) }
    var seen: [Exchange] { exchanges.withLock { $0 } }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let exchange = Exchange(request)
        exchanges.withLock { $0.append(exchange) }
        return try await exchange.response()
    }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult { .known(nil) }

    /// Waits for the request with a number, counted from 1, and returns it.
    func exchange(_ number: Int) async throws -> Exchange {
        while true {
            try Task.checkCancellation()
            if let exchange = exchanges.withLock({ $0.count >= number ? $0[number - 1] : nil }) { return exchange }
            await Task.yield()
        }
    }
}

/// Waits until the condition is true. The time limit of the suite applies.
func until(_ condition: () -> Bool) async throws {
    while !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}

/// A type that completes prefetch requests with fixed fields.
struct FixedFields: PrefetchCompleting {
    var fields: HTTPFields = [.cookie: "user=1", .acceptLanguage: "de, en;q=0.5"]

    func completed(_ request: ResourceRequest) async throws -> ResourceRequest {
        var request = request
        for field in fields { request.head.headerFields[field.name] = field.value }
        return request
    }
}

/// A type that completes prefetch requests with the default fields, after the gate is finished.
struct GatedFields: PrefetchCompleting {
    let gate = AsyncStream.makeStream(of: Void.self)

    func completed(_ request: ResourceRequest) async throws -> ResourceRequest {
        for await _ in gate.stream {}
        return try await FixedFields().completed(request)
    }
}
