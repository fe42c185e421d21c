// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// A handler that adds an origin's connections to its registry, and a ``SocketEnd`` to their pipelines.
///
/// Isolation: the event loop of its channel.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let registry: ConnectionRegistry

    init(_ registry: ConnectionRegistry) {
        self.registry = registry
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let connection = context.channel.connection
        // The first HTTP/2 stream adds its connection; later streams of the connection, on the same event loop, find
        // it.
        guard (try? connection.pipeline.syncOperations.handler(type: SocketEnd.self)) == nil else { return }
        connection.closeOnExec()
        do {
            // The first handler is nearest to the socket, below TLS.
            try connection.pipeline.syncOperations.addHandler(SocketEnd(), position: .first)
        } catch {
            context.close(promise: nil)
            return
        }
        if !registry.admit(connection) {
            connection.close(promise: nil)
        }
    }
}
