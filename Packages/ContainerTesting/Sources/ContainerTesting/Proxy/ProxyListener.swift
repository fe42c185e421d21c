// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import NIOCore
internal import NIOPosix

/// The listener of a proxy and its connections.
///
/// Isolation: any.
struct ProxyListener: Sendable {
    /// The port on `127.0.0.1`.
    let port: Int
    let counts: ProxyCounts
    private let channel: any Channel
    private let registry: ConnectionRegistry

    /// The number of connections accepted.
    var connections: Int { registry.total }

    /// Starts listening.
    /// - Parameters:
    ///   - isPrivate: A Boolean value that indicates whether connections of processes other than this one and its
    ///     descendants are reset.
    ///   - install: A closure that adds the handlers of a connection to its channel, on its event loop.
    /// - Throws: ``ContainerTestingError`` with code `portInUse` or `cannotListen`.
    static func start(
        port: Int, isPrivate: Bool = false, install: @escaping @Sendable (any Channel, ProxyCounts) throws -> Void
    ) async throws -> ProxyListener {
        let registry = ConnectionRegistry()
        let counts = ProxyCounts()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.so_rcvbuf), value: Listener.receiveBuffer)
            .childChannelInitializer { channel in
                channel.closeOnExec()
                let admission = isPrivate ? OwnProcesses.admit(channel) : channel.eventLoop.makeSucceededFuture(true)
                return admission.flatMapThrowing { isAdmitted in
                    guard isAdmitted, registry.admit(channel) else { return channel.reset() }
                    try install(channel, counts)
                }
            }
        let (channel, port) = try await Listener.bind(bootstrap, port: port)
        return ProxyListener(port: port, counts: counts, channel: channel, registry: registry)
    }

    /// Closes the port and all connections. Returns when they are closed.
    func stop() async {
        try? await channel.close()
        await registry.closeAll { $0.close(promise: nil) }
    }
}

/// The counters of all connections of a proxy.
///
/// Isolation: any.
final class ProxyCounts: Sendable {
    private let refused = Atomic(0)

    /// The number of requests or connections with missing or wrong credentials.
    var refusals: Int { refused.load() }

    func countRefusal() {
        refused.add(1)
    }
}
