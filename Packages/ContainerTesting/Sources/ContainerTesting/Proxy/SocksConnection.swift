// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOPosix

/// A client connection of a SOCKS5 proxy, up to the tunnel.
///
/// Isolation: the event loop of the client channel, which the upstream channel shares.
final class SocksConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case greeting
        case credentials
        case request
        case connecting
        /// The connection is a tunnel.
        case tunnelling
        case closed
    }

    private let configuration: ForwardProxy.Configuration
    private let counts: ProxyCounts
    private var state = State.greeting
    private var received = ByteBuffer()

    init(configuration: ForwardProxy.Configuration, counts: ProxyCounts) {
        self.configuration = configuration
        self.counts = counts
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .tunnelling = state {
            context.fireChannelRead(data)
            return
        }
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        do {
            while try handleMessage(context) {}
        } catch {
            end(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .tunnelling = state else {
            // Before the tunnel, a client that closes its output or is idle is disconnected.
            if event as? ChannelEvent == .inputClosed || event is IdleStateHandler.IdleStateEvent {
                context.close(promise: nil)
            }
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        state = .closed
        context.fireChannelInactive()
    }

    /// Handles one message. Returns `false` if no complete message is available or none is expected.
    private func handleMessage(_ context: ChannelHandlerContext) throws -> Bool {
        switch state {
        case .greeting:
            guard let methods = try SocksMessage.methods(in: &received) else { return false }
            let method: UInt8 = configuration.credentials == nil ? 0 : 2
            guard methods.contains(method) else {
                counts.countRefusal()
                send([5, 0xFF], context)
                end(context)
                return false
            }
            send([5, method], context)
            state = method == 2 ? .credentials : .request
        case .credentials:
            guard let credentials = try SocksMessage.credentials(in: &received) else { return false }
            guard credentials == configuration.credentials else {
                counts.countRefusal()
                send([1, 1], context)
                end(context)
                return false
            }
            send([1, 0], context)
            state = .request
        case .request:
            guard let target = try SocksMessage.target(in: &received) else { return false }
            state = .connecting
            connect(to: target, context)
        case .connecting, .tunnelling, .closed: return false
        }
        return true
    }

    private func connect(to target: Endpoint, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let client = context.channel
        // Nothing more is read before the tunnel is in place.
        client.setOption(.autoRead, value: false)
            .flatMap { [configuration, loop = context.eventLoop] in
                UpstreamConnector.connect(to: target, configuration, on: loop)
            }
            .whenComplete { result in
                let (connection, context) = bound.value
                guard case .connecting = connection.state else {
                    if case .success(let upstream) = result { upstream.close(promise: nil) }
                    return
                }
                switch result {
                case .success(let upstream): connection.openTunnel(to: upstream, context)
                case .failure:
                    // RFC 1928, section 6: a general failure.
                    connection.send([5, 1, 0, 1, 0, 0, 0, 0, 0, 0], context)
                    connection.end(context)
                }
            }
    }

    private func openTunnel(to upstream: any Channel, _ context: ChannelHandlerContext) {
        send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0], context)
        state = .tunnelling
        let client = context.channel
        do {
            try TunnelEnd.join(client, upstream)
        } catch {
            upstream.close(promise: nil)
            client.close(promise: nil)
            return
        }
        if received.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(received))
            context.fireChannelReadComplete()
        }
        context.pipeline.syncOperations.removeHandler(self).whenComplete { _ in
            upstream.setOption(.autoRead, value: true).whenComplete { _ in }
            client.setOption(.autoRead, value: true).whenComplete { _ in }
        }
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    /// Closes the connection after all earlier writes were sent.
    private func end(_ context: ChannelHandlerContext) {
        state = .closed
        context.channel.finishAndClose()
    }
}
