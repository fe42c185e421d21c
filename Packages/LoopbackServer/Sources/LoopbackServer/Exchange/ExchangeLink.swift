// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOCore
internal import ResourceLoading

/// The link between the task that loads a response and the connection that sends it.
///
/// Isolation: any; its effects happen on the connection's event loop.
struct ExchangeLink: Sendable {
    /// The number of bytes of a file that are read at once.
    private static let pieceLength = 256 << 10
    private let eventLoop: any EventLoop
    private let ends: NIOLoopBound<(handler: ExchangeHandler, exchange: Exchange)>

    init(_ handler: ExchangeHandler, _ exchange: Exchange, on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        ends = NIOLoopBound((handler, exchange), eventLoop: eventLoop)
    }

    /// Sends a response, with back-pressure from the engine.
    /// - Throws: An error of the body, or `CancellationError` if the exchange has ended.
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

    /// Sends the head.
    /// - Returns: `true` if a body follows.
    private func begin(_ response: ResourceResponse, length: Int64?) async throws -> Bool {
        let hasBody: Bool? = try await eventLoop.submit {
            let (handler, exchange) = ends.value
            let isTaken = handler.begin(response, length: length, of: exchange)
            // Sends the head without waiting for the first byte of the body.
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

    /// Ends the exchange with an error, before or during the response.
    func fail(_ error: any Error) {
        let error = ResourceError(error)
        eventLoop.execute { ends.value.handler.fail(ends.value.exchange, error) }
    }
}
