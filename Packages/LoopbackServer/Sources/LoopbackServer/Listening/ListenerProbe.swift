// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ConnectTunnel
internal import NIOCore
internal import NIOPosix

/// Checks whether a listener still accepts connections, by connecting to its port. If the system has closed the
/// listener, another process may listen on the port, so that a successful connection proves nothing by itself.
///
/// Isolation: any.
final class ListenerProbe: Sendable {
    private struct State {
        var probes = 0
        /// The promises by client port, for connections that the listener accepted during a probe and for connections
        /// that a probe has opened.
        var arrivals: [Int: EventLoopPromise<Void>] = [:]
    }

    private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private let state = Mutex(State())

    /// Returns a Boolean value that indicates whether an accepted connection is a probe. Call this for each accepted
    /// connection.
    func accepts(_ channel: any Channel) -> Bool {
        guard let port = channel.remoteAddress?.port else { return false }
        let arrival: (promise: EventLoopPromise<Void>, isExpected: Bool)? = state.withLock { state in
            state.probes == 0 ? nil : self.arrival(from: port, &state)
        }
        arrival?.promise.succeed()
        return arrival?.isExpected ?? false
    }

    /// Returns a Boolean value that indicates whether a connection to a port of 127.0.0.1 reaches this listener.
    func isReachable(at port: Int) async -> Bool {
        state.withLock { $0.probes += 1 }
        defer { finish() }
        let client = ClientBootstrap(group: eventLoop).connectTimeout(.seconds(2))
            .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try channel.closeOnExec() } }
        guard let channel = try? await client.connect(host: "127.0.0.1", port: port).get() else { return false }
        defer { channel.close(promise: nil) }
        guard let own = channel.localAddress?.port else { return false }
        let promise = state.withLock { arrival(from: own, &$0).promise }
        let deadline = eventLoop.scheduleTask(in: .seconds(2)) {
            promise.fail(ChannelError.connectTimeout(.seconds(2)))
        }
        defer { deadline.cancel() }
        return (try? await promise.futureResult.get()) != nil
    }

    /// Returns the promise for a client port. The first caller, the listener or the probe, creates it.
    private func arrival(
        from port: Int, _ state: inout State
    ) -> (promise: EventLoopPromise<Void>, isExpected: Bool) {
        if let promise = state.arrivals[port] { return (promise, true) }
        let promise = eventLoop.makePromise(of: Void.self)
        state.arrivals[port] = promise
        return (promise, false)
    }

    private func finish() {
        let leftOver = state.withLock { state in
            state.probes -= 1
            guard state.probes == 0 else { return [EventLoopPromise<Void>]() }
            defer { state.arrivals.removeAll() }
            return Array(state.arrivals.values)
        }
        for promise in leftOver { promise.succeed() }
    }
}
