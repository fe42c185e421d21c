// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Functions that open listening sockets on the IPv4 loopback address.
enum Listener {
    /// The receive buffer of relayed and proxied sockets, in bytes. The system doubles it.
    ///
    /// With the system's larger buffer, megabytes could arrive at once at the end of a stream, because NIO then reads
    /// without a read request.
    static let receiveBuffer: SocketOptionValue = 262_144

    /// Starts listening and returns the channel and the port.
    /// - Parameter port: The port; 0 lets the system choose.
    /// - Throws: ``ContainerTestingError`` with code `portInUse` or `cannotListen`.
    static func bind(_ bootstrap: ServerBootstrap, port: Int) async throws -> (channel: any Channel, port: Int) {
        do {
            let channel =
                try await bootstrap
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { channel.closeOnExec() }
                }
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.backlog, value: 256)
                .bind(host: "127.0.0.1", port: port).get()
            return (channel, channel.localAddress?.port ?? port)
        } catch {
            throw Self.error(error, port: port)
        }
    }

    /// Converts an error of listening to a `ContainerTestingError`.
    static func error(_ error: any Error, port: Int) -> ContainerTestingError {
        if let error = error as? ContainerTestingError { return error }
        if let error = error as? IOError, error.errnoCode == EADDRINUSE {
            return ContainerTestingError(
                .portInUse, "port \(port) is in use", at: "127.0.0.1:\(port)", cause: error)
        }
        return ContainerTestingError(
            .cannotListen, "cannot listen on port \(port): \(error)", at: "127.0.0.1:\(port)", cause: error)
    }
}
