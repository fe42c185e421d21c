// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import ResourceLoading

/// Checks the response heads of an HTTP/1.1 connection before AsyncHTTPClient reads them.
///
/// The client waits for another head after a status below 200, and ends the process if the response ends instead, as it
/// does after a status below 100. An invalid head fails the request and closes the connection here.
///
/// Isolation: the event loop of its channel.
final class ResponseHeadHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var heads = ResponseHeadState()
    private var isRefused = false
    /// A Boolean value that indicates whether a body is arriving that ends with its connection (RFC 9112, section 6.3).
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
        if let coding = headers[canonicalForm: "transfer-encoding"].last { return coding.lowercased() != "chunked" }
        return !headers.contains(name: "content-length")
    }
}

/// The end of a body that HTTP delimits by the end of its connection, where TLS ended without a close_notify alert
/// (RFC 8446, section 6.1), so that the body may have been cut off.
struct MissingCloseNotify: Error {}
