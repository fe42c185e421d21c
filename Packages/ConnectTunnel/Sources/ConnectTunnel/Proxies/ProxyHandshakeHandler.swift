// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import WebSyntax

/// A handler that opens a tunnel of a proxy on a channel without automatic reads.
///
/// Bytes of the host that arrive before the first `read` after the handshake wait in this handler, and so does the end
/// of input. The handler then removes itself.
///
/// Isolation: the event loop of its channel.
final class ProxyHandshakeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The longest response to one step, in bytes, that is not a head of HTTP.
    private static let maxBytes = 64 << 10
    private var handshake: ProxyHandshake
    private var received = ByteBuffer()
    private let timeLimit: TimeAmount
    private var deadline: Scheduled<Void>?
    private var promise: EventLoopPromise<Void>?
    private var isInputClosed = false

    /// - Parameters:
    ///   - timeLimit: The time limit of the handshake.
    ///   - promise: A promise that is completed when the tunnel is open, or fails with ``ProxyConnectError``.
    init(_ handshake: ProxyHandshake, timeLimit: TimeAmount, promise: EventLoopPromise<Void>) {
        self.handshake = handshake
        self.timeLimit = timeLimit
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let me = NIOLoopBound(self, eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: timeLimit) { me.value.end(.failure(.timedOut)) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: handshake.greeting)), promise: nil)
        context.read()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(.failure(.closed))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        guard promise != nil else { return }
        do throws(ProxyConnectError) {
            let answer = try handshake.receive(&received)
            if !answer.isEmpty {
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
            }
            guard handshake.isOver || received.readableBytes <= Self.maxBytes else {
                throw ProxyConnectError.violation
            }
        } catch {
            return end(.failure(error))
        }
        if handshake.isOver { end(.success(())) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if promise == nil { context.fireChannelReadComplete() } else { context.read() }
    }

    func read(context: ChannelHandlerContext) {
        guard promise == nil else { return context.read() }
        let bytes = received
        received = ByteBuffer()
        if bytes.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(bytes))
            context.fireChannelReadComplete()
        }
        if isInputClosed { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        isInputClosed = false
        context.read()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            guard promise != nil else { return isInputClosed = true }
            end(.failure(.closed))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(.closed))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard promise != nil else { return context.fireErrorCaught(error) }
        end(.failure(.closed))
    }

    /// Completes the promise. Further calls have no effect.
    private func end(_ result: Result<Void, ProxyConnectError>) {
        deadline?.cancel()
        guard let promise else { return }
        self.promise = nil
        promise.completeWith(result.mapError { $0 as any Error })
    }
}
