// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
public import ResourceLoading
internal import WebSyntax

/// The dependencies of connections that serve requests, for the proxy and the local server.
struct ExchangeDependencies: Sendable {
    let loader: any ResourceLoader
    let completing: any RequestCompleting
    let observer: (any LoopbackObserving)?
    let leaves: LeafStore
    /// The dialer for requests that upgrade to another protocol.
    let dialer: Dialer
    let limits: LoopbackLimits

    /// Makes the loader serve the requests of a connection. Call this on the connection's event loop.
    /// - Parameter leaf: The certificate for TLS; `nil` for no TLS.
    func serve(_ channel: any Channel, _ role: ConnectionRole, with leaf: LaunchAuthority.Leaf?) throws {
        let pipeline = channel.pipeline.syncOperations
        if let leaf {
            try channel.endWhole()
            try pipeline.addHandler(NIOSSLServerHandler(context: leaf.context))
        }
        let http = HTTPHandlers()
        try pipeline.addHandlers(http.all)
        try pipeline.addHandlers(exchanges(for: role, http))
    }

    /// Returns the handlers that serve the requests of an HTTP connection.
    func exchanges(for role: ConnectionRole, _ http: HTTPHandlers) -> [any ChannelHandler] {
        let pipelining = HTTPServerPipelineHandler()
        return [pipelining, ExchangeHandler(self, role, http, pipelining)]
    }

    /// Handles a failed TLS handshake of the engine with a host's certificate, and makes the engine trust the
    /// certificate again. A new network process of the engine does not have the certificates that the former process
    /// trusted.
    func distrusted(_ host: HostPort, _ error: any Error) {
        leaves.renewTrust(host.host)
        happened(
            .unreachable(
                host, ResourceError(.tls, "the TLS handshake of the engine failed", at: "\(host)", cause: error)))
    }

    /// Closes a connection that does not identify itself in time.
    /// - Returns: The timer, to be cancelled when the connection has identified itself.
    func limitIntroduction(_ context: ChannelHandlerContext) -> Scheduled<Void> {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: TimeAmount(limits.introduction)) {
            refused(.unidentified)
            bound.value.close(promise: nil)
        }
    }

    func happened(_ event: LoopbackEvent) {
        observer?.happened(event)
    }

    func refused(_ reason: LoopbackRefusal) {
        observer?.happened(.refused(reason))
    }
}

/// A type of the app that adds to requests the information that a loopback server does not have.
///
/// Isolation: methods may be called from any isolation and concurrently. They are called on an event loop and must
/// not block.
public protocol RequestCompleting: Sendable {
    /// Completes a received request, for example with its page and destination. The default does nothing.
    func complete(_ request: inout ResourceRequest)

    /// Returns a Boolean value that indicates whether a request is one of the app's own that came back. It is refused
    /// with status 508. The default is `false`.
    /// - Parameters:
    ///   - request: The request before it is completed.
    ///   - isOwnProcess: A closure that searches the sockets of this process for the other end of the connection.
    func hasReturned(_ request: ResourceRequest, from isOwnProcess: () -> Bool) -> Bool

    /// Returns a Boolean value that indicates whether a completed request may open a WebSocket. A refused request is
    /// answered with status 403. The default permits all.
    func permitsWebSocket(_ request: ResourceRequest) -> Bool
}

extension RequestCompleting {
    /// Does nothing.
    public func complete(_ request: inout ResourceRequest) {}

    /// Returns `false`.
    public func hasReturned(_ request: ResourceRequest, from isOwnProcess: () -> Bool) -> Bool { false }

    /// Returns `true`.
    public func permitsWebSocket(_ request: ResourceRequest) -> Bool { true }
}
