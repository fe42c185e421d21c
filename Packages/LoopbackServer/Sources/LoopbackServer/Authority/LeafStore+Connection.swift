// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore
internal import ResourceLoading

extension LeafStore {
    /// The certificate of a host that a connection is for, which the engine trusts by now.
    /// - Returns: fails with `ResourceError`, with code `timedOut` where the engine takes longer than `time`.
    nonisolated func leaf(
        for host: HostPort, within time: Duration, on eventLoop: any EventLoop
    ) -> EventLoopFuture<LaunchAuthority.Leaf> {
        let place = "\(host)"
        let promise = eventLoop.makePromise(of: LaunchAuthority.Leaf.self)
        let deadline = eventLoop.scheduleTask(in: TimeAmount(time)) {
            promise.fail(
                ResourceError(.timedOut, "the engine did not trust the certificate in time", at: place))
        }
        eventLoop.makeFutureWithTask { try await self.leaf(for: host.host) }.flatMapErrorThrowing {
            throw ResourceError(.internal, "no certificate for the host", at: place, cause: $0)
        }.cascade(to: promise)
        promise.futureResult.whenComplete { _ in deadline.cancel() }
        return promise.futureResult
    }
}
