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
    /// Starts to read a connection of ``RouteConnector``.
    ///
    /// Setting `autoRead` alone reads from the socket without a `read` of the pipeline, which a handler that holds back
    /// bytes of the host waits for.
    ///
    /// Isolation: any. On the channel's event loop, bytes that are held back pass the pipeline during the call.
    /// - Returns: A future that fails if the channel is closed.
    public func startReading() -> EventLoopFuture<Void> {
        read()
        return setOption(.autoRead, value: true)
    }

    /// Sets the close-on-exec flag of the socket, which SwiftNIO does not set. Without the flag, a process that the app
    /// starts inherits the socket. The process would keep the port in use after the listener is closed, and keep
    /// connections open for the peer. A process that is started between the creation of the socket and this call still
    /// inherits it.
    ///
    /// Isolation: the channel's event loop. Does nothing for a channel without a socket.
    /// - Throws: `IOError` if the socket is closed.
    public func closeOnExec() throws {
        try pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            let flags = fcntl(socket, F_GETFD)
            guard flags >= 0, fcntl(socket, F_SETFD, flags | FD_CLOEXEC) >= 0 else {
                throw IOError(errnoCode: errno, reason: "fcntl")
            }
        }
    }

    /// Enables TCP keep-alive, so that the system detects a lost peer of an idle connection. After 45 s of inactivity
    /// it sends a probe every 10 s, and closes the connection after four probes without a reply.
    ///
    /// Probes do not apply to unacknowledged bytes. The system retransmits these bytes until its own timeout, about 15
    /// minutes on Linux.
    ///
    /// Isolation: the channel's event loop. Does nothing for a channel without a socket or with a closed socket.
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

extension SocketAddress {
    /// The port if the address is a loopback address, including those that the system maps to one; otherwise `nil`.
    @_spi(Facade) public var loopbackPort: Int? {
        let isLoopback =
            switch self {
            case .v4: ipAddress?.hasPrefix("127.") == true || ipAddress == "0.0.0.0"
            case .v6: ["::1", "::", "::ffff:127.0.0.1"].contains(ipAddress ?? "")
            default: false
            }
        return isLoopback ? port : nil
    }
}

extension IOError {
    /// A Boolean value that indicates whether the address of a socket, usually its port, is already in use.
    public var isAddressInUse: Bool { errnoCode == EADDRINUSE }

    /// A Boolean value that indicates whether this device has no network, or no network of the address family.
    public var isUnreachableNetwork: Bool { [ENETUNREACH, ENETDOWN].contains(errnoCode) }
}
