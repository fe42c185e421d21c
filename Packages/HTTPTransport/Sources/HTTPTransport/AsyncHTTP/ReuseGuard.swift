// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1

/// Keeps requests that are not idempotent off an HTTP/1.1 connection that has carried a request before: if its peer has
/// just closed it, nobody can know whether such a request was processed (RFC 9110, section 9.2.2).
///
/// The request fails with ``Rejection`` before a byte of it is sent, and its connection is closed.
/// Isolation: its channel's event loop.
final class ReuseGuard: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// A request needs a new connection, and none of it was sent.
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
