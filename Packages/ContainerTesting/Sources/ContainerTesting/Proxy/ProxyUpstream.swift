// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1

/// The server's side of one exchange: passes the answer's parts on, as fast as the client takes them.
///
/// Isolation: its channel's event loop, which is the client connection's too.
final class ProxyUpstream: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// `nil` once the exchange is over: nothing is passed on after that.
    private var client: ProxyConnection?
    private var context: ChannelHandlerContext?
    private var wantsRead = false
    private var isReset = false

    init(_ client: ProxyConnection) {
        self.client = client
    }

    func install(on channel: any Channel) throws {
        var framing = HTTPRequestEncoder.Configuration()
        framing.automaticallySetFramingHeaders = false
        try channel.pipeline.syncOperations.addHandlers([
            HTTPRequestEncoder(configuration: framing),
            ByteToMessageHandler(
                HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward)),
            self,
        ])
    }

    /// Ends the link to the client's connection.
    func abandon() {
        client = nil
    }

    func resumeReading() {
        guard wantsRead else { return }
        wantsRead = false
        context?.read()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func read(context: ChannelHandlerContext) {
        if client?.isClientWritable == false {
            wantsRead = true
        } else {
            context.read()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): client?.responded(head)
        case .body(let buffer): client?.responded(buffer)
        case .end: client?.respondedAll()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        client?.flush()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { client?.upstreamIsWritable() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isReset = isReset || error is IOError
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Later, because the client's channel may be in the middle of a read (see `Channel.reset()`).
        context.eventLoop.assumeIsolated().execute {
            self.client?.upstreamLost(self, byReset: self.isReset)
        }
    }
}
