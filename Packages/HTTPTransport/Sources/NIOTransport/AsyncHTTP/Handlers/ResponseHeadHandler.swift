// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTransport
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOSSL
@_spi(Facade) internal import ResourceLoading
internal import WebSyntax

/// A handler that replaces the minimal heads from NIO's decoder by the heads that ``ResponseHeadReader`` has read, on
/// an HTTP/1.1 connection.
///
/// Isolation: the event loop of its channel.
final class ResponseHeadHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let reader: ResponseHeadReader
    /// A Boolean value that indicates whether the response has a body that ends with its connection (RFC 9112, section
    /// 6.3).
    private var isDelimitedByClose = false

    init(_ reader: ResponseHeadReader) {
        self.reader = reader
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) { reader.expectResponse(to: head.method) }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            guard let head = reader.takeHead() else { return context.close(promise: nil) }
            isDelimitedByClose = head.framing == .close
            context.fireChannelRead(wrapInboundOut(.head(HTTPResponseHead(head))))
        case .body: context.fireChannelRead(data)
        case .end:
            isDelimitedByClose = false
            reader.endResponse()
            context.fireChannelRead(data)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isEnd = isDelimitedByClose && error as? NIOSSLError == .uncleanShutdown
        context.fireErrorCaught(isEnd ? UnconfirmedResponseEnd() : error)
    }
}

extension HTTPResponseHead {
    fileprivate init(_ head: ReceivedResponseHead) {
        var headers = HTTPHeaders()
        headers.reserveCapacity(head.fields.count + 1)
        for field in head.fields { headers.add(name: field.name, value: field.value) }
        // AsyncHTTPClient then closes the connection after the response.
        if head.isAmbiguous { headers.replaceOrAdd(name: "connection", value: "close") }
        self.init(
            version: HTTPVersion(major: 1, minor: head.minorVersion),
            status: .custom(code: UInt(head.status), reasonPhrase: head.reason), headers: headers)
    }
}

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
