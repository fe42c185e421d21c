// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOTLS
internal import ResourceLoading
internal import WebSyntax

/// Determines the site of a connection to the local server from the server name of its TLS handshake (RFC 6066, section
/// 3), and adds the handlers of the site. If the site is not served, the connection is closed without a byte.
///
/// Isolation: the event loop of its channel.
final class LocalSiteHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let dependencies: LocalSiteDependencies
    private let didIdentify: @Sendable () -> Void
    private var deadline: Scheduled<Void>?
    private var isPreparing = false
    private var wantsRead = false

    private init(_ dependencies: LocalSiteDependencies, didIdentify: @escaping @Sendable () -> Void) {
        self.dependencies = dependencies
        self.didIdentify = didIdentify
    }

    /// Adds the handlers to a new connection. Call this on the channel's event loop.
    /// - Parameter didIdentify: A closure that is called, once or more, when the connection has sent the token or is
    ///   closed.
    static func add(
        to channel: any Channel, _ dependencies: LocalSiteDependencies, didIdentify: @escaping @Sendable () -> Void
    ) throws {
        let handler = LocalSiteHandler(dependencies, didIdentify: didIdentify)
        let me = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        let greeting = ByteToMessageHandler(
            SNIHandler { result in me.value.receive(result, of: channel) })
        try channel.pipeline.syncOperations.addHandlers([handler, greeting])
        channel.closeFuture.whenComplete { _ in didIdentify() }
    }

    // MARK: Events of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        deadline = dependencies.exchange.limitIntroduction(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
    }

    /// Reads nothing more until the certificate is available.
    func read(context: ChannelHandlerContext) {
        if isPreparing { wantsRead = true } else { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: TLS ClientHello

    /// - Returns: A future that succeeds when the next handlers are in place. The bytes read so far are then forwarded
    ///   to these handlers.
    private func receive(_ result: SNIResult, of channel: any Channel) -> EventLoopFuture<Void> {
        deadline?.cancel()
        let name = if case .hostname(let name) = result { name } else { "" }
        guard let site = dependencies.sites.site(named: name), let port = channel.localAddress?.port else {
            dependencies.exchange.refused(.unknownSite(name))
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ChannelError.alreadyClosed)
        }
        isPreparing = true
        let role = LocalSiteRole(site: site, port: port, token: dependencies.token, didIdentify: didIdentify)
        let me = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let leaf = dependencies.exchange.leaves.leaf(
            for: role.place, within: dependencies.exchange.limits.patience, on: channel.eventLoop)
        return leaf.flatMapThrowing { leaf in
            guard channel.isActive else { throw ChannelError.alreadyClosed }
            let handler = me.value
            try handler.dependencies.exchange.serve(channel, .site(role), with: leaf)
            channel.pipeline.syncOperations.removeHandler(handler, promise: nil)
            if handler.wantsRead { channel.read() }
        }.flatMapErrorThrowing { error in
            if channel.isActive {
                me.value.dependencies.exchange.happened(.unreachable(role.place, ResourceError(error)))
            }
            channel.close(promise: nil)
            throw error
        }
    }
}

/// The shared dependencies of the connections of a local server.
struct LocalSiteDependencies: Sendable {
    let exchange: ExchangeDependencies
    let sites: LocalSites
    let token: AccessToken
}
