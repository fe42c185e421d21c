// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import NIOCore

/// The open connections of a listener. It limits their number and closes them.
///
/// Isolation: any.
final class ConnectionRegistry: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// The connections that received the quiescing event. NIO's handlers do not permit a second event.
        var quiescing: Set<ObjectIdentifier> = []
        var isClosed = false
        var emptied: [EventLoopPromise<Void>] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The limit of open connections.
    init(limit: Int) {
        self.limit = limit
    }

    /// The number of open connections.
    var count: Int { state.withLock { $0.channels.count } }

    /// Adds a connection until it closes.
    /// - Returns: `false` if the limit is reached or the registry is closed.
    func admit(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isAdmitted = state.withLock { state in
            guard !state.isClosed, state.channels.count < limit else { return false }
            state.channels[id] = channel
            return true
        }
        if isAdmitted { channel.closeFuture.whenComplete { _ in self.remove(id) } }
        return isAdmitted
    }

    private func remove(_ id: ObjectIdentifier) {
        let emptied = state.withLock { state in
            state.channels[id] = nil
            state.quiescing.remove(id)
            guard state.channels.isEmpty else { return [EventLoopPromise<Void>]() }
            defer { state.emptied.removeAll() }
            return state.emptied
        }
        for promise in emptied { promise.succeed() }
    }

    /// Makes an open connection close after its current request.
    func dismiss(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let isNew = state.withLock { $0.channels[id] != nil && $0.quiescing.insert(id).inserted }
        if isNew { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    /// Admits no more connections, and resets all open ones.
    func breakOff() {
        let open = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in open { channel.breakOff() }
    }

    /// Admits no more connections, lets current requests finish, and resets the remaining connections after `grace`.
    /// Returns when all connections are closed.
    func close(within grace: Duration, on eventLoop: any EventLoop) async {
        let promise = eventLoop.makePromise(of: Void.self)
        let open = state.withLock { state in
            state.isClosed = true
            if !state.channels.isEmpty { state.emptied.append(promise) }
            return Array(state.channels.values)
        }
        if open.isEmpty { promise.succeed() }
        for channel in open { dismiss(channel) }
        let deadline = eventLoop.scheduleTask(in: TimeAmount(grace)) {
            let late = self.state.withLock { Array($0.channels.values) }
            for channel in late { channel.breakOff() }
        }
        try? await promise.futureResult.get()
        deadline.cancel()
    }
}
