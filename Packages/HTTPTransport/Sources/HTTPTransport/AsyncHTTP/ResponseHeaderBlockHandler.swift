// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import ResourceLoading

/// Checks the header blocks of an HTTP/2 stream before the codec of NIO reads them.
///
/// The codec ends the process on a `:status` that is empty or negative, and AsyncHTTPClient on one below 100, on 101 and on
/// a second head. An invalid block fails the request here and resets the stream.
///
/// Isolation: the event loop of its channel.
final class ResponseHeaderBlockHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    private var heads = ResponseHeadState()
    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if case .headers(let block) = unwrapInboundIn(data) {
            do {
                try heads.receive(statusFields: block.headers[":status"], endsMessage: block.endStream)
            } catch {
                isRefused = true
                context.fireErrorCaught(error)
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }
}
