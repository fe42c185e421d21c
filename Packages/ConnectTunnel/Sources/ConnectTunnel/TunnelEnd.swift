// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import NIOCore

/// One end of a tunnel.
///
/// It forwards bytes and the end of input to the other end, which is on the same event loop. An end that is not
/// writable pauses reading at the other end. After `ChannelShouldQuiesceEvent` at the client's end, the tunnel closes
/// when no bytes have passed for a pause and the last bytes came from the host.
///
/// Isolation: the event loop of both ends.
@_spi(Facade) public final class TunnelEnd: ChannelDuplexHandler {
    /// The bytes of this end.
    public typealias InboundIn = ByteBuffer
    /// The bytes of the other end.
    public typealias OutboundIn = ByteBuffer
    /// The bytes for the channel of this end.
    public typealias OutboundOut = ByteBuffer

    private var peer: TunnelEnd?
    private var context: ChannelHandlerContext?
    private var wantsRead = false
    private let isClient: Bool
    /// The task that closes a quiescing tunnel after a pause.
    private var rest: Scheduled<Void>?
    private var isClosing = false
    /// A Boolean value that indicates whether the last bytes came from the client, which may then wait for a response.
    /// Only the client's end uses it.
    private var isAwaitingHost = false
    private let pause: TimeAmount

    private init(isClient: Bool, pause: TimeAmount) {
        self.isClient = isClient
        self.pause = pause
    }

    /// Connects two channels, which both belong to the current event loop.
    /// - Parameters:
    ///   - client: The channel to the client.
    ///   - host: The channel to the host.
    ///   - pause: The time without bytes after which a quiescing tunnel closes.
    public static func join(client: any Channel, host: any Channel, pause: TimeAmount = .seconds(30)) throws {
        let (one, other) = (TunnelEnd(isClient: true, pause: pause), TunnelEnd(isClient: false, pause: pause))
        one.peer = other
        other.peer = one
        try host.pipeline.syncOperations.addHandler(other)
        try client.pipeline.syncOperations.addHandler(one)
        if !host.isActive { one.closeSoon() }
    }

    /// Closes the channel in the next turn of the event loop, because NIO does not support closing during a read.
    private func closeSoon() {
        guard let channel = context?.channel else { return }
        channel.eventLoop.execute {
            // Flushes the bytes that were written before.
            channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    /// Closes the channel like ``closeSoon()``, but without flushing. A host that reads nothing would otherwise keep
    /// the connection open forever.
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

    /// Prepares the handler; called by SwiftNIO.
    public func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    /// Releases the handler; called by SwiftNIO.
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
        isAwaitingHost = fromClient
        if isClosing { closeWhenIdle() }
    }

    /// Closes the tunnel after a pause without bytes. The content is usually encrypted, so it does not show whether the
    /// host has finished its response. The pause is therefore longer than a client waits. The tunnel stays open if the
    /// last bytes came from the client, or if the client does not read available bytes.
    private func closeWhenIdle() {
        rest?.cancel()
        rest = nil
        guard let context, !isAwaitingHost else { return }
        let me = NIOLoopBound(self, eventLoop: context.eventLoop)
        rest = context.eventLoop.scheduleTask(in: pause) {
            let end = me.value
            guard end.context?.channel.isWritable == true else { return end.closeWhenIdle() }
            end.closeSoon()
        }
    }

    /// Flushes the bytes that were forwarded; called by SwiftNIO.
    public func channelReadComplete(context: ChannelHandlerContext) {
        peer?.context?.flush()
    }

    /// Resumes or pauses reads of the other end; called by SwiftNIO.
    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable, let peer, peer.wantsRead else { return }
        peer.wantsRead = false
        peer.context?.read()
    }

    /// The inbound event of ``flushForwardedBytes(in:)``.
    private struct BufferedBytesForwarded: Sendable {}

    /// Flushes the buffered bytes that a removed decoder has forwarded. After the removal, no `channelReadComplete`
    /// follows to flush them.
    /// - Parameter pipeline: The pipeline of one end of a tunnel.
    public static func flushForwardedBytes(in pipeline: ChannelPipeline.SynchronousOperations) {
        pipeline.fireUserInboundEventTriggered(BufferedBytesForwarded())
    }

    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is BufferedBytesForwarded { peer?.context?.flush() }
        if event is ChannelShouldQuiesceEvent, isClient {
            isClosing = true
            closeWhenIdle()
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
