// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// A handler that ends an origin's connection below TLS and HTTP on an outbound ``Command``.
///
/// Isolation: the event loop of its channel.
final class SocketEnd: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The ways to end a connection.
    enum Command: Sendable {
        /// Reset the connection after all earlier writes were sent.
        case reset
        /// Close the connection after all earlier writes were sent.
        case cut
        /// Close the connection immediately.
        case drop
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let command = event as? Command else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        let channel = context.channel
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        switch command {
        case .drop:
            context.close(promise: promise)
        case .cut:
            context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
                bound.value.close(promise: promise)
            }
        case .reset:
            context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
                channel.resetOnClose()
                bound.value.close(promise: promise)
            }
        }
    }
}
