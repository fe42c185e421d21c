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

/// Connects to hosts, for what is not the loader's: tunnels, and connections that become another protocol.
///
/// Isolation: any.
final class Dialer: Sendable {
    private let proxy: HostPort?
    private let timeout: Duration
    private let tls: TLSConfiguration
    private let resolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)?
    private let ownPort = Mutex<Int?>(nil)

    /// - Parameters:
    ///   - proxy: another proxy, which connects in its place.
    ///   - trustRoots: PEM; the system's where that is `nil`.
    ///   - resolver: makes what finds the addresses of names; the system's where that is `nil`.
    init(
        proxy: HostPort?, timeout: Duration, trustRoots: [String]?,
        resolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)? = nil
    ) throws {
        self.proxy = proxy
        self.timeout = timeout
        self.resolver = resolver
        var tls = TLSConfiguration.makeClientConfiguration()
        // RFC 8996: earlier versions must not be used.
        tls.minimumTLSVersion = .tlsv12
        if let trustRoots {
            tls.trustRoots = .certificates(
                try trustRoots.flatMap { try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)) })
        }
        // Whose the certificate is `HostIdentity` says.
        tls.certificateVerification = .noHostnameVerification
        // What becomes another protocol does so in HTTP/1.1 only.
        tls.applicationProtocols = ["http/1.1"]
        self.tls = tls
    }

    /// Tells which port of loopback is ours: a connection to there would come back to us, and so on.
    func keepOff(_ port: Int?) {
        ownPort.withLock { $0 = port }
    }

    /// Connects. Nothing is read from the connection until its `autoRead` is set.
    /// - Returns: a channel of bytes on `eventLoop`; fails with `ResourceError`.
    func connect(to target: HostPort, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        let hop = proxy ?? target
        let bootstrap = ClientBootstrap(group: eventLoop)
            .resolver(resolver?(eventLoop))
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

    /// Puts TLS over a connection to a host. The chain of its certificate is verified; before anything is said the
    /// caller asks ``HostIdentity`` whether it is the host's.
    func secure(_ channel: any Channel, to target: HostPort) throws {
        let isAddress = HostIdentity.bytes(ofAddress: target.host) != nil
        let handler = try NIOSSLClientHandler(
            context: NIOSSLContext(configuration: tls), serverHostname: isAddress ? nil : target.host)
        try channel.endWhole()
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    private func checked(_ channel: any Channel, to target: HostPort) -> EventLoopFuture<any Channel> {
        if let address = channel.remoteAddress, Self.isLoopback(address), address.port == ownPort.withLock({ $0 }) {
            return channel.eventLoop.makeFailedFuture(
                LoopbackError(.loop, "the connection would lead back to the proxy", at: "\(target)"))
        }
        return proxy == nil ? channel.eventLoop.makeSucceededFuture(channel) : askProxy(channel, for: target)
    }

    private func askProxy(_ channel: any Channel, for target: HostPort) -> EventLoopFuture<any Channel> {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
        let asking = NIOHTTP1ProxyConnectHandler(
            targetHost: target.isIPv6 ? "[\(target.host)]" : target.host, targetPort: target.port, headers: [:],
            deadline: .now() + TimeAmount(timeout), promise: promise)
        let pipeline = channel.pipeline.syncOperations
        do {
            try pipeline.addHandlers([encoder, decoder, asking])
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
            ResourceError(.unknownHost, "the host's name has no address", at: place, cause: error)
        case ChannelError.connectTimeout:
            ResourceError(.timedOut, "no connection in time", at: place, cause: error)
        case let error as NIOHTTP1ProxyConnectHandler.Error:
            ResourceError(.cannotConnect, "the proxy does not connect", at: place, cause: error)
        default:
            ResourceError(.cannotConnect, "no connection", at: place, cause: error)
        }
    }
}
