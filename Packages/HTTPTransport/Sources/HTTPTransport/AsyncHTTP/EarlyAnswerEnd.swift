// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1

/// Lets an answer end that refuses its request before that is out. AsyncHTTPClient sends no more of the request then, but
/// takes the answer's end for the end of the exchange only where bytes come with it: an empty piece goes before it here.
///
/// Isolation: its channel's event loop.
final class EarlyAnswerEnd: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let isStream: Bool
    private var isSending = false
    private var isRefused = false

    /// - Parameter isStream: whether the channel is a stream of HTTP/2. The client leaves it open for the rest of the request,
    ///   which does not come; a connection of HTTP/1.1 it closes.
    init(isStream: Bool) {
        self.isStream = isStream
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head:
            isSending = true
            isRefused = false
        case .body: break
        case .end: isSending = false
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isRefused = isSending && head.status.code >= 300
            context.fireChannelRead(data)
        case .body: context.fireChannelRead(data)
        case .end:
            if isRefused { context.fireChannelRead(wrapInboundOut(.body(ByteBuffer()))) }
            context.fireChannelRead(data)
            if isRefused, isStream { context.close(promise: nil) }
        }
    }
}
