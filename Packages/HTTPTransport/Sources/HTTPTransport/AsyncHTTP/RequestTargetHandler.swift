// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1

/// A handler that sends the request target in the spelling of the request.
///
/// AsyncHTTPClient forms the target from a Foundation `URL`, which escapes characters that engines send unescaped, such
/// as `|` and `[`. A signature over the URL would then fail. The transport therefore passes the target in a header
/// field before all other fields, and this handler moves it to the request head. A field of the request with the same
/// name is behind that field and stays unchanged, so that a page cannot choose the target.
///
/// Isolation: the event loop of its channel.
final class RequestTargetHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The name of the field that contains the target.
    static let field = "containerkit-request-target"

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), let first = head.headers.first, first.name == Self.field
        else { return context.write(data, promise: promise) }
        head.uri = first.value
        head.headers = HTTPHeaders(Array(head.headers.dropFirst()))
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
