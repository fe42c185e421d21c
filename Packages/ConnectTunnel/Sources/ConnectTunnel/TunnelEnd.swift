// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import NIOCore

/// One end of a tunnel: passes bytes, and the end of them, to the other end, which is on the same event loop. An end
/// that cannot take more stops the reading of the other one. Told to finish, by `ChannelShouldQuiesceEvent` at the
/// client's end, the tunnel ends when nothing has passed for a pause and the host has spoken last.
///
/// Isolation: that event loop.
public final class TunnelEnd: ChannelDuplexHandler {
    public typealias InboundIn = ByteBuffer
    public typealias OutboundIn = ByteBuffer
    public typealias OutboundOut = ByteBuffer

    private var peer: TunnelEnd?
    private var context: ChannelHandlerContext?
    private var wantsRead = false
    private let isClient: Bool
    /// Ends a tunnel that is to end, once it is at rest.
    private var rest: Scheduled<Void>?
    private var isLeaving = false
    /// Of the client's end: whether the client has spoken last, and may wait for the host.
    private var isAsking = false
    private let pause: TimeAmount

    private init(isClient: Bool, pause: TimeAmount) {
        self.isClient = isClient
        self.pause = pause
    }

    /// Joins two channels of bytes. Both belong to the current event loop.
    /// - Parameters:
    ///   - client: the channel to the client.
    ///   - host: the channel to the host.
    ///   - pause: the time without any bytes after which a tunnel that was told to finish ends.
    public static func join(client: any Channel, host: any Channel, pause: TimeAmount = .seconds(30)) throws {
        let (one, other) = (TunnelEnd(isClient: true, pause: pause), TunnelEnd(isClient: false, pause: pause))
        one.peer = other
        other.peer = one
        try host.pipeline.syncOperations.addHandler(other)
        try client.pipeline.syncOperations.addHandler(one)
        if !host.isActive { one.closeSoon() }
    }

    /// In the loop's next turn: NIO does not expect a channel to close inside of its own reading.
    private func closeSoon() {
        guard let channel = context?.channel else { return }
        channel.eventLoop.execute {
            // What was written before still leaves.
            channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    /// As ``closeSoon()``, but nothing is left to be said: a host that takes no more would keep the connection for
    /// ever.
    private func drop() {
        guard let channel = context?.channel else { return }
        channel.eventLoop.execute { channel.close(promise: nil) }
    }

    private func finishOutput() {
        guard let channel = context?.channel else { return }
        channel.eventLoop.execute {
            channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(mode: .output, promise: nil) }
        }
    }

    public func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    public func handlerRemoved(context: ChannelHandlerContext) {
        rest?.cancel()
        self.context = nil
        peer = nil
    }

    public func read(context: ChannelHandlerContext) {
        if peer?.context?.channel.isWritable == false {
            wantsRead = true
        } else {
            context.read()
        }
    }

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        (isClient ? self : peer)?.recordPassage(fromClient: isClient)
        peer?.context?.write(data, promise: nil)
    }

    private func recordPassage(fromClient: Bool) {
        isAsking = fromClient
        if isLeaving { leaveSoon() }
    }

    /// Ends the tunnel when nothing has passed for long. What passes is mostly encrypted: a host that has spoken last may
    /// still owe an answer, so the pause is one after which nobody waits. A client that has spoken last, or does not take
    /// what is there, is waited for.
    private func leaveSoon() {
        rest?.cancel()
        rest = nil
        guard let context, !isAsking else { return }
        let me = NIOLoopBound(self, eventLoop: context.eventLoop)
        rest = context.eventLoop.scheduleTask(in: pause) {
            let end = me.value
            guard end.context?.channel.isWritable == true else { return end.leaveSoon() }
            end.closeSoon()
        }
    }

    public func channelReadComplete(context: ChannelHandlerContext) {
        peer?.context?.flush()
    }

    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable, let peer, peer.wantsRead else { return }
        peer.wantsRead = false
        peer.context?.read()
    }

    /// To be fired as an inbound event when a decoder that left has passed on what it still had: no end of a reading
    /// follows that, which would send it.
    public struct BufferedBytesForwarded: Sendable {
        public init() {}
    }

    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is BufferedBytesForwarded { peer?.context?.flush() }
        if event is ChannelShouldQuiesceEvent, isClient {
            isLeaving = true
            leaveSoon()
        }
        if let event = event as? ChannelEvent, event == .inputClosed { peer?.finishOutput() }
    }

    public func channelInactive(context: ChannelHandlerContext) {
        if isClient { peer?.drop() } else { peer?.closeSoon() }
    }

    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
