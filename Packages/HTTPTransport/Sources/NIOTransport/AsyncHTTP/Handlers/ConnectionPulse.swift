// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP2
internal import NIOSSL

/// A handler that probes the peer of an HTTP/2 connection with PING (RFC 9113, section 6.7) on request, and closes the
/// connection if no reply arrives.
///
/// Isolation: the event loop of its channel.
final class ConnectionPulse: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The outbound event that requests a probe.
    struct Probe: Sendable {
        /// The silence after which the PING is sent. A connection that received data more recently is probed later.
        ///
        /// The reply may take three quarters of this time, and at least ``shortestWait``, so that a dead connection
        /// is closed before the request that caused the probe times out.
        let silence: TimeAmount
    }

    /// The shortest wait for a reply: a round trip over a slow connection.
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
        // If data was received recently, the PING is sent later, when the connection has been silent for the full time.
        let early = probe.silence - (context.eventLoop.now - lastReceived)
        guard early <= .zero else {
            timer = context.eventLoop.scheduleTask(in: early) {
                let (pulse, context) = bound.value
                pulse.sendPing(context, after: probe.silence)
            }
            return
        }
        sendPing(context, after: probe.silence)
    }

    private func sendPing(_ context: ChannelHandlerContext, after silence: TimeAmount) {
        let frame = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(withInteger: 0), ack: false))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        let wait = max(.nanoseconds(silence.nanoseconds / 4 * 3), Self.shortestWait)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: wait) {
            // Closes the channel below the TLS handler, because the handler would wait for the peer's close_notify.
            let context = bound.value
            let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
            (tls ?? context).close(promise: nil)
        }
    }
}
