// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import NIOCore
import NIOPosix

/// A server that answers with many bytes, and knows how many of them the system took from it.
///
/// Isolation: any.
struct PouringServer: Sendable {
    /// What became of one answer.
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

        /// Sends a piece when the one before is out: nothing waits in between.
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

    /// Begins to pour at the first bytes of a request.
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
    /// Tells how many bytes were sent when all were, or when the connection broke.
    let ends: AsyncStream<Int>
    private let pouring: Pouring
    /// Bytes so far.
    var sent: Int { pouring.sent.withLock { $0 } }

    /// Runs `body` with a server whose answers have `total` bytes.
    /// - Parameter most: how many of them it sends, so that a client that never stops does not fill the machine.
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
