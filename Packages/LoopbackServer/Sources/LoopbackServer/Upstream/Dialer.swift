// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Facade) internal import ConnectTunnel
internal import NIOCore
internal import NIOExtras
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import ResourceLoading
internal import WebSyntax

/// A closure that returns the certificates (X.509, DER) that are trusted for a host in addition to those of the system.
///
/// The host is a name or an address in lower case, an IPv6 address without brackets. The closure is called on an event
/// loop and must not block.
public typealias TrustedCertificates = @Sendable (_ host: String) -> [[UInt8]]

/// Connects to hosts for tunnels and for connections that upgrade to another protocol. Other requests use the loader,
/// which has its own transport.
///
/// Isolation: any.
final class Dialer: Sendable {
    private let proxy: HostPort?
    private let timeout: Duration
    private let trusted: TrustedCertificates
    private let resolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)?
    private let ownPort = Mutex<Int?>(nil)

    /// Creates a dialer.
    /// - Parameters:
    ///   - proxy: Another proxy to connect through.
    ///   - timeout: The time limit for a connection.
    ///   - trusted: The certificates that are trusted in addition to those of the system.
    ///   - resolver: A closure that creates the resolver of names; `nil` for the system's. `localhost` and the names
    ///     below it are not resolved.
    init(
        proxy: HostPort?, timeout: Duration, trusted: @escaping TrustedCertificates = { _ in [] },
        resolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)? = nil
    ) {
        self.proxy = proxy
        self.timeout = timeout
        self.trusted = trusted
        self.resolver = resolver
    }

    /// Sets the loopback port of this server. Connections to it would form a loop and are refused.
    func setOwnPort(_ port: Int?) {
        ownPort.withLock { $0 = port }
    }

    /// Connects to a host. Nothing is read from the connection until its `autoRead` option is set.
    ///
    /// Names below `invalid` are neither resolved nor sent to the other proxy.
    /// - Returns: A future channel of bytes on `eventLoop` that fails with `ResourceError`.
    func connect(to target: HostPort, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        guard !target.isInvalidName else {
            return eventLoop.makeFailedFuture(
                ResourceError(.unknownHost, "no host has this name (RFC 6761, section 6.4)", at: "\(target)"))
        }
        let hop = proxy ?? target
        let bootstrap = ClientBootstrap(group: eventLoop)
            .resolver(LocalhostResolver(hop, on: eventLoop) ?? resolver?(eventLoop))
            .connectTimeout(TimeAmount(timeout))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.closeOnExec()
                    channel.enableKeepAlive()
                }
            }
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: false)
        return bootstrap.connect(host: hop.host, port: hop.port).flatMap { channel in
            self.checked(channel, to: target).flatMapError { error in
                channel.close(promise: nil)
                return eventLoop.makeFailedFuture(error)
            }
        }.flatMapErrorThrowing { throw Self.error($0, to: target) }
    }

    /// Adds TLS to a connection and verifies the certificate chain. The caller must check the host name with
    /// ``HostIdentity`` before it sends data.
    /// - Throws: `NIOSSLError` or `ChannelError`, for example if a trusted certificate is not valid DER.
    func secure(_ channel: any Channel, to target: HostPort) throws {
        let isAddress = HostIdentity.bytes(ofAddress: target.host) != nil
        let handler = try NIOSSLClientHandler(
            context: NIOSSLContext(configuration: settings(for: target.host)),
            serverHostname: isAddress ? nil : target.host)
        try channel.endWhole()
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    private func settings(for host: String) throws -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        // RFC 8996: earlier versions must not be used.
        tls.minimumTLSVersion = .tlsv12
        let certificates = try trusted(host).map { try NIOSSLCertificate(bytes: $0, format: .der) }
        if !certificates.isEmpty { tls.additionalTrustRoots = [.certificates(certificates)] }
        // `HostIdentity` checks the host name.
        tls.certificateVerification = .noHostnameVerification
        // Upgrades exist only in HTTP/1.1.
        tls.applicationProtocols = ["http/1.1"]
        return tls
    }

    private func checked(_ channel: any Channel, to target: HostPort) -> EventLoopFuture<any Channel> {
        if let address = channel.remoteAddress, Self.isLoopback(address), address.port == ownPort.withLock({ $0 }) {
            return channel.eventLoop.makeFailedFuture(
                LoopbackError(.loop, "the connection would lead to the proxy itself", at: "\(target)"))
        }
        return proxy == nil ? channel.eventLoop.makeSucceededFuture(channel) : connectThroughProxy(channel, for: target)
    }

    private func connectThroughProxy(_ channel: any Channel, for target: HostPort) -> EventLoopFuture<any Channel> {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
        let connectHandler = NIOHTTP1ProxyConnectHandler(
            targetHost: target.isIPv6 ? "[\(target.host)]" : target.host, targetPort: target.port, headers: [:],
            deadline: .now() + TimeAmount(timeout), promise: promise)
        let pipeline = channel.pipeline.syncOperations
        do {
            try pipeline.addHandlers([encoder, decoder, connectHandler])
        } catch {
            promise.fail(error)
        }
        channel.setOption(.autoRead, value: true).cascadeFailure(to: promise)
        let handlers = NIOLoopBound((pipeline, encoder, decoder), eventLoop: channel.eventLoop)
        return promise.futureResult.flatMap { channel.setOption(.autoRead, value: false) }.flatMap {
            let (pipeline, encoder, decoder) = handlers.value
            pipeline.removeHandler(encoder, promise: nil)
            return pipeline.removeHandler(decoder)
        }.map { channel }
    }

    private static func isLoopback(_ address: SocketAddress) -> Bool {
        switch address {
        case .v4: address.ipAddress?.hasPrefix("127.") == true || address.ipAddress == "0.0.0.0"
        case .v6: ["::1", "::", "::ffff:127.0.0.1"].contains(address.ipAddress ?? "")
        default: false
        }
    }

    private static func error(_ error: any Error, to target: HostPort) -> ResourceError {
        let place = "\(target)"
        return switch error {
        case let error as LoopbackError:
            ResourceError(.blocked, error.message, at: place, cause: error)
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            ResourceError(.unknownHost, "the host name has no address", at: place, cause: error)
        case ChannelError.connectTimeout:
            ResourceError(.timedOut, "connecting to the host timed out", at: place, cause: error)
        case let error as NIOHTTP1ProxyConnectHandler.Error:
            ResourceError(.cannotConnect, "the proxy cannot connect to the host", at: place, cause: error)
        default:
            ResourceError(.cannotConnect, "cannot connect to the host", at: place, cause: error)
        }
    }
}

extension HostPort {
    /// A Boolean value that indicates whether the host is a name that never exists (RFC 6761, section 6.4).
    fileprivate var isInvalidName: Bool {
        host.split(separator: ".").last == "invalid"
    }
}

/// A NIO resolver that returns the loopback addresses for `localhost` and the names below it.
private final class LocalhostResolver: Resolver, Sendable {
    private let addresses: [SocketAddress]
    private let eventLoop: any EventLoop

    /// Returns `nil` for another host.
    init?(_ target: HostPort, on eventLoop: any EventLoop) {
        guard let addresses = try? LocalhostAddresses.of(target.host, port: target.port) else { return nil }
        self.addresses = addresses
        self.eventLoop = eventLoop
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
    }

    func cancelQueries() {}
}
