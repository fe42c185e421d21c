// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
internal import ConnectTunnel
internal import Dispatch
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOSSL
internal import ResourceLoading

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The two clients of a transport, and the tunnel that they speak through where the host app brings its own addresses.
///
/// Whoever has a request under way keeps them; they shut down when nobody does.
final class AsyncHTTPClients: Sendable {
    /// Keeps connections open between requests.
    let pooled: HTTPClient
    /// Makes a connection for each request: for requests whose pooled connection was closed, and over HTTP/1.1 for
    /// requests that must not meet a closed connection.
    let fresh: HTTPClient
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
        if !configuration.authorities.isEmpty {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = [.certificates(configuration.authorities.flatMap(\.certificates))]
            settings.tlsConfiguration = tls
        }
        // A refused connection is an answer: trying again for ten seconds only hides it.
        settings.connectionPool.retryConnectionEstablishment = false
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.connectionsPerHost
        settings.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let sync = channel.pipeline.syncOperations
                let decoder = try sync.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                channel.enableKeepAlive()
                try sync.addHandler(ReuseGuard(), position: .after(decoder))
                try sync.addHandler(EarlyAnswerEnd(isStream: false), position: .after(decoder))
            }
        }
        settings.http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let sync = channel.pipeline.syncOperations
                let codec = try sync.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
                try sync.addHandler(EarlyAnswerEnd(isStream: true), position: .after(codec))
            }
        }
        settings.http2ConnectionDebugInitializer = { [shared] channel in
            channel.enableKeepAlive()
            return shared.add(channel)
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

    /// Sends a PING on each HTTP/2 connection that has been silent for so long, and closes those whose peer is gone.
    func probe(silentFor silence: TimeAmount) {
        shared.probe(silentFor: silence)
    }

    /// Why the tunnel could not reach a host, where it has just tried.
    func tunnelFailure(of url: URL) -> (any Error)? {
        guard let tunnel, let host = url.host() else { return nil }
        return tunnel.takeFailure(
            of: HostPort(host: host, port: url.port ?? (url.scheme == "https" ? 443 : 80)))
    }

    func shutDown() async throws {
        defer { tunnel?.close() }
        // Both, whatever becomes of one.
        let result = await Result(catching: { try await pooled.shutdown() })
        try await fresh.shutdown()
        try result.get()
    }

    /// As ``shutDown()``, where nobody waits for it. Where it was done already this changes nothing.
    func abandon() {
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
