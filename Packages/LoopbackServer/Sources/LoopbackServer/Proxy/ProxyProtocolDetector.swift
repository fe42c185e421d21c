// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOSOCKS

/// Detects from the first byte whether a proxy connection uses SOCKS5 (RFC 1928) or HTTP, and adds the handlers of the
/// protocol.
///
/// Isolation: the event loop of its channel.
final class ProxyProtocolDetector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let dependencies: ProxyDependencies
    private let didIdentify: () -> Void
    private var deadline: Scheduled<Void>?
    private var isOver = false

    /// - Parameter didIdentify: A closure that is called, once or more, when the connection has identified itself or is
    ///   closed.
    init(_ dependencies: ProxyDependencies, didIdentify: @escaping () -> Void) {
        self.dependencies = dependencies
        self.didIdentify = didIdentify
    }

    func handlerAdded(context: ChannelHandlerContext) {
        deadline = dependencies.exchange.limitIntroduction(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        didIdentify()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard !isOver, let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else {
            return context.fireChannelRead(data)
        }
        isOver = true
        let pipeline = context.pipeline.syncOperations
        do {
            if first == 5 {
                try pipeline.addHandlers([
                    SOCKSServerHandshakeHandler(), SOCKSHandler(dependencies, didIdentify: didIdentify),
                ])
            } else {
                let http = HTTPHandlers()
                try pipeline.addHandlers(
                    http.all + [ProxyRequestHandler(dependencies, http: http, didIdentify: didIdentify)])
            }
        } catch {
            return context.close(promise: nil)
        }
        context.fireChannelRead(wrapInboundOut(bytes))
        pipeline.removeHandler(self, promise: nil)
    }
}
