// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP2
internal import NIOSSL

/// Asks the peer of a connection of HTTP/2 for a sign of life when it is told to, by PING (RFC 9113, section 6.7), and
/// closes the connection where none comes.
///
/// Isolation: its channel's event loop.
final class ConnectionPulse: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The outbound event that tells it to.
    struct Probe: Sendable {
        /// A connection that was heard more lately than this is asked when it has been silent for so long. An answer may take three quarters of it, so that a
        /// dead connection is gone when the request that asked is given up; but at least ``shortestWait``.
        let silence: TimeAmount
    }

    /// A round trip over a poor line.
    private static let shortestWait = TimeAmount.seconds(1)
    private var lastReceived = NIODeadline.uptimeNanoseconds(0)
    private var timer: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) {
        lastReceived = context.eventLoop.now
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastReceived = context.eventLoop.now
        timer?.cancel()
        timer = nil
        context.fireChannelRead(data)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let probe = event as? Probe else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        promise?.succeed()
        guard timer == nil else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // Who asks does so once: one that was heard lately is asked when it has been silent for so long.
        let early = probe.silence - (context.eventLoop.now - lastReceived)
        guard early <= .zero else {
            timer = context.eventLoop.scheduleTask(in: early) {
                let (pulse, context) = bound.value
                pulse.ask(context, after: probe.silence)
            }
            return
        }
        ask(context, after: probe.silence)
    }

    private func ask(_ context: ChannelHandlerContext, after silence: TimeAmount) {
        let frame = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(withInteger: 0), ack: false))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        let wait = max(.nanoseconds(silence.nanoseconds / 4 * 3), Self.shortestWait)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: wait) {
            // Below TLS, which would wait for the peer to say farewell.
            let context = bound.value
            let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
            (tls ?? context).close(promise: nil)
        }
    }
}
