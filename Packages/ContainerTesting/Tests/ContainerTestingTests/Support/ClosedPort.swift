// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore
import NIOPosix

/// A port of this machine that refuses connections and that the system gives to no other socket: an open connection
/// uses it as its local port.
final class ClosedPort: Sendable {
    let number: Int
    private let channel: any Channel
    private let peer: any Channel

    init() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        peer = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        channel = try await ClientBootstrap(group: group)
            .bind(to: SocketAddress(ipAddress: "127.0.0.1", port: 0))
            .connect(host: "127.0.0.1", port: peer.localAddress?.port ?? 0).get()
        number = channel.localAddress?.port ?? 0
    }

    func release() async {
        try? await channel.close()
        try? await peer.close()
    }
}
