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

/// Which user's process holds the other end of a connection over loopback.
enum PeerUser: Sendable, Equatable {
    /// The one that this process runs as.
    case own
    /// Another one, by its number.
    case other(UInt32)
    /// The other end is gone already.
    case gone
    /// The system does not show it, for this error (`errno`).
    case unknown(CInt)

    /// Asks the system, which answers from memory.
    init(of channel: any Channel) {
        guard let near = channel.localAddress?.port, let far = channel.remoteAddress?.port else {
            self = .gone
            return
        }
        self.init(near: near, far: far)
    }

    /// - Parameters:
    ///   - near: this end's port on 127.0.0.1.
    ///   - far: the other end's.
    init(near: Int, far: Int) {
        var user: UInt32 = 0
        if container_peer_user(UInt16(near), UInt16(far), &user) == 0 {
            self = user == geteuid() ? .own : .other(user)
        } else {
            self = errno == ENOENT ? .gone : .unknown(errno)
        }
    }
}
