// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore
import NIOPosix

/// A TCP client that sends raw bytes and may close only its output.
enum RawClient {
    static func connect(to port: Int) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(
                            isOutboundHalfClosureEnabled: true, inboundType: ByteBuffer.self,
                            outboundType: ByteBuffer.self))
                }
            }
    }
}
