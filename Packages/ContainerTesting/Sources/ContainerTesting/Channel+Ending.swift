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

// How a connection is ended. All of these are called on the channel's event loop, and close the channel
// in the loop's next turn: NIO does not expect a channel to close inside of its own `channelReadComplete`
// at the end of its stream (an assertion in `BaseSocketChannel.unregisterForReadable`), and what one
// channel reads may well decide that another, or itself, is to close.
extension Channel {
    /// The connection of this channel, which may be one of its streams.
    var connection: any Channel {
        self is any SocketOptionProvider ? self : parent ?? self
    }

    /// Breaks the connection off: the peer sees a reset, and what was not sent yet is lost.
    func reset() {
        resetOnClose()
        closeSoon()
    }

    /// Closes both directions. What was not sent yet is lost.
    func closeSoon() {
        eventLoop.execute { self.close(promise: nil) }
    }

    /// Closes both directions once everything written before has left. For channels of bytes.
    func finishAndClose() {
        eventLoop.execute {
            self.writeAndFlush(ByteBuffer()).whenComplete { _ in self.close(promise: nil) }
        }
    }

    /// Makes the next close a reset: with a linger time of zero it sends RST instead of FIN (socket(7), SO_LINGER).
    func resetOnClose() {
        // On the event loop the option is set before this returns.
        _ = (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }

    /// Ends the outgoing stream once everything written before has left. For channels of bytes.
    func finishOutput() {
        // A channel whose input has ended turns a close of its output into a full one, and drops what it
        // has not sent yet. So wait for an empty write, which completes after all earlier ones.
        eventLoop.execute {
            self.writeAndFlush(ByteBuffer()).whenComplete { _ in self.close(mode: .output, promise: nil) }
        }
    }
}
