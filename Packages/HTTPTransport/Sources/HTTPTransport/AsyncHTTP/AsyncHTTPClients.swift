// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
internal import AsyncSupport
internal import ConnectTunnel
internal import Dispatch
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOSSL
internal import ResourceLoading

/// The two clients of a transport, and the tunnel that they speak through where the host app brings its own addresses.
///
/// Whoever has a request under way keeps them; they shut down when nobody does.
final class AsyncHTTPClients: Sendable {
    /// Keeps connections open between requests.
    let pooled: HTTPClient
    /// Makes a connection for each request: for requests whose pooled connection was closed, and over HTTP/1.1 for
    /// requests that must not meet a closed connection.
    let fresh: HTTPClient
    /// The authorities that vouch for hosts besides those of the system.
    let authorities: HostAuthorities
    private let tunnel: AddressTunnel?
    private let shared = SharedConnections()

    init(_ configuration: AsyncHTTPTransport.Configuration, tunnel: AddressTunnel?) {
        self.tunnel = tunnel
        var settings = HTTPClient.Configuration()
        settings.redirectConfiguration = .disallow
        settings.decompression = .disabled
        // The other limits are those of the exchanges: how long an answer may rest depends on its head, and the client's
        // limit for writing does not see a write that hangs.
        settings.timeout = .init(connect: TimeAmount(configuration.connectTimeout))
        if let tunnel {
            settings.proxy = .server(
                host: "127.0.0.1", port: tunnel.port, authorization: .basic(credentials: tunnel.credentials))
        }
        if let proxy = configuration.proxy { settings.proxy = .server(host: proxy.host, port: proxy.port) }
        // The client takes the tracer of the process by default, which would receive the URLs of pages.
        settings.tracing.tracer = nil
        authorities = HostAuthorities(configuration.authorities)
        settings.tlsConfiguration = authorities.common
        // A refused connection is an answer: trying again for ten seconds only hides it.
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
        // A connection whose request was cancelled before it was made is not kept for a later request.
        settings.connectionPool.idleTimeout = .milliseconds(1)
        fresh = HTTPClient(eventLoopGroupProvider: .shared(AsyncHTTPTransport.group), configuration: settings)
    }

    deinit {
        abandon()
    }

    /// Adds the handlers of this transport to a connection of HTTP/1.1, before its first request.
    /// - Throws: an error, after which the connection is closed and its request fails, if a handler has no place.
    static func prepare(connection channel: any Channel) throws {
        do {
            let sync = channel.pipeline.syncOperations
            let decoder = try sync.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let end = EarlyAnswerEnd(isStream: false)
            channel.enableKeepAlive()
            try sync.addHandler(ReuseGuard(), position: .after(decoder))
            try sync.addHandler(end, position: .after(decoder))
            try sync.addHandler(ResponseHeadHandler(), position: .after(decoder))
            if let certificate = try ConnectionCertificate.add(to: channel) {
                try sync.addHandler(HostIdentityHandler(certificate), position: .after(end))
                try sync.addHandler(ImmediateCloseHandler(), position: .after(certificate))
            }
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    /// Adds the certificate of a connection of HTTP/2 to its pipeline, before its first request.
    /// - Throws: an error, after which the connection is closed and its request fails, if there is no certificate.
    static func prepare(shared channel: any Channel) throws {
        do {
            channel.enableKeepAlive()
            guard try ConnectionCertificate.add(to: channel) != nil else { throw NIOSSLError.noCertificateToValidate }
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    /// Adds the handlers of this transport to a stream of HTTP/2, before its request.
    /// - Throws: an error, after which the stream is closed and its request fails, if a handler has no place.
    static func prepare(stream channel: any Channel) throws {
        let sync = channel.pipeline.syncOperations
        let codec = try sync.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
        try sync.addHandler(ResponseHeaderBlockHandler(), position: .before(codec))
        let end = EarlyAnswerEnd(isStream: true)
        try sync.addHandler(end, position: .after(codec))
        // HTTP/2 is agreed over TLS alone.
        guard let connection = channel.parent else { throw ChannelPipelineError.notFound }
        let certificate = try connection.pipeline.syncOperations.handler(type: ConnectionCertificate.self)
        try sync.addHandler(HostIdentityHandler(certificate), position: .after(end))
    }

    /// Sends a PING on each HTTP/2 connection that has been silent for so long, and closes those whose peer is gone.
    func probe(silentFor silence: TimeAmount) {
        shared.probe(silentFor: silence)
    }

    /// Why the tunnel could not reach a host, where it has just tried.
    func tunnelFailure(of url: URL) -> (any Error)? {
        guard let tunnel, let host = url.host() else { return nil }
        return tunnel.removeFailure(
            of: HostPort(host: host, port: url.port ?? (url.scheme == "https" ? 443 : 80)))
    }

    func shutDown() async throws {
        defer { tunnel?.close() }
        // The client would wait for the streams of a connection that its host has sent GOAWAY on.
        shared.close()
        // Both, whatever becomes of one.
        let result = await Result(catching: { try await pooled.shutdown() })
        try await fresh.shutdown()
        try result.get()
    }

    /// As ``shutDown()``, where nobody waits for it. Where it was done already this changes nothing.
    func abandon() {
        shared.close()
        pooled.shutdown(queue: .global()) { _ in }
        fresh.shutdown(queue: .global()) { _ in }
        tunnel?.close()
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

/// The open connections of HTTP/2, on which many requests depend: one whose peer has gone without a word would be used
/// until TCP gives it up, which takes a quarter of an hour.
///
/// Isolation: any.
final class SharedConnections: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    /// Takes a connection in. To be called on its event loop, when HTTP/2 is agreed.
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

    /// Closes all connections; their streams fail.
    func close() {
        for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }

    /// Asks those connections for a sign of life that have been silent for so long, and closes the ones that give none in
    /// most of the same time again.
    func probe(silentFor silence: TimeAmount) {
        for channel in channels.withLock({ Array($0.values) }) {
            channel.triggerUserOutboundEvent(ConnectionPulse.Probe(silence: silence), promise: nil)
        }
    }
}
