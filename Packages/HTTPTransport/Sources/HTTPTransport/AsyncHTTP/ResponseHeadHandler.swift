// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOSSL
@_spi(Facade) internal import ResourceLoading
internal import WebSyntax

/// A handler that checks the response heads of an HTTP/1.1 connection before AsyncHTTPClient reads them.
///
/// After a status below 200 the client waits for another head. It terminates the process if the response ends instead,
/// and on a status below 100. This handler fails the request and closes the connection on an invalid head.
///
/// Isolation: the event loop of its channel.
final class ResponseHeadHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var heads = ResponseHeadState()
    private var isRefused = false
    /// A Boolean value that indicates whether the response has a body that ends with its connection (RFC 9112, section
    /// 6.3).
    private var isDelimitedByClose = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            do {
                if try heads.receive(status: Int(head.status.code)) == .final {
                    isDelimitedByClose = Self.isDelimitedByClose(head.headers)
                }
            } catch {
                isRefused = true
                context.fireErrorCaught(error)
                return context.close(promise: nil)
            }
        case .body: break
        case .end:
            heads = ResponseHeadState()
            isDelimitedByClose = false
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isEnd = isDelimitedByClose && error as? NIOSSLError == .uncleanShutdown
        context.fireErrorCaught(isEnd ? MissingCloseNotify() : error)
    }

    private static func isDelimitedByClose(_ headers: HTTPHeaders) -> Bool {
        if let coding = headers[canonicalForm: "transfer-encoding"].last { return coding.asciiLowercased != "chunked" }
        return !headers.contains(name: "content-length")
    }
}

/// The error of a TLS connection that ended without a close_notify alert (RFC 8446, section 6.1) during a body that
/// ends with its connection. The body may be truncated.
struct MissingCloseNotify: Error {}

/// A handler that checks the header blocks of an HTTP/2 stream before NIO's codec reads them.
///
/// The codec terminates the process on a `:status` that is empty or negative. AsyncHTTPClient terminates the process on
/// a status below 100, on 101 and on a second head. This handler fails the request and resets the stream on an invalid
/// block.
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
