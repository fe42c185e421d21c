// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import NIOCore
internal import NIOHTTP2

/// The open connections of HTTP/2, on which many requests depend: one whose peer has gone without a word would be used
/// until TCP gives it up, which takes a quarter of an hour.
///
/// Isolation: any.
final class SharedConnections: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    /// Takes a connection in. To be called on its event loop, when HTTP/2 is agreed.
    func add(_ channel: any Channel) -> EventLoopFuture<Void> {
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { _ in self.channels.withLock { $0[id] = nil } }
        return channel.eventLoop.makeCompletedFuture {
            let sync = channel.pipeline.syncOperations
            let frames = try sync.handler(type: NIOHTTP2Handler.self)
            try sync.addHandlers([GoAwayHandler(), ConnectionPulse()], position: .after(frames))
        }
    }

    /// Closes all connections; their streams fail.
    func close() {
        for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }

    /// Asks those connections for a sign of life that have been silent for so long, and closes the ones that give none in
    /// most of the same time again.
    func probe(silentFor silence: TimeAmount) {
        for channel in channels.withLock({ Array($0.values) }) {
            channel.triggerUserOutboundEvent(ConnectionPulse.Probe(silence: silence), promise: nil)
        }
    }
}
