// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore
import NIOPosix

/// A port of loopback that is taken and where nobody listens: connections are refused, and no other server can come.
struct RefusingPort {
    let number: Int
    private let channel: any Channel

    var url: String { "http://127.0.0.1:\(number)/" }

    /// A client's socket that is bound and connected: its own port takes no connections.
    init() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        guard let address = listener.localAddress else { throw ChannelError.unknownLocalAddress }
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: address).get()
        try await listener.close()
        number = channel.localAddress?.port ?? 0
    }

    func close() async throws {
        try await channel.close()
    }
}
