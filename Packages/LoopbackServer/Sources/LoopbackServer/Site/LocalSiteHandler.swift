// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore
internal import NIOTLS
internal import ResourceLoading

/// Where a connection to the local server says by its TLS handshake which site it is for (RFC 6066, section 3). Then it
/// makes room for that; who asks for no site that is served gets no byte.
///
/// Isolation: its channel's event loop.
final class LocalSiteHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let parts: LocalSiteDependencies
    private let becameKnown: @Sendable () -> Void
    private var deadline: Scheduled<Void>?
    private var isPreparing = false
    private var wantsRead = false

    private init(_ parts: LocalSiteDependencies, becameKnown: @escaping @Sendable () -> Void) {
        self.parts = parts
        self.becameKnown = becameKnown
    }

    /// On the channel's event loop.
    /// - Parameter becameKnown: called, once or more, when the connection has said the token, or is gone.
    static func add(
        to channel: any Channel, _ parts: LocalSiteDependencies, becameKnown: @escaping @Sendable () -> Void
    ) throws {
        let entrance = LocalSiteHandler(parts, becameKnown: becameKnown)
        let me = NIOLoopBound(entrance, eventLoop: channel.eventLoop)
        let greeting = ByteToMessageHandler(
            SNIHandler { result in me.value.receive(result, of: channel) })
        try channel.pipeline.syncOperations.addHandlers([entrance, greeting])
        channel.closeFuture.whenComplete { _ in becameKnown() }
    }

    // MARK: Events of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(parts.exchange.limits.introduction)) {
            let (entrance, context) = me.value
            entrance.parts.exchange.refused(.unidentified)
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
    }

    /// Until the certificate is there, nothing more.
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

    // MARK: The greeting

    /// - Returns: when what comes after is in its place: what was read before goes there then.
    private func receive(_ result: SNIResult, of channel: any Channel) -> EventLoopFuture<Void> {
        deadline?.cancel()
        let name = if case .hostname(let name) = result { name } else { "" }
        guard let site = parts.sites.site(named: name), let port = channel.localAddress?.port else {
            parts.exchange.refused(.unknownSite(name))
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ChannelError.alreadyClosed)
        }
        isPreparing = true
        let front = LocalSiteRole(site: site, port: port, token: parts.token, becameKnown: becameKnown)
        let me = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let leaf = parts.exchange.leaves.leaf(
            for: front.place, within: parts.exchange.limits.patience, on: channel.eventLoop)
        return leaf.flatMapThrowing { leaf in
            guard channel.isActive else { throw ChannelError.alreadyClosed }
            let entrance = me.value
            try entrance.parts.exchange.serve(channel, .site(front), with: leaf)
            channel.pipeline.syncOperations.removeHandler(entrance, promise: nil)
            if entrance.wantsRead { channel.read() }
        }.flatMapErrorThrowing { error in
            if channel.isActive { me.value.parts.exchange.happened(.unreachable(front.place, ResourceError(error))) }
            channel.close(promise: nil)
            throw error
        }
    }
}
