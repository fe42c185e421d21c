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
    /// Ends a connection at once, by a reset and without TLS's farewell: its peer sees that it was broken off, and need
    /// not agree to it.
    func breakOff() {
        eventLoop.execute {
            if let socket = self as? any SocketOptionProvider {
                // Where it fails the connection is closed all the same.
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

    /// Has the connection end as a whole when its peer ends its side, which is right for TLS: where a side may end
    /// alone NIOSSL does not hear the answer to its farewell, and closes only when its patience is over. On the event
    /// loop.
    func endWhole() throws {
        try syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
    }
}
