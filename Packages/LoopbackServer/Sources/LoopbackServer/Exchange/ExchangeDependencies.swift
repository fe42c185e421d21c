// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
public import ResourceLoading

/// What answers the requests of connections, however they came.
struct ExchangeDependencies: Sendable {
    let loader: any ResourceLoader
    let completing: any RequestCompleting
    let observer: (any LoopbackObserving)?
    let leaves: LeafStore
    /// For requests that become another protocol.
    let dialer: Dialer
    let limits: LoopbackLimits

    /// Has a connection answered by the loader from here on. On its event loop.
    /// - Parameter leaf: what TLS is spoken with; `nil` for none.
    func serve(_ channel: any Channel, _ role: ConnectionRole, with leaf: LaunchAuthority.Leaf?) throws {
        let pipeline = channel.pipeline.syncOperations
        if let leaf {
            try channel.endWhole()
            try pipeline.addHandler(NIOSSLServerHandler(context: leaf.context))
        }
        let http = HTTPHandlers(limits)
        try pipeline.addHandlers(http.all)
        try pipeline.addHandlers(exchanges(for: role, http))
    }

    /// What answers requests on a connection that HTTP is read from.
    func exchanges(for role: ConnectionRole, _ http: HTTPHandlers) -> [any ChannelHandler] {
        let pipelining = HTTPServerPipelineHandler()
        return [pipelining, ExchangeHandler(self, role, http, pipelining)]
    }

    /// The engine made no TLS with a host's certificate: its network process may have been another one when it was told
    /// to trust that.
    func distrusted(_ host: HostPort, _ error: any Error) {
        leaves.renewTrust(host.host)
        happened(
            .unreachable(
                host, ResourceError(.tls, "the engine makes no TLS with the server", at: "\(host)", cause: error)))
    }

    func happened(_ event: LoopbackEvent) {
        observer?.happened(event)
    }

    func refused(_ reason: LoopbackRefusal) {
        observer?.happened(.refused(reason))
    }
}

/// Says of requests what a server on loopback cannot know.
///
/// Isolation: any, and concurrently; asked on an event loop, so that it answers from memory.
public protocol RequestCompleting: Sendable {
    /// Completes a request that came through: the page, the destination. By default nothing.
    func complete(_ request: inout ResourceRequest)
}

extension RequestCompleting {
    public func complete(_ request: inout ResourceRequest) {}
}
