// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOSSL

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension Channel {
    /// Resets a connection immediately, without close_notify. The peer reports an error and need not respond.
    func breakOff() {
        eventLoop.execute {
            if let socket = self as? any SocketOptionProvider {
                // If setting the option fails, the connection is closed anyway.
                socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in self.closeOutside() }
            } else {
                self.closeOutside()
            }
        }
    }

    private func closeOutside() {
        if let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
            tls.close(promise: nil)
        } else {
            close(promise: nil)
        }
    }

    /// Makes the connection close in both directions when the peer closes its output. With half-closure, NIOSSL would
    /// not receive the reply to its close_notify, and would close only after its timeout.
    ///
    /// Call this on the event loop.
    func endWhole() throws {
        try syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
    }
}
