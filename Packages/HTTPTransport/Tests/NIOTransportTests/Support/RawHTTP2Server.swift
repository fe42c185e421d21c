// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import NIOCore
import NIOPosix
import NIOSSL

@testable import ContainerTesting
@testable import HTTPTransport
@testable import NIOTransport

/// A TLS server that sends raw HTTP/2 frames, for behaviour that a conforming server does not have.
///
/// Isolation: any.
struct RawHTTP2Server: Sendable {
    typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    let port: Int
    private let authority: String
    private let count: Counter
    var url: String { "https://127.0.0.1:\(port)" }
    /// The number of connections accepted.
    var connections: Int { count.value.withLock { $0 } }

    private final class Counter: Sendable {
        let value = Mutex(0)

        func next() -> Int {
            value.withLock { value in
                value += 1
                return value
            }
        }
    }

    /// Returns the limits of a transport that trusts the server.
    func limits(ping: Duration? = .seconds(30)) throws -> Subject.Limits {
        Subject.Limits(connect: .seconds(60), ping: ping, authorities: [try CertificateAuthority(pem: authority)])
    }

    /// Returns the configuration of a transport that trusts the server.
    func configuration() throws -> AsyncHTTPTransport.Configuration {
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.authorities = [try CertificateAuthority(pem: authority)]
        return configuration
    }

    /// Runs `body` with a server that passes each connection to `serve`, concurrently.
    /// - Parameter streams: The limit of concurrent streams on a connection.
    static func with<Result: Sendable>(
        streams: UInt32 = 100, certificate: OriginCertificate? = nil,
        _ serve: @escaping @Sendable (inout RawHTTP2Peer) async throws -> Void,
        _ body: @Sendable (RawHTTP2Server) async throws -> Result
    ) async throws -> Result {
        let certificate = try certificate ?? OriginCertificate()
        var settings = certificate.configuration
        settings.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: settings)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    return try Connection(wrappingChannelSynchronously: channel).retained()
                }
            }
        let count = Counter()
        return try await listener.executeThenClose { connections in
            let accepting = Task {
                await withDiscardingTaskGroup { group in
                    do {
                        for try await connection in connections {
                            let number = count.next()
                            group.addTask {
                                try? await connection.executeThenClose { inbound, outbound in
                                    var peer = RawHTTP2Peer(number, inbound.makeAsyncIterator(), outbound)
                                    try await peer.greet(streams: streams)
                                    try await serve(&peer)
                                }
                            }
                        }
                    } catch {}
                }
            }
            let server = RawHTTP2Server(
                port: listener.channel.localAddress?.port ?? 0, authority: certificate.authorityPEM, count: count)
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await body(server))
            } catch {
                result = .failure(error)
            }
            try? await listener.channel.close()
            _ = await accepting.result
            return try result.get()
        }
    }
}
