// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore
internal import NIOSSL
internal import ResourceLoading

// What a connection gets for the host that it asked for, in whichever protocol it asked.
extension ProxyParts {
    /// The certificate of a host that is opened, which the engine trusts by now.
    /// - Returns: fails with `ResourceError`, with code `timedOut` where the engine takes longer than the limits say.
    func leaf(for host: HostPort, on eventLoop: any EventLoop) -> EventLoopFuture<LaunchAuthority.Leaf> {
        let place = "\(host)"
        let promise = eventLoop.makePromise(of: LaunchAuthority.Leaf.self)
        let deadline = eventLoop.scheduleTask(in: TimeAmount(limits.patience)) {
            promise.fail(
                ResourceError(.timedOut, "the engine did not trust the certificate in time", at: place))
        }
        eventLoop.makeFutureWithTask { try await leaves.leaf(for: host.host) }.flatMapErrorThrowing {
            throw ResourceError(.internal, "no certificate for the host", at: place, cause: $0)
        }.cascade(to: promise)
        promise.futureResult.whenComplete { _ in deadline.cancel() }
        return promise.futureResult
    }

    /// Has a connection to an opened host answered by the loader. On its event loop.
    /// - Parameter leaf: what TLS is spoken with; `nil` for none.
    func open(_ channel: any Channel, to host: HostPort, with leaf: LaunchAuthority.Leaf?) throws {
        let pipeline = channel.pipeline.syncOperations
        if let leaf {
            try channel.endWhole()
            try pipeline.addHandler(NIOSSLServerHandler(context: leaf.context))
        }
        let http = HTTPHandlers(limits)
        try pipeline.addHandlers(http.all)
        try pipeline.addHandlers(exchanges(for: .opened(host, isSecure: leaf != nil), http))
    }

    /// Has a connection pass end to end, to one that the dialer made. On their event loop.
    func join(_ client: any Channel, to host: any Channel) throws {
        client.closeFuture.whenComplete { _ in host.close(promise: nil) }
        try TunnelEnd.join(client: client, host: host)
        host.setOption(.autoRead, value: true).whenFailure { _ in host.close(promise: nil) }
    }
}
