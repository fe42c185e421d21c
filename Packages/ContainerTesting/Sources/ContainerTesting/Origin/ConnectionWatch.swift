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
        let connection = context.channel.connection
        // Of the streams of HTTP/2 the first brings its connection in; they share an event loop.
        guard (try? connection.pipeline.syncOperations.handler(type: SocketEnd.self)) == nil else { return }
        do {
            // First in the pipeline is nearest to the socket: below TLS.
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
