// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension Channel {
    /// Sets the close-on-exec flag of the socket, which SwiftNIO does not set. A program that the process starts, such
    /// as an engine's web process, would otherwise inherit the socket and keep the port in use.
    ///
    /// Isolation: the channel's event loop. Does nothing for a channel without a socket or with a closed socket.
    func closeOnExec() {
        try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            let flags = fcntl(socket, F_GETFD)
            if flags >= 0 { _ = fcntl(socket, F_SETFD, flags | FD_CLOEXEC) }
        }
    }
}
