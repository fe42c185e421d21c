// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOPosix

/// A web server on loopback for tests and demonstrations. It serves the files of a folder and the routes of a test.
///
/// Files are served without compression, with `ETag`, `Last-Modified` and ranges; a folder is served by its
/// `index.html`; media types have no `charset`. Paths that lead out of the folder, by `..` or by links, are refused.
/// Responses in progress are aborted when the server stops.
///
/// Isolation: any. It runs on NIO's shared event loops until ``stop()``. Every started server must be stopped.
public final class OriginServer: Sendable {
    /// The port on `127.0.0.1`: the port of the relay if the server has a network profile, otherwise that of the
    /// server.
    public let port: Int
    /// The URL of the server without a trailing slash, such as `http://127.0.0.1:8080`.
    public let url: String
    /// The PEM certificate of the authority that a client must trust; `nil` without TLS.
    public let authorityPEM: String?
    /// The server's own certificate in DER, for a client that trusts only this certificate; `nil` without TLS.
    public let certificate: [UInt8]?
    private let log: RequestLog
    private let registry: ConnectionRegistry
    private let relay: ShapingRelay?
    private let task: Task<Void, Never>

    private init(
        port: Int, certificate: OriginCertificate?, log: RequestLog, registry: ConnectionRegistry,
        relay: ShapingRelay?, task: Task<Void, Never>
    ) {
        self.port = port
        self.url = "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)"
        self.authorityPEM = certificate?.authorityPEM
        self.certificate = certificate?.leaf
        self.log = log
        self.registry = registry
        self.relay = relay
        self.task = task
    }

    /// The latest requests, in the order of arrival.
    public var requests: [OriginRequest] { log.requests }
    /// The number of requests received.
    public var requestCount: Int { log.total }
    /// The number of connections that reached the server.
    public var connectionCount: Int { registry.total }
    /// The counters of the relay; `nil` without a relay.
    public var counters: ShapingRelay.Counters? { relay?.counters }

    /// Starts a server. It returns when the server accepts connections.
    /// - Throws: ``ContainerTestingError`` with code `portInUse`, `cannotListen`, `noSuchFolder` or `tls`.
    public static func start(_ configuration: Configuration) async throws -> OriginServer {
        let logger = Logger(label: "origin") { _ in SwiftLogNoOpLogHandler() }
        let files = try configuration.folder.map {
            try FolderProvider($0, excludedFile: configuration.fieldSource?.fileName, logger: logger)
        }
        let certificate = configuration.usesTLS ? try OriginCertificate(names: configuration.certificateNames) : nil
        let log = RequestLog(limit: configuration.logLimit)
        let registry = ConnectionRegistry()
        let isShaped = !configuration.profile.isUnshaped
        let (ports, announcement) = AsyncThrowingStream.makeStream(of: Int.self)
        let application = Application(
            responder: OriginResponder(configuration: configuration, log: log, files: files),
            server: try server(configuration, certificate: certificate, registry: registry),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: isShaped ? 0 : configuration.port)),
            onServerRunning: { channel in
                channel.eventLoop.execute { channel.closeOnExec() }
                announcement.yield(channel.localAddress?.port ?? 0)
            },
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), logger: logger)
        let task = Task {
            do {
                try await application.run()
                announcement.finish()
            } catch {
                announcement.finish(throwing: error)
            }
        }
        do {
            guard let port = try await ports.first(where: { _ in true }) else { throw CancellationError() }
            let relay: ShapingRelay? =
                if isShaped {
                    try await ShapingRelay.start(
                        profile: configuration.profile, target: .loopback(port), port: configuration.port)
                } else {
                    nil
                }
            return OriginServer(
                port: relay?.port ?? port, certificate: certificate, log: log, registry: registry, relay: relay,
                task: task)
        } catch {
            task.cancel()
            await task.value
            throw error is CancellationError ? error : Listener.error(error, port: configuration.port)
        }
    }

    private static func server(
        _ configuration: Configuration, certificate: OriginCertificate?, registry: ConnectionRegistry
    ) throws -> HTTPServerBuilder {
        let settings = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionWatch(registry)], idleTimeout: .seconds(120))
        let plain = HTTPServerBuilder.http1(configuration: settings)
        guard let certificate else { return plain }
        do {
            if configuration.offersHTTP2 {
                return try .http2Upgrade(
                    tlsConfiguration: certificate.configuration,
                    configuration: HTTP2Channel.Configuration(
                        idleTimeout: .seconds(120), streamConfiguration: settings))
            }
            return try .tls(plain, tlsConfiguration: certificate.configuration)
        } catch {
            throw ContainerTestingError(.tls, "cannot use the certificate: \(error)", cause: error)
        }
    }

    /// Closes the port and all connections, including stalled responses. It returns when they are closed; further
    /// calls do nothing.
    public func stop() async {
        await relay?.stop()
        // Before the cancellation, after which Hummingbird releases accepted connections unserved. NIO ends the process
        // if such a connection is open.
        await registry.closeAll { $0.triggerUserOutboundEvent(SocketEnd.Command.drop, promise: nil) }
        task.cancel()
        await task.value
    }
}
