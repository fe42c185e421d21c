// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOPosix

/// Functions that open the upstream connections of a proxy.
enum UpstreamConnector {
    /// Connects on the event loop of a client. Nothing is read until the handlers of a tunnel or an exchange enable
    /// reading.
    static func connect(
        to target: Endpoint, _ configuration: ForwardProxy.Configuration, on eventLoop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        guard let route = configuration.route else {
            return connect(directlyTo: target, configuration, on: eventLoop)
        }
        return eventLoop.makeFutureWithTask { try await route(target) }
            .flatMap { connect(directlyTo: $0, configuration, on: eventLoop) }
    }

    private static func connect(
        directlyTo endpoint: Endpoint, _ configuration: ForwardProxy.Configuration, on eventLoop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(configuration.connectTimeout))
            .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { channel.closeOnExec() } }
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: Listener.receiveBuffer)
            .connect(host: endpoint.host, port: endpoint.port)
    }
}
