// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1

/// The upstream side of one exchange. It forwards the parts of the response, with back-pressure from the client.
///
/// Isolation: the event loop of its channel, which the client connection shares.
final class ProxyUpstream: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The client connection; `nil` after the end of the exchange.
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

    /// Removes the link to the client connection.
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
        // The call is made in the next turn of the event loop, because it may close the client channel while that
        // channel reads.
        context.eventLoop.assumeIsolated().execute {
            self.client?.upstreamLost(self, byReset: self.isReset)
        }
    }
}
