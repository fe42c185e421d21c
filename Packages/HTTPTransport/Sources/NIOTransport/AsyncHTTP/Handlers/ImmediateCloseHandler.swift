// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOSSL

/// A handler that closes a TLS connection as soon as its close_notify has been sent, so that a cancelled request ends
/// at the server immediately. RFC 8446, section 6.1, does not require a wait for the peer's close_notify.
///
/// Isolation: the event loop of its channel.
final class ImmediateCloseHandler: ChannelOutboundHandler {
    typealias OutboundIn = any Sendable

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.close(mode: mode, promise: promise)
        guard mode == .all else { return }
        // Closes the channel below the TLS handler, because the handler would wait for the peer.
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
        tls?.close(promise: nil)
    }
}
