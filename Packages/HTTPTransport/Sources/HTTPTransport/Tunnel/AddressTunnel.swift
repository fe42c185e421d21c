// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Facade) internal import ConnectTunnel
internal import NIOCore
internal import NIOPosix
internal import ResourceLoading
internal import SystemSupport

/// A CONNECT proxy inside of the app, on loopback: it looks names up by an ``AddressResolving``, races the addresses and
/// passes bytes. TLS stays with the client on one side and the host on the other.
///
/// Other programs of the device can reach the port, so it answers to who knows the credentials alone; they are made anew
/// for each tunnel. At most 32 connections may be there that have not said who they are, each for 5 s and with 4 KiB.
///
/// A system may take the listener away, as phones do from apps that rest: ``whenClosed(_:)`` tells.
/// Isolation: any.
final class AddressTunnel: Sendable {
    private static let rememberedFailures = 64
    private static let maxUnidentifiedPeers = 32

    /// Where it listens on 127.0.0.1.
    let port: Int
    /// What a client says after `Basic`.
    let credentials: String
    private let listener: any Channel
    private let failures: Mutex<[HostPort: any Error]>

    private init(listener: any Channel, port: Int, credentials: String) {
        self.listener = listener
        self.port = port
        self.credentials = credentials
        failures = Mutex([:])
    }

    /// Begins to listen.
    /// - Parameters:
    ///   - timeout: the longest that a look-up, and then a connection, may take.
    ///   - headTimeout: how long a connection may take to say who it is.
    static func start(
        _ addresses: any AddressResolving, timeout: Duration, headTimeout: Duration = .seconds(5)
    ) async throws -> AddressTunnel {
        let credentials = RandomToken.hex(byteCount: 32)
        let holder = Holder()
        let unidentifiedPeers = UnidentifiedPeers(limit: maxUnidentifiedPeers)
        let limits = TunnelRequest.Limits(head: headTimeout, connect: timeout)
        // No half-closure on this side: the client is ours and never ends its output alone, so the end of its bytes says
        // that it is gone. Passed on as half a closure it would leave the host's connection open until the host speaks.
        let listener = try await ServerBootstrap(group: AsyncHTTPTransport.group)
            .serverChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try channel.closeOnExec() } }
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.autoRead, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.closeOnExec()
                    let number = unidentifiedPeers.enter(channel)
                    let request = TunnelRequest(
                        credentials: credentials, addresses: addresses, limits: limits,
                        becameKnown: { unidentifiedPeers.leave(number) }
                    ) {
                        holder.tunnel?.record($1, of: $0)
                    }
                    do {
                        try channel.pipeline.syncOperations.addHandler(request)
                    } catch {
                        // Such a connection is closed.
                        unidentifiedPeers.leave(number)
                        throw error
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        if Task.isCancelled {
            listener.close(promise: nil)
            throw CancellationError()
        }
        let tunnel = AddressTunnel(listener: listener, port: listener.localAddress?.port ?? 0, credentials: credentials)
        holder.tunnel = tunnel
        return tunnel
    }

    /// Takes no more connections. Those that are open end with their clients.
    func close() {
        listener.close(promise: nil)
    }

    /// Calls when it takes no more connections, whoever has ended that; at once where that was before.
    func whenClosed(_ body: @escaping @Sendable () -> Void) {
        listener.closeFuture.whenComplete { _ in body() }
    }

    /// Why a target could not be reached lately: the client is told no more than that.
    func removeFailure(of target: HostPort) -> (any Error)? {
        failures.withLock { $0.removeValue(forKey: target) }
    }

    private func record(_ error: any Error, of target: HostPort) {
        failures.withLock { failures in
            if failures.count >= Self.rememberedFailures { failures.removeAll() }
            failures[target] = error
        }
    }

    /// The tunnel, for the connections that it accepts, which do not keep it.
    private final class Holder: Sendable {
        private struct Reference: Sendable {
            weak var tunnel: AddressTunnel?
        }

        private let reference = Mutex(Reference())

        var tunnel: AddressTunnel? {
            get { reference.withLock { $0.tunnel } }
            set { reference.withLock { $0.tunnel = newValue } }
        }
    }
}
