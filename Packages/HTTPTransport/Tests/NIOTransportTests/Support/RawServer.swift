// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore
import NIOPosix
import NIOSSL

/// A server that sends raw bytes, for behaviour that a conforming server does not have.
///
/// Isolation: any.
struct RawServer: Sendable {
    typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    let port: Int
    /// A stream with one element for each connection that the client has closed.
    let closes: AsyncStream<Void>
    var isSecure = false
    var url: String { "\(isSecure ? "https" : "http")://127.0.0.1:\(port)" }

    /// The end of a connection.
    enum End {
        /// The client closes first.
        case client
        /// The server closes after it has served.
        case server
        /// The server closes TCP after it has served, without sending close_notify.
        case serverWithoutCloseNotify
    }

    /// Runs `body` with a server that passes each connection to `serve`, one after another.
    static func with<Result: Sendable>(
        tls: TLSConfiguration? = nil, end: End = .client, address: String = "127.0.0.1",
        _ serve:
            @escaping @Sendable (
                inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, NIOAsyncChannelOutboundWriter<ByteBuffer>
            ) async throws -> Void,
        _ body: @Sendable (RawServer) async throws -> Result
    ) async throws -> Result {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: address, port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        let handler = NIOSSLServerHandler(context: try NIOSSLContext(configuration: tls))
                        try channel.pipeline.syncOperations.addHandler(handler)
                        if end == .serverWithoutCloseNotify {
                            try channel.pipeline.syncOperations.addHandler(CloseWithoutNotify())
                        }
                    }
                    return try Connection(wrappingChannelSynchronously: channel).retained()
                }
            }
        let (closes, close) = AsyncStream<Void>.makeStream()
        return try await listener.executeThenClose { connections in
            let accepting = Task {
                for try await connection in connections {
                    try? await connection.executeThenClose { inbound, outbound in
                        var input = inbound.makeAsyncIterator()
                        try await serve(&input, outbound)
                        if end == .client { while try await input.next() != nil {} }
                    }
                    close.yield()
                }
            }
            let result: Swift.Result<Result, any Error>
            do {
                let port = listener.channel.localAddress?.port ?? 0
                result = .success(try await body(RawServer(port: port, closes: closes, isSecure: tls != nil)))
            } catch {
                result = .failure(error)
            }
            // Closes the listener instead of cancelling the task, because NIO does not allow the release of an open
            // connection before it is accepted.
            try? await listener.channel.close()
            _ = await accepting.result
            return try result.get()
        }
    }

    /// Runs `body` with a server that passes each connection to `serve` with its number, from 1, concurrently. A
    /// connection is closed when `serve` returns.
    static func with<Result: Sendable>(
        concurrently serve:
            @escaping @Sendable (
                Int, inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
                NIOAsyncChannelOutboundWriter<ByteBuffer>
            ) async throws -> Void,
        _ body: @Sendable (RawServer) async throws -> Result
    ) async throws -> Result {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Connection(wrappingChannelSynchronously: channel).retained()
                }
            }
        return try await listener.executeThenClose { connections in
            let accepting = Task {
                await withDiscardingTaskGroup { group in
                    var number = 0
                    do {
                        for try await connection in connections {
                            number += 1
                            group.addTask { [number] in
                                try? await connection.executeThenClose { inbound, outbound in
                                    var input = inbound.makeAsyncIterator()
                                    try await serve(number, &input, outbound)
                                }
                            }
                        }
                    } catch {}
                }
            }
            let result: Swift.Result<Result, any Error>
            do {
                let port = listener.channel.localAddress?.port ?? 0
                result = .success(
                    try await body(RawServer(port: port, closes: AsyncStream<Void>.makeStream().stream)))
            } catch {
                result = .failure(error)
            }
            try? await listener.channel.close()
            _ = await accepting.result
            return try result.get()
        }
    }

    /// Runs `body` with a server that accepts connections and reads from them only if `isReading` is `true`.
    static func with<Result: Sendable>(
        isReading: Bool, _ body: @Sendable (RawServer) async throws -> Result
    ) async throws -> Result {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: isReading)
            .bind(host: "127.0.0.1", port: 0).get()
        let (closes, _) = AsyncStream<Void>.makeStream()
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(RawServer(port: listener.localAddress?.port ?? 0, closes: closes)))
        } catch {
            result = .failure(error)
        }
        try? await listener.close()
        return try result.get()
    }

    /// Waits until the client has closed a connection.
    func closed() async {
        for await _ in closes { break }
    }
}

extension NIOAsyncChannel {
    /// Keeps the wrapper until the connection is closed. NIO ends the process if the wrapper of an open connection is
    /// released unserved, as a server does with connections that arrive while it stops.
    func retained() -> Self {
        channel.closeFuture.whenComplete { _ in withExtendedLifetime(self) {} }
        return self
    }
}

/// A handler that closes TCP below TLS.
private final class CloseWithoutNotify: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        (tls ?? context).close(mode: mode, promise: promise)
    }
}
