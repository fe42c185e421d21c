// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import NIOCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension Channel {
    /// Keeps programs that the app starts from inheriting the socket, which SwiftNIO does not: one that runs on would
    /// hold the port after its listener is closed, and keep a peer waiting for the end of a connection. One that is started
    /// between the socket's making and this call inherits it all the same.
    ///
    /// Isolation: the channel's event loop. A channel without a socket is left as it is.
    /// - Throws: `IOError`, where the socket is closed already.
    public func closeOnExec() throws {
        try pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            let flags = fcntl(socket, F_GETFD)
            guard flags >= 0, fcntl(socket, F_SETFD, flags | FD_CLOEXEC) >= 0 else {
                throw IOError(errnoCode: errno, reason: "fcntl")
            }
        }
    }

    /// Turns TCP keep-alive on, so that the system finds out that the peer of a silent connection is gone: after 45 s of
    /// silence it probes every 10 s, and the fourth probe without a reply closes the connection.
    ///
    /// The probes say nothing about bytes that the peer has not acknowledged: those are sent again for as long as the
    /// system does so, about 15 minutes on Linux.
    /// Isolation: the channel's event loop. A channel without a socket, or whose socket is closed, is left as it is.
    public func enableKeepAlive() {
        let options: [(level: CInt, name: CInt, value: CInt)] = [
            (SOL_SOCKET, SO_KEEPALIVE, 1), (CInt(IPPROTO_TCP), Self.keepAliveIdle, 45),
            (CInt(IPPROTO_TCP), TCP_KEEPINTVL, 10), (CInt(IPPROTO_TCP), TCP_KEEPCNT, 4),
        ]
        try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            for option in options {
                var value = option.value
                setsockopt(socket, option.level, option.name, &value, socklen_t(MemoryLayout<CInt>.size))
            }
        }
    }

    private static var keepAliveIdle: CInt {
        #if canImport(Darwin)
            TCP_KEEPALIVE
        #else
            TCP_KEEPIDLE
        #endif
    }
}

extension IOError {
    /// Whether a socket's address, mostly its port, is another's.
    public var isAddressInUse: Bool { errnoCode == EADDRINUSE }
}
