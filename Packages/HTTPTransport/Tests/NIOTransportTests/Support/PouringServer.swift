// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import NIOCore
import NIOPosix

/// A server that responds with many bytes, and counts the bytes that the system has accepted.
///
/// Isolation: any.
struct PouringServer: Sendable {
    /// The progress of one response.
    private final class Pouring: Sendable {
        let total: Int
        let most: Int
        let sent = Mutex(0)
        let end: AsyncStream<Int>.Continuation

        init(total: Int, most: Int, end: AsyncStream<Int>.Continuation) {
            self.total = total
            self.most = min(most, total)
            self.end = end
        }

        /// Writes a chunk, and writes the next chunk when the system has accepted the first.
        func pour(into channel: any Channel) {
            let before = sent.withLock { $0 }
            guard before < most else {
                end.yield(before)
                return
            }
            let piece = min(1 << 20, most - before)
            channel.writeAndFlush(ByteBuffer(repeating: 0, count: piece)).whenComplete { result in
                switch result {
                case .success:
                    self.sent.withLock { $0 += piece }
                    self.pour(into: channel)
                case .failure: self.end.yield(self.sent.withLock { $0 })
                }
            }
        }
    }

    /// A handler that starts the response at the first bytes of a request.
    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let pouring: Pouring
        private var hasBegun = false

        init(_ pouring: Pouring) {
            self.pouring = pouring
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasBegun else { return }
            hasBegun = true
            let head = "HTTP/1.1 200 OK\r\ncontent-length: \(pouring.total)\r\n\r\n"
            context.channel.writeAndFlush(ByteBuffer(string: head), promise: nil)
            pouring.pour(into: context.channel)
        }
    }

    let port: Int
    /// A stream of the number of bytes sent, with an element when all bytes of a response were sent or its connection
    /// broke.
    let ends: AsyncStream<Int>
    private let pouring: Pouring
    /// The number of bytes sent.
    var sent: Int { pouring.sent.withLock { $0 } }

    /// Runs `body` with a server whose responses announce `total` bytes.
    /// - Parameter most: The limit of bytes that are sent, so that a client that never stops does not fill the
    ///   memory.
    static func with<Result: Sendable>(
        total: Int, most: Int = .max, _ body: @Sendable (PouringServer) async throws -> Result
    ) async throws -> Result {
        let (ends, end) = AsyncStream<Int>.makeStream()
        let pouring = Pouring(total: total, most: most, end: end)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answering(pouring))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Swift.Result<Result, any Error>
        do {
            let port = listener.localAddress?.port ?? 0
            result = .success(try await body(PouringServer(port: port, ends: ends, pouring: pouring)))
        } catch {
            result = .failure(error)
        }
        try? await listener.close()
        return try result.get()
    }
}
