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

// Functions that end a connection. Call them on the channel's event loop. They close the channel in the next turn of
// the loop, because a read on a channel may close this channel or another one. NIO does not expect a channel to close
// within its own `channelReadComplete` at the end of its stream (an assertion in
// `BaseSocketChannel.unregisterForReadable`).
extension Channel {
    /// The TCP connection of this channel. The channel is the connection itself or one of its HTTP/2 streams.
    var connection: any Channel {
        self is any SocketOptionProvider ? self : parent ?? self
    }

    /// Resets the connection. Unsent data is lost.
    func reset() {
        resetOnClose()
        closeSoon()
    }

    /// Closes both directions. Unsent data is lost.
    func closeSoon() {
        eventLoop.execute { self.close(promise: nil) }
    }

    /// Closes both directions after all earlier writes were sent. For channels of bytes.
    func finishAndClose() {
        eventLoop.execute {
            self.writeAndFlush(ByteBuffer()).whenComplete { _ in self.close(promise: nil) }
        }
    }

    /// Makes the next close a reset: with a linger time of zero the socket sends RST instead of FIN (socket(7),
    /// SO_LINGER).
    func resetOnClose() {
        // The future is ignored: on the event loop the option is set before the call returns.
        _ = (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }

    /// Closes the output after all earlier writes were sent. For channels of bytes.
    func finishOutput() {
        // If the input of a channel has ended, closing the output closes the whole channel and drops unsent data. An
        // empty write completes after all earlier writes.
        eventLoop.execute {
            self.writeAndFlush(ByteBuffer()).whenComplete { _ in self.close(mode: .output, promise: nil) }
        }
    }
}
