// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// The handler of one end of a tunnel. It passes bytes, the end of the stream and resets to the other end of the
/// tunnel.
///
/// Isolation: the event loop of its channel, which both ends share.
final class TunnelEnd: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var peer: TunnelEnd?
    private var context: ChannelHandlerContext?
    private var wantsRead = false
    private var isInputEnded = false
    private var isOutputFinished = false
    private var hasFailed = false

    private init() {}

    /// Joins two channels of bytes.
    static func join(_ first: any Channel, _ second: any Channel) throws {
        let (one, other) = (TunnelEnd(), TunnelEnd())
        one.peer = other
        other.peer = one
        try second.pipeline.syncOperations.addHandler(other)
        try first.pipeline.syncOperations.addHandler(one)
        if !second.isActive { first.closeSoon() }
    }

    private func resumeReading() {
        guard wantsRead else { return }
        wantsRead = false
        context?.read()
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
        guard let peer = peer?.context else { return }
        peer.write(data, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        peer?.context?.flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { peer?.resumeReading() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as ChannelEvent where event == .inputClosed:
            isInputEnded = true
            peer?.isOutputFinished = true
            peer?.context?.channel.finishOutput()
        case is IdleStateHandler.IdleStateEvent: context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard let channel = peer?.context?.channel else { return }
        // A channel whose output has ended closes at the end of its input without an event.
        if !hasFailed, isInputEnded || isOutputFinished {
            // This channel is closed, so further data from the other end has no reader.
            channel.finishAndClose()
        } else {
            channel.reset()
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasFailed = true
        context.close(promise: nil)
    }
}
