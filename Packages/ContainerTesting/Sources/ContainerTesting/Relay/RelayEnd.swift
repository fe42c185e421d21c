// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// A handler at one end of a relayed connection. It passes the bytes that it reads to the connection, and does not read
/// while it is paused.
///
/// Isolation: the event loop of its channel.
final class RelayEnd: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A Boolean value that indicates whether reading is paused.
    var isPaused = false
    private var wantsRead = false
    private var hasFailed = false
    private var context: ChannelHandlerContext?
    private var connection: RelayConnection?
    private var direction = RelayDirection.up

    /// Connects the handler with its connection.
    /// - Parameter direction: The direction of the bytes that this end reads.
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
        connection?.senderDidClose(direction, byError: hasFailed)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The effect on the other side is decided when the channel becomes inactive.
        hasFailed = true
        context.close(promise: nil)
    }
}
