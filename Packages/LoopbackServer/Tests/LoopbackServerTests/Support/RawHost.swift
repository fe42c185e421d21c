// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import NIOCore
import NIOPosix
import NIOSSL

@testable import LoopbackServer

/// A server whose responses a test writes as raw bytes.
final class RawHost: Sendable {
    let port: Int
    let connections: Log<Peer>
    private let listener: any Channel

    private init(_ listener: any Channel, _ connections: Log<Peer>) {
        self.listener = listener
        self.connections = connections
        port = listener.localAddress?.port ?? 0
    }

    /// Runs `body` with a server.
    /// - Parameter tls: The TLS context; `nil` for no TLS.
    static func with<Result: Sendable>(
        tls: NIOSSLContext? = nil, address: String = "127.0.0.1", _ body: @Sendable (RawHost) async throws -> Result
    ) async throws -> Result {
        let connections = Log<Peer>()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    connections.append(try Peer.attach(to: channel))
                }
            }
            .bind(host: address, port: 0).get()
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(RawHost(listener, connections)))
        } catch {
            result = .failure(error)
        }
        try? await listener.close()
        for peer in connections.entries { peer.close() }
        return try result.get()
    }
}
