// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOCore
internal import ResourceLoading

/// The way from the task that loads an answer to the connection that it leaves by.
///
/// Isolation: any; what it does happens on the connection's event loop.
struct ExchangeLink: Sendable {
    /// How much of a file is read at once.
    private static let pieceLength = 256 << 10
    private let eventLoop: any EventLoop
    private let ends: NIOLoopBound<(handler: ExchangeHandler, exchange: Exchange)>

    init(_ handler: ExchangeHandler, _ exchange: Exchange, on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        ends = NIOLoopBound((handler, exchange), eventLoop: eventLoop)
    }

    /// Hands an answer on, as fast as the engine takes it.
    /// - Throws: what reading the body throws, and `CancellationError` where nothing is taken any more.
    func deliver(_ response: ResourceResponse) async throws {
        switch response.body {
        case .empty: try await deliver(response, Data())
        case .bytes(let data): try await deliver(response, data)
        case .file(let slice): try await deliver(response, slice)
        case .stream(let stream):
            guard try await begin(response, length: stream.length) else { return try await finish() }
            for try await data in stream where !data.isEmpty { try await write(data) }
            try await finish()
        }
    }

    private func deliver(_ response: ResourceResponse, _ slice: FileSlice) async throws {
        if slice.range.count <= Self.pieceLength { return try await deliver(response, slice.read()) }
        guard try await begin(response, length: Int64(slice.range.count)) else { return try await finish() }
        var offset = 0
        while offset < slice.range.count {
            let count = min(Self.pieceLength, slice.range.count - offset)
            try await write(slice.read(at: offset, count: count))
            offset += count
        }
        try await finish()
    }

    private func deliver(_ response: ResourceResponse, _ data: Data) async throws {
        try await eventLoop.submit { ends.value.handler.deliver(response, data, to: ends.value.exchange) }.get()
    }

    /// - Returns: whether a body is to follow.
    private func begin(_ response: ResourceResponse, length: Int64?) async throws -> Bool {
        let hasBody: Bool? = try await eventLoop.submit {
            let (handler, exchange) = ends.value
            let isTaken = handler.begin(response, length: length, of: exchange)
            // Who waits for the head does not wait for the first byte of the body.
            handler.flush()
            return isTaken ? exchange.hasBody : nil
        }.get()
        guard let hasBody else { throw CancellationError() }
        return hasBody
    }

    private func write(_ data: Data) async throws {
        try await eventLoop.flatSubmit {
            ends.value.handler.write(data, of: ends.value.exchange)
                ?? eventLoop.makeFailedFuture(CancellationError())
        }.get()
    }

    private func finish() async throws {
        try await eventLoop.submit { ends.value.handler.finish(ends.value.exchange) }.get()
    }

    /// There is no answer, or no more of it.
    func fail(_ error: any Error) {
        let error = ResourceError(error)
        eventLoop.execute { ends.value.handler.fail(ends.value.exchange, error) }
    }
}
