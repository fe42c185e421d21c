// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1

/// A handler that rejects requests that are not idempotent if their HTTP/1.1 connection has already carried a request.
/// If the peer has just closed the connection, the client cannot know whether the request was processed (RFC 9110,
/// section 9.2.2).
///
/// The request fails with ``Rejection`` before a byte of it is sent, and its connection is closed.
///
/// Isolation: the event loop of its channel.
final class ReuseGuard: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The error of a request that needs a new connection. No byte of the request was sent.
    struct Rejection: Error {}

    private var isUsed = false
    private var isRejecting = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            if isUsed, !Repetition.isIdempotent(head.method.rawValue) {
                isRejecting = true
                promise?.fail(Rejection())
                context.fireErrorCaught(Rejection())
                return
            }
            isUsed = true
        }
        if isRejecting {
            promise?.fail(Rejection())
        } else {
            context.write(data, promise: promise)
        }
    }
}
