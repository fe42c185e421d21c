// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore
import NIOPosix

typealias TCPChannel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

/// Runs `body` with a server that calls `handler` for each connection.
func withTCPServer<Result: Sendable>(
    _ handler: @escaping @Sendable (TCPChannel) async throws -> Void,
    _ body: @Sendable (Int) async throws -> Result
) async throws -> Result {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .bind(host: "127.0.0.1", port: 0) { channel in
            channel.eventLoop.makeCompletedFuture { try wrap(channel) }
        }
    let port = server.channel.localAddress?.port ?? 0
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            try? await server.executeThenClose { connections in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await connection in connections {
                        group.addTask { try? await handler(connection) }
                    }
                }
            }
        }
        defer { group.cancelAll() }
        return try await body(port)
    }
}

/// Sends all received bytes back, and then closes the output.
@Sendable func echo(_ channel: TCPChannel) async throws {
    try await channel.executeThenClose { inbound, outbound in
        for try await buffer in inbound { try await outbound.write(buffer) }
        outbound.finish()
    }
}

/// Opens a connection to a port of this machine.
func connect(to port: Int) async throws -> TCPChannel {
    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelOption(.allowRemoteHalfClosure, value: true)
        .connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture { try wrap(channel) }
        }
}

/// Sends text, and returns the text received until the end.
func exchange(_ text: String, with port: Int) async throws -> String {
    try await connect(to: port).executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(string: text))
        var answer = ByteBuffer()
        for try await buffer in inbound { answer.writeImmutableBuffer(buffer) }
        return String(buffer: answer)
    }
}

/// Returns bytes in which every lost or moved part is detectable.
func pattern(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(state >> 24)
    }
}

/// Wraps a connection, and keeps the wrapper until the connection is closed. NIO ends the process if the wrapper of an
/// open connection is released unserved, as a server does with connections that arrive while it stops.
private func wrap(_ channel: any Channel) throws -> TCPChannel {
    let wrapped = try TCPChannel(
        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    channel.closeFuture.whenComplete { _ in withExtendedLifetime(wrapped) {} }
    return wrapped
}
