// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOSSL

/// Closes a TLS connection as soon as close_notify is sent, instead of waiting for that of the peer, which RFC 8446,
/// section 6.1 does not ask for. A request that is cancelled thereby ends at the server at once.
///
/// Isolation: the event loop of its channel.
final class ImmediateCloseHandler: ChannelOutboundHandler {
    typealias OutboundIn = any Sendable

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.close(mode: mode, promise: promise)
        guard mode == .all else { return }
        // Below TLS: its own close waits for the peer.
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
        tls?.close(promise: nil)
    }
}
