// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import ConnectTunnel
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
@_spi(Facade) internal import ResourceLoading
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
    private let system: SystemProxies?
    private let timeout: Duration
    private let trusted: TrustedCertificates
    private let addresses: (any AddressResolving)?

    /// Creates a dialer.
    /// - Parameters:
    ///   - proxy: Another HTTP proxy to connect through, in place of those of the system.
    ///   - system: The proxies of the system; `nil` for direct connections.
    ///   - timeout: The time limit for a connection.
    ///   - trusted: The certificates that are trusted in addition to those of the system.
    ///   - addresses: The resolver of the names of hosts without a proxy; `nil` for the system's. `localhost` and the
    ///     names below it are not resolved.
    init(
        proxy: HostPort?, system: SystemProxies? = nil, timeout: Duration,
        trusted: @escaping TrustedCertificates = { _ in [] },
        addresses: (any AddressResolving)? = nil
    ) {
        self.proxy = proxy
        self.system = system
        self.timeout = timeout
        self.trusted = trusted
        self.addresses = addresses
    }

    /// Connects to a host. Nothing is read from the connection until `Channel.startReading()`.
    ///
    /// Names below `invalid` are neither resolved nor sent to another proxy. Connections to a listener of this process,
    /// of the host or of a proxy, would form a loop and are refused.
    /// - Returns: A future channel of bytes on `eventLoop` that fails with `ResourceError`.
    func connect(to target: HostPort, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        guard !target.isInvalidName else {
            return eventLoop.makeFailedFuture(
                ResourceError(.unknownHost, "no host has this name (RFC 6761, section 6.4)", at: "\(target)"))
        }
        let connector = RouteConnector(on: eventLoop, timeLimit: timeout, addresses: addresses) { channel in
            guard let port = channel.remoteAddress?.loopbackPort, OwnListeners.contains(port: port) else { return }
            throw LoopbackError(.loop, "the connection would lead to the app's own listener", at: "\(target)")
        }
        return routes(to: target, on: eventLoop)
            .flatMap { connector.connect(to: target, over: $0) }
            .flatMapErrorThrowing { throw Self.error($0, to: target) }
    }

    private func routes(to target: HostPort, on eventLoop: any EventLoop) -> EventLoopFuture<[ProxyRoute]> {
        if let proxy { return eventLoop.makeSucceededFuture([.http(proxy, nil)]) }
        guard let system, !target.isLoopback else { return eventLoop.makeSucceededFuture([.direct]) }
        // The bytes of a tunnel do not show their scheme.
        return eventLoop.makeFutureWithTask { await system.routes(to: target, isSecure: target.port != 80) }
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

    private static func error(_ error: any Error, to target: HostPort) -> ResourceError {
        let place = "\(target)"
        return switch error {
        case let error as LoopbackError:
            ResourceError(.blocked, error.message, at: place, cause: error)
        case let error as AddressLookUpError:
            ResourceError(error.isTimedOut ? .timedOut : .unknownHost, error.description, at: place, cause: error)
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            ResourceError(.unknownHost, "the host name has no address", at: place, cause: error)
        case ChannelError.connectTimeout:
            ResourceError(.timedOut, "connecting to the host timed out", at: place, cause: error)
        case let error as AddressRaceError where error.isTimedOut:
            ResourceError(.timedOut, "connecting to the host timed out", at: place, cause: error)
        case let error as ProxyConnectError:
            ResourceError(.cannotConnect, error.description, at: place, cause: error)
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
