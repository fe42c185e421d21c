// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// One end of a relayed connection: passes what it reads to the connection, and reads only while it may.
///
/// Isolation: its channel's event loop.
final class RelayEnd: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Whether reading has to wait.
    var isPaused = false
    private var wantsRead = false
    private var hasFailed = false
    private var context: ChannelHandlerContext?
    private var connection: RelayConnection?
    private var direction = RelayDirection.up

    /// - Parameter direction: the one that this end's peer sends in.
    func attach(to connection: RelayConnection, sending direction: RelayDirection) {
        self.connection = connection
        self.direction = direction
    }

    func resume() {
        isPaused = false
        guard wantsRead else { return }
        wantsRead = false
        context?.read()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        connection = nil
    }

    func read(context: ChannelHandlerContext) {
        if isPaused {
            wantsRead = true
        } else {
            context.read()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection?.received(unwrapInboundIn(data), direction)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        connection?.receivedAll()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            connection?.ended(direction)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection?.gone(direction, byError: hasFailed)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What it means for the other side is decided when the channel is inactive.
        hasFailed = true
        context.close(promise: nil)
    }
}
