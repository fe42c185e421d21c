// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// Takes an origin's connections into its registry, and puts a ``SocketEnd`` at their sockets.
///
/// Isolation: its channel's event loop.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let registry: ConnectionRegistry

    init(_ registry: ConnectionRegistry) {
        self.registry = registry
    }

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            // First in the pipeline is nearest to the socket: below TLS.
            try context.pipeline.syncOperations.addHandler(SocketEnd(), position: .first)
        } catch {
            context.close(promise: nil)
            return
        }
        if !registry.admit(context.channel) {
            context.close(promise: nil)
        }
    }
}
