// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP2

/// Gives streams that a GOAWAY has ended the reason `REFUSED_STREAM`: those above its last stream identifier were not
/// processed (RFC 9113, section 6.8). NIOHTTP2 1.x reports them as `CANCEL`, as if the host had reset them.
///
/// Isolation: its channel's event loop.
final class GoAwayHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    private var lastStream: HTTP2StreamID?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .goAway(let last, _, _) = unwrapInboundIn(data).payload { lastStream = last }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
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
