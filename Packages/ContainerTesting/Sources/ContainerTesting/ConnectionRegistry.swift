// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import NIOCore

/// The open connections of a server. It limits their number and closes all of them when the server stops.
///
/// Isolation: any.
final class ConnectionRegistry: Sendable {
    private struct State {
        var isStopped = false
        var total = 0
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    /// The limit of open connections.
    private static let limit = 1_024
    private let state = Mutex(State())

    /// The number of connections admitted so far.
    var total: Int { state.withLock { $0.total } }

    /// Adds a connection until it closes. Returns `false` if the limit is reached or the server has stopped.
    func admit(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isAdmitted = state.withLock { state in
            guard !state.isStopped, state.channels.count < Self.limit else { return false }
            state.total += 1
            state.channels[id] = channel
            return true
        }
        if isAdmitted {
            channel.closeFuture.whenComplete { _ in
                self.state.withLock { $0.channels[id] = nil }
            }
        }
        return isAdmitted
    }

    /// Admits no more connections, ends each open connection with `end`, and waits until all are closed.
    func closeAll(_ end: (any Channel) -> Void) async {
        let channels = state.withLock { state in
            state.isStopped = true
            return Array(state.channels.values)
        }
        for channel in channels { end(channel) }
        for channel in channels { try? await channel.closeFuture.get() }
    }
}
