// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CPeerUser
internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The user whose process owns the other end of a loopback connection.
enum PeerUser: Sendable, Equatable {
    /// The user of this process.
    case own
    /// Another user, with this user ID.
    case other(UInt32)
    /// The other end is already closed.
    case closed
    /// The system does not report the user, with this error (`errno`).
    case unknown(CInt)

    /// Queries the system for the peer of a channel. The query does not block.
    init(of channel: any Channel) {
        guard let near = channel.localAddress?.port, let far = channel.remoteAddress?.port else {
            self = .closed
            return
        }
        self.init(near: near, far: far)
    }

    /// Queries the system for the peer of a connection.
    /// - Parameters:
    ///   - near: The port of this end on 127.0.0.1.
    ///   - far: The port of the other end.
    init(near: Int, far: Int) {
        var user: UInt32 = 0
        if container_peer_user(UInt16(near), UInt16(far), &user) == 0 {
            self = user == geteuid() ? .own : .other(user)
        } else {
            self = errno == ENOENT ? .closed : .unknown(errno)
        }
    }
}
