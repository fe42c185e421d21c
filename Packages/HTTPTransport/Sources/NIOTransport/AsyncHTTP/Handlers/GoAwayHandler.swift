// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP2

/// A handler that reports streams that a GOAWAY has ended as `REFUSED_STREAM`. The host has not processed the streams
/// above the last stream identifier of the GOAWAY (RFC 9113, section 6.8). NIOHTTP2 1.x reports these streams as
/// `CANCEL`, as if the host had reset them.
///
/// The handler also closes a connection without streams when it receives a GOAWAY. AsyncHTTPClient closes a connection
/// only when its last stream ends. Without streams it waits for the host, even during shutdown.
///
/// Isolation: the event loop of its channel.
final class GoAwayHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    private var lastStream: HTTP2StreamID?
    private var openStreams = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .goAway(let last, _, _) = unwrapInboundIn(data).payload else { return context.fireChannelRead(data) }
        // A later GOAWAY must not raise the identifier.
        lastStream = min(last, lastStream ?? last)
        let isIdle = openStreams <= 0
        context.fireChannelRead(data)
        if isIdle { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is NIOHTTP2StreamCreatedEvent { openStreams += 1 }
        if event is StreamClosedEvent { openStreams -= 1 }
        if let lastStream, let closed = event as? StreamClosedEvent, closed.reason == .cancel,
            closed.streamID > lastStream
        {
            context.fireUserInboundEventTriggered(
                StreamClosedEvent(streamID: closed.streamID, reason: .refusedStream))
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }
}
