// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import ResourceLoading
internal import WebSyntax

/// Detects from the first byte of an intercepted connection whether the client starts TLS or sends plain HTTP. The
/// proxy terminates TLS.
///
/// Isolation: the event loop of its channel.
final class TLSDetector: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The content type of a TLS handshake record (RFC 8446, section 5.1).
    private static let handshake: UInt8 = 22
    private let dependencies: ProxyDependencies
    private let host: HostPort
    private var deadline: Scheduled<Void>?
    private var first: ByteBuffer?
    private var isOver = false
    private var wantsRead = false

    init(_ dependencies: ProxyDependencies, _ host: HostPort) {
        self.dependencies = dependencies
        self.host = host
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // The time limit is that of idle connections, because an engine may open a connection before it has a request.
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(dependencies.limits.idle)) {
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isOver = true
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Reads nothing more until the certificate is available.
    func read(context: ChannelHandlerContext) {
        if first == nil { context.read() } else { wantsRead = true }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard !isOver else { return }
        if first != nil {
            first?.writeBuffer(&bytes)
            return
        }
        guard let byte = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return }
        first = bytes
        if byte == Self.handshake {
            prepare(context)
        } else {
            finishDetection(context, with: nil)
        }
    }

    private func prepare(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        dependencies.leaf(for: host, on: context.eventLoop).whenComplete { result in
            let (handler, context) = me.value
            guard !handler.isOver else { return }
            switch result {
            case .success(let leaf): handler.finishDetection(context, with: leaf)
            case .failure(let error):
                handler.dependencies.happened(.unreachable(handler.host, ResourceError(error)))
                handler.isOver = true
                context.close(promise: nil)
            }
        }
    }

    private func finishDetection(_ context: ChannelHandlerContext, with leaf: LaunchAuthority.Leaf?) {
        isOver = true
        do {
            try dependencies.open(context.channel, to: host, with: leaf)
        } catch {
            return context.close(promise: nil)
        }
        if let first { context.fireChannelRead(wrapInboundOut(first)) }
        first = nil
        context.fireChannelReadComplete()
        let (channel, wantsRead) = (context.channel, wantsRead)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        if wantsRead { channel.read() }
    }
}
