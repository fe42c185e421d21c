// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Answers what is known at once on the connection's own thread, and passes all else on to the task behind it: for a
/// small answer from memory the way to a task and back takes longer than the rest.
///
/// Answers keep the order of their requests: nothing is answered here while an earlier request is not.
///
/// Isolation: its channel's event loop.
final class ImmediateResponseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A whole answer.
    struct Answer {
        let head: HTTPResponse
        let body: ByteBuffer?
    }

    private let idleTimeout: TimeAmount
    private let answer: @Sendable (HTTPRequest) -> Answer?
    /// A request that may be answered here, until its end shows that it has no body.
    private var held: HTTPRequest?
    /// How many requests were passed on whose answers have not ended.
    private var passed = 0
    /// Whether a request that was passed on has not ended.
    private var isInRequest = false
    private var hasWritten = false
    private var lastUse = NIODeadline.now()
    private var deadline: Scheduled<Void>?

    /// - Parameters:
    ///   - idleTimeout: after so long without a byte from the client a connection is closed, unless that waits for an
    ///     answer.
    ///   - answer: `nil` for what has to wait.
    init(idleTimeout: TimeAmount, answer: @escaping @Sendable (HTTPRequest) -> Answer?) {
        self.idleTimeout = idleTimeout
        self.answer = answer
    }

    func handlerAdded(context: ChannelHandlerContext) {
        limit(context, idleTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastUse = .now()
        switch unwrapInboundIn(data) {
        case .head(let head):
            if passed == 0, Self.mayBeImmediate(head), context.channel.isWritable {
                held = head
            } else {
                pass(context, head)
            }
        case .body:
            passHeld(context)
            context.fireChannelRead(data)
        case .end:
            if let held, let answer = answer(held) {
                self.held = nil
                write(answer, context)
            } else {
                passHeld(context)
                isInRequest = false
                context.fireChannelRead(data)
            }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if hasWritten {
            hasWritten = false
            // After all connections that have something to read now: one answer after another keeps their readers awake,
            // where each alone would wake one up.
            context.eventLoop.assumeIsolated().execute { context.flush() }
        }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            // A refusal of what cannot be read answers no request.
            passed = max(0, passed - 1)
            lastUse = .now()
        }
        context.write(data, promise: promise)
    }

    /// A connection that ends with its answer, and fields that are for this connection, are the server's matter.
    private static func mayBeImmediate(_ head: HTTPRequest) -> Bool {
        guard head.method == .get || head.method == .head else { return false }
        guard let connection = head.headerFields[.connection] else { return true }
        return connection.lowercased() == "keep-alive"
    }

    private func passHeld(_ context: ChannelHandlerContext) {
        guard let head = held else { return }
        held = nil
        pass(context, head)
    }

    private func pass(_ context: ChannelHandlerContext, _ head: HTTPRequest) {
        passed += 1
        isInRequest = true
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
        hasWritten = true
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        if let body = answer.body { context.write(wrapOutboundOut(.body(body)), promise: nil) }
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
    }

    // MARK: Idle connections

    /// Looks from time to time, rather than to set a time anew with each request.
    private func limit(_ context: ChannelHandlerContext, _ time: TimeAmount) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            let waits = passed > 0 && !isInRequest
            let idle = NIODeadline.now() - lastUse
            if waits {
                limit(context, idleTimeout)
            } else if idle < idleTimeout {
                limit(context, idleTimeout - idle)
            } else {
                context.close(promise: nil)
            }
        }
    }
}
