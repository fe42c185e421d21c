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
}

extension IOError {
    /// Whether a socket's address, mostly its port, is another's.
    public var isAddressInUse: Bool { errnoCode == EADDRINUSE }
}
