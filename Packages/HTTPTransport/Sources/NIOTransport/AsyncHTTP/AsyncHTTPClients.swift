// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
internal import AsyncSupport
@_spi(Facade) internal import ConnectTunnel
internal import Dispatch
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOSSL
@_spi(Facade) internal import ResourceLoading
internal import WebSyntax

/// The HTTP clients of a transport, and the tunnel that they use if the system does not resolve the host names.
///
/// Each request in progress retains this object. The clients shut down when the last reference is released.
final class AsyncHTTPClients: Sendable {
    /// The client that keeps connections open between requests.
    let pooled: HTTPClient
    /// The client that opens a connection for each request.
    ///
    /// It serves requests whose pooled connection was closed and, over HTTP/1.1, requests that are not idempotent.
    let fresh: HTTPClient
    /// The client that opens an HTTP/1.1 connection for each request.
    let freshHTTP1: HTTPClient
    /// The certificate authorities that are trusted in addition to those of the system.
    let authorities: HostAuthorities
    private let tunnel: AddressTunnel?
    private let shared = SharedConnections()

    init(
        _ configuration: AsyncHTTPTransport.Configuration, trusting authorities: HostAuthorities,
        tunnel: AddressTunnel?
    ) {
        self.authorities = authorities
        self.tunnel = tunnel
        var settings = HTTPClient.Configuration()
        settings.redirectConfiguration = .disallow
        settings.decompression = .disabled
        // `Exchange` enforces the other limits: the limit for a response depends on its head, and the client's write
        // timeout does not detect a write that hangs.
        settings.timeout = .init(connect: TimeAmount(configuration.connectTimeout))
        if let tunnel {
            settings.proxy = .server(
                host: "127.0.0.1", port: tunnel.port, authorization: .basic(credentials: tunnel.credentials))
        }
        if let proxy = configuration.proxy { settings.proxy = .server(host: proxy.host, port: proxy.port) }
        // By default the client uses the tracer of the process, which would receive the URLs of pages.
        settings.tracing.tracer = nil
        settings.tlsConfiguration = authorities.common
        // A refused connection is final. Retrying for ten seconds only delays the error.
        settings.connectionPool.retryConnectionEstablishment = false
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.connectionsPerHost
        settings.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture { try Self.prepare(connection: channel) }
        }
        settings.http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture { try Self.prepare(stream: channel) }
        }
        settings.http2ConnectionDebugInitializer = { [shared] channel in
            channel.eventLoop.makeCompletedFuture { try Self.prepare(shared: channel) }.flatMap { shared.add(channel) }
        }
        pooled = HTTPClient(eventLoopGroupProvider: .shared(AsyncHTTPTransport.group), configuration: settings)
        settings.maximumUsesPerConnection = 1
        // A connection whose request was cancelled during the connect must not be reused.
        settings.connectionPool.idleTimeout = .milliseconds(1)
        fresh = HTTPClient(eventLoopGroupProvider: .shared(AsyncHTTPTransport.group), configuration: settings)
        settings.httpVersion = .http1Only
        freshHTTP1 = HTTPClient(eventLoopGroupProvider: .shared(AsyncHTTPTransport.group), configuration: settings)
    }

    deinit {
        abandon()
    }

    /// Returns the client for a kind of connection.
    func client(for connection: Repetition.Connection) -> HTTPClient {
        switch connection {
        case .pooled: pooled
        case .fresh: fresh
        case .freshHTTP1: freshHTTP1
        }
    }

    /// Checks that a connection does not lead to a listener of a container of this process.
    /// - Throws: ``OwnListenerError``.
    static func checkPeer(of channel: any Channel) throws {
        guard let port = channel.remoteAddress?.loopbackPort, OwnListeners.contains(port: port) else { return }
        throw OwnListenerError()
    }

    /// Adds the handlers of this transport to an HTTP/1.1 connection, before its first request.
    /// - Throws: An error if a handler cannot be added, or of ``checkPeer(of:)``. The connection is then closed and its
    ///   request fails.
    static func prepare(connection channel: any Channel) throws {
        do {
            try checkPeer(of: channel)
            let sync = channel.pipeline.syncOperations
            let decoder = try sync.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let end = EarlyResponseEndHandler(isStream: false)
            try channel.closeOnExec()
            channel.enableKeepAlive()
            try sync.addHandler(RequestSpellingHandler(), position: .after(decoder))
            try sync.addHandler(ReuseGuard(), position: .after(decoder))
            try sync.addHandler(end, position: .after(decoder))
            let reader = ResponseHeadReader()
            try sync.addHandler(reader, position: .before(decoder))
            try sync.addHandler(ResponseHeadHandler(reader), position: .after(decoder))
            if let certificate = try ConnectionCertificate.add(to: channel) {
                try sync.addHandler(HostIdentityHandler(certificate), position: .after(end))
                try sync.addHandler(ImmediateCloseHandler(), position: .after(certificate))
            }
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    /// Adds the certificate of an HTTP/2 connection to its pipeline, before its first request.
    /// - Throws: An error if the peer has no certificate. The connection is then closed and its request fails.
    static func prepare(shared channel: any Channel) throws {
        do {
            try channel.closeOnExec()
            channel.enableKeepAlive()
            guard try ConnectionCertificate.add(to: channel) != nil else { throw NIOSSLError.noCertificateToValidate }
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    /// Adds the handlers of this transport to an HTTP/2 stream, before its request.
    /// - Throws: An error if a handler cannot be added. The stream is then closed and its request fails.
    static func prepare(stream channel: any Channel) throws {
        let sync = channel.pipeline.syncOperations
        let codec = try sync.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
        try sync.addHandler(ResponseHeaderBlockHandler(), position: .before(codec))
        try sync.addHandler(RequestSpellingHandler(), position: .after(codec))
        let end = EarlyResponseEndHandler(isStream: true)
        try sync.addHandler(end, position: .after(codec))
        // HTTP/2 is negotiated over TLS only.
        guard let connection = channel.parent else { throw ChannelPipelineError.notFound }
        let certificate = try connection.pipeline.syncOperations.handler(type: ConnectionCertificate.self)
        try sync.addHandler(HostIdentityHandler(certificate), position: .after(end))
    }

    /// Sends a PING on each HTTP/2 connection as soon as it has been silent for `silence`. Closes a connection if its
    /// peer does not reply in time.
    func probe(silentFor silence: TimeAmount) {
        shared.probe(silentFor: silence)
    }

    /// Returns and removes the recorded error of the tunnel for the host of the URL, or returns `nil` if no error is
    /// recorded.
    func tunnelFailure(of url: URL) -> (any Error)? {
        guard let tunnel, let host = url.host() else { return nil }
        return tunnel.removeFailure(
            of: HostPort(host: host, port: url.port ?? (url.scheme == "https" ? 443 : 80)))
    }

    func shutDown() async throws {
        defer { tunnel?.close() }
        // `shutdown()` of the client would wait for the streams of a connection that has received GOAWAY.
        shared.close()
        var failure: (any Error)?
        for client in [pooled, fresh, freshHTTP1] {
            do {
                try await client.shutdown()
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Shuts down without waiting. Does nothing after ``shutDown()``.
    func abandon() {
        shared.close()
        for client in [pooled, fresh, freshHTTP1] { client.shutdown(queue: .global()) { _ in } }
        tunnel?.close()
    }
}

/// The error of a connection that leads to a listener of a container of this process.
struct OwnListenerError: Error {}

/// The open HTTP/2 connections of a transport.
///
/// Many requests depend on one connection. If the peer disappears, TCP reports the failure only after about 15 minutes.
/// ``probe(silentFor:)`` detects the failure earlier.
///
/// Isolation: any.
final class SharedConnections: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    /// Adds a connection. Call this on its event loop when HTTP/2 has been negotiated.
    func add(_ channel: any Channel) -> EventLoopFuture<Void> {
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { _ in self.channels.withLock { $0[id] = nil } }
        return channel.eventLoop.makeCompletedFuture {
            let sync = channel.pipeline.syncOperations
            let frames = try sync.handler(type: NIOHTTP2Handler.self)
            try sync.addHandlers([GoAwayHandler(), ConnectionPulse()], position: .after(frames))
        }
    }

    /// Closes all connections. Their streams fail.
    func close() {
        for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }

    /// Sends a PING on each connection as soon as it has been silent for `silence`. Closes a connection if its peer
    /// does not reply in time.
    func probe(silentFor silence: TimeAmount) {
        for channel in channels.withLock({ Array($0.values) }) {
            channel.triggerUserOutboundEvent(ConnectionPulse.Probe(silence: silence), promise: nil)
        }
    }
}
