// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A server that sends raw HTTP. It sends a ``MalformedResponse`` for a path `/bad/NAME`, a ``File`` for the path of
/// the file, and `good` for every other path. CORS permits pages of all origins to read the responses.
///
/// Isolation: any. Each connection is served on SwiftNIO's shared event loops.
public final class MalformedOrigin: Sendable {
    /// The HTTP version of a server.
    public enum Version: Sendable, Hashable, CaseIterable {
        /// Without TLS.
        case http1
        /// Over TLS, with a certificate that is created at the start.
        case http2

        /// The malformed responses of this version.
        public var responses: [MalformedResponse] {
            switch self {
            case .http1: MalformedResponse.http1
            case .http2: MalformedResponse.http2
            }
        }
    }

    /// A correct response.
    public struct File: Sendable {
        let type: String
        let bytes: [UInt8]

        /// Creates a file with a media type.
        public init(_ type: String, bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
        }

        /// Creates a file of text with a media type.
        public init(_ type: String, _ text: String) {
            self.init(type, bytes: Array(text.utf8))
        }
    }

    /// The body of the response for other paths.
    public static let good = "good"

    /// The port on the IPv4 loopback address.
    public let port: Int
    /// The certificate (PEM) of the authority to trust; `nil` without TLS.
    public let authorityPEM: String?
    /// The server's certificate (X.509, DER); `nil` without TLS.
    public let certificate: [UInt8]?
    private let listener: any Channel
    private let connections: ConnectionRegistry
    private let state: State

    /// The shared state of the connections.
    final class State: Sendable {
        private let files: [String: File]
        private let responses: [String: MalformedResponse]
        private let requested = Mutex<[String]>([])

        init(_ version: Version, _ files: [String: File]) {
            self.files = files
            responses = Dictionary(uniqueKeysWithValues: version.responses.map { ("/bad/\($0.name)", $0) })
        }

        var paths: [String] { requested.withLock { $0 } }

        /// Returns the response for a request's path, without its query.
        func response(to path: String) -> (malformed: MalformedResponse?, file: File) {
            requested.withLock { $0.append(path) }
            let path = String(path.prefix { $0 != "?" })
            return (responses[path], files[path] ?? File("text/plain", MalformedOrigin.good))
        }
    }

    private init(
        listener: any Channel, port: Int, connections: ConnectionRegistry, state: State, certificate: OriginCertificate?
    ) {
        self.listener = listener
        self.port = port
        self.connections = connections
        self.state = state
        authorityPEM = certificate?.authorityPEM
        self.certificate = certificate?.leaf
    }

    /// Starts a server on a free port.
    /// - Throws: ``ContainerTestingError`` with code `portInUse`, `cannotListen` or `tls`.
    public static func start(_ version: Version, files: [String: File] = [:]) async throws -> MalformedOrigin {
        let certificate = version == .http2 ? try OriginCertificate() : nil
        let context: NIOSSLContext?
        do {
            context = try certificate.map { certificate in
                var configuration = certificate.configuration
                configuration.applicationProtocols = ["h2"]
                // A client that refuses a response need not send close_notify.
                configuration.shutdownTimeout = .milliseconds(200)
                return try NIOSSLContext(configuration: configuration)
            }
        } catch {
            throw ContainerTestingError(.tls, "cannot configure TLS: \(error)", cause: error)
        }
        let connections = ConnectionRegistry()
        let state = State(version, files)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard connections.admit(channel) else { return channel.closeSoon() }
                    let pipeline = channel.pipeline.syncOperations
                    if let context {
                        try pipeline.addHandler(NIOSSLServerHandler(context: context))
                        try pipeline.addHandler(HTTP2FrameResponder(state))
                    } else {
                        try pipeline.addHandler(HTTP1TextResponder(state))
                    }
                }
            }
        let (listener, port) = try await Listener.bind(bootstrap, port: 0)
        return MalformedOrigin(
            listener: listener, port: port, connections: connections, state: state, certificate: certificate)
    }

    /// Runs `body` with a server, and stops the server afterwards, also if `body` throws.
    public nonisolated(nonsending) static func with<Value: Sendable>(
        _ version: Version, files: [String: File] = [:], _ body: (MalformedOrigin) async throws -> Value
    ) async throws -> Value {
        let origin = try await start(version, files: files)
        do {
            let value = try await body(origin)
            await origin.stop()
            return value
        } catch {
            await origin.stop()
            throw error
        }
    }

    /// Closes the listener and all connections.
    public func stop() async {
        try? await listener.close()
        await connections.closeAll { $0.closeSoon() }
    }

    /// The URL of the server, without a path.
    public var url: String { "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)" }

    /// The URL of a correct response.
    public var goodURL: String { "\(url)/good" }

    /// Returns the URL of a malformed response.
    public func url(of response: MalformedResponse) -> String { "\(url)/bad/\(response.name)" }

    /// The paths of all requests so far, with their queries.
    public var paths: [String] { state.paths }
}
