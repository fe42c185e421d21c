// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// One end of a tunnel: passes bytes, and the end of them, to the other end, which is on the same event loop. An end that
/// cannot take more stops the reading of the other one.
///
/// Isolation: that event loop.
final class TunnelEnd: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var peer: TunnelEnd?
    private var context: ChannelHandlerContext?
    private var wantsRead = false

    private init() {}

    /// Joins two channels of bytes.
    static func join(_ first: any Channel, _ second: any Channel) throws {
        let (one, other) = (TunnelEnd(), TunnelEnd())
        one.peer = other
        other.peer = one
        try second.pipeline.syncOperations.addHandler(other)
        try first.pipeline.syncOperations.addHandler(one)
        if !second.isActive { one.closeSoon() }
    }

    /// In the loop's next turn: NIO does not expect a channel to close inside of its own reading.
    private func closeSoon() {
        guard let channel = context?.channel else { return }
        channel.eventLoop.execute {
            // What was written before still leaves.
            channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    private func finishOutput() {
        guard let channel = context?.channel else { return }
        channel.eventLoop.execute {
            channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(mode: .output, promise: nil) }
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        peer = nil
    }

    func read(context: ChannelHandlerContext) {
        if peer?.context?.channel.isWritable == false {
            wantsRead = true
        } else {
            context.read()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        peer?.context?.write(data, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        peer?.context?.flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable, let peer, peer.wantsRead else { return }
        peer.wantsRead = false
        peer.context?.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { peer?.finishOutput() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        peer?.closeSoon()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
