// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Facade) internal import ConnectTunnel
internal import Foundation
public import HTTPTransport
internal import NIOCore
internal import NIOPosix
internal import SystemSupport
public import WebSyntax

/// A CONNECT proxy inside the app, on loopback. It resolves names with an ``AddressResolving`` and races the addresses,
/// or connects through other proxies, and relays bytes. TLS remains between the client and the host.
///
/// Other programs on the device can reach the port, so each connection must authenticate. The credentials are new for
/// each tunnel. At most 32 connections may be unauthenticated, each for 5 s and with 4 KiB of data.
///
/// The system can close the listener, for example while an app is suspended. ``whenClosed(_:)`` reports the closure.
///
/// Isolation: any.
final class AddressTunnel: AddressTunneling {
    private static let user = "container"
    private static let rememberedFailures = 64
    private static let maxUnidentifiedPeers = 32

    /// The port on 127.0.0.1.
    let port: Int
    let username = AddressTunnel.user
    let password: String
    /// The credentials of the `Basic` authentication scheme, in base64 (RFC 7617, section 2).
    let credentials: String
    private let listener: any Channel
    private let failures: Mutex<[HostPort: any Error]>

    private init(listener: any Channel, port: Int, password: String, credentials: String) {
        self.listener = listener
        self.port = port
        self.password = password
        self.credentials = credentials
        failures = Mutex([:])
    }

    /// Starts listening.
    /// - Parameters:
    ///   - addresses: The resolver of the names of hosts without a proxy; `nil` for the system's.
    ///   - routes: The routes to all hosts, in the order in which they are tried; direct by default.
    ///   - timeout: The time limit of a connection to a host, look-ups included.
    ///   - headTimeout: The time limit for the authentication of a connection.
    static func start(
        _ addresses: (any AddressResolving)?, over routes: [ProxyRoute] = [.direct], timeout: Duration,
        headTimeout: Duration = .seconds(5)
    ) async throws -> AddressTunnel {
        let password = RandomToken.hex(byteCount: 32)
        let credentials = Data("\(user):\(password)".utf8).base64EncodedString()
        let holder = Holder()
        let unidentifiedPeers = UnidentifiedPeers(limit: maxUnidentifiedPeers)
        let limits = TunnelRequest.Limits(head: headTimeout, connect: timeout)
        // The channels do not allow half-closure. The client never closes only its output, so the end of its bytes
        // means that it has disconnected. Relaying a half-closure would leave the connection to the host open until the
        // host sends data.
        let listener = try await ServerBootstrap(group: AsyncHTTPTransport.group)
            .serverChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try channel.closeOnExec() } }
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.autoRead, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.closeOnExec()
                    let number = unidentifiedPeers.insert(channel)
                    let request = TunnelRequest(
                        credentials: credentials, addresses: addresses, routes: routes, limits: limits,
                        didIdentify: { unidentifiedPeers.remove(number) }
                    ) {
                        holder.tunnel?.record($1, of: $0)
                    }
                    do {
                        try channel.pipeline.syncOperations.addHandler(request)
                    } catch {
                        // NIO closes a connection whose initializer fails.
                        unidentifiedPeers.remove(number)
                        throw error
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        if Task.isCancelled {
            listener.close(promise: nil)
            throw CancellationError()
        }
        let tunnel = AddressTunnel(
            listener: listener, port: listener.localAddress?.port ?? 0, password: password, credentials: credentials)
        holder.tunnel = tunnel
        return tunnel
    }

    func close() {
        listener.close(promise: nil)
    }

    func whenClosed(_ body: @escaping @Sendable () -> Void) {
        listener.closeFuture.whenComplete { _ in body() }
    }

    func removeFailure(of target: HostPort) -> (any Error)? {
        failures.withLock { $0.removeValue(forKey: target) }
    }

    private func record(_ error: any Error, of target: HostPort) {
        failures.withLock { failures in
            if failures.count >= Self.rememberedFailures { failures.removeAll() }
            failures[target] = error
        }
    }

    /// A weak reference to the tunnel for accepted connections, which do not retain the tunnel.
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

extension AsyncHTTPTransport {
    /// Starts a tunnel for a transport over URLSession, whose connections have a time limit of 10 s, look-ups included;
    /// see `URLSessionTransport.Configuration.startTunnel`.
    /// - Parameter addresses: The resolver of the names of hosts.
    /// - Throws: An error of the system if no port can be opened, or `CancellationError`.
    public static func startTunnel(_ addresses: any AddressResolving) async throws -> any AddressTunneling {
        try await AddressTunnel.start(addresses, timeout: .seconds(10))
    }
}
