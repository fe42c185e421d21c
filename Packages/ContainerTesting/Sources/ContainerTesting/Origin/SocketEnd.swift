// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// Ends an origin's connection below TLS and HTTP, when it is told so by an outbound ``Command``.
///
/// Isolation: its channel's event loop.
final class SocketEnd: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How to end a connection.
    enum Command: Sendable {
        /// Reset, after everything written so far has gone.
        case reset
        /// Close, after everything written so far has gone.
        case cut
        /// Close now.
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
