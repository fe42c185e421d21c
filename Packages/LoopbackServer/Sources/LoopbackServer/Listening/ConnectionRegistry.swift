// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import NIOCore

/// The connections that are open, so that they can be limited, and ended.
///
/// Isolation: any.
final class ConnectionRegistry: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Those that were told to finish: handlers take it as a fault to be told twice.
        var leaving: Set<ObjectIdentifier> = []
        var isClosed = false
        var emptied: [EventLoopPromise<Void>] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the most connections.
    init(limit: Int) {
        self.limit = limit
    }

    /// How many are open.
    var count: Int { state.withLock { $0.channels.count } }

    /// Takes one in, until it closes.
    /// - Returns: whether there is room.
    func admit(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isAdmitted = state.withLock { state in
            guard !state.isClosed, state.channels.count < limit else { return false }
            state.channels[id] = channel
            return true
        }
        if isAdmitted { channel.closeFuture.whenComplete { _ in self.leave(id) } }
        return isAdmitted
    }

    private func leave(_ id: ObjectIdentifier) {
        let emptied = state.withLock { state in
            state.channels[id] = nil
            state.leaving.remove(id)
            guard state.channels.isEmpty else { return [EventLoopPromise<Void>]() }
            defer { state.emptied.removeAll() }
            return state.emptied
        }
        for promise in emptied { promise.succeed() }
    }

    /// Lets one that is open finish what it is at, and end.
    func dismiss(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let isNew = state.withLock { $0.channels[id] != nil && $0.leaving.insert(id).inserted }
        if isNew { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    /// Takes nobody in any more, and closes all at once.
    func breakOff() {
        let open = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in open { channel.breakOff() }
    }

    /// Takes nobody in any more, lets those that are at work finish, and closes what is left after `grace`.
    /// - Returns: when none is left.
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
