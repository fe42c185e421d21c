// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import WebSyntax

/// A handler that sends immediate responses on the event loop and forwards other requests to the server's task.
///
/// For a small response from memory, the switch to a task and back takes longer than all other work. Responses have the
/// order of their requests, because the handler responds only if no earlier request is pending.
///
/// Isolation: the event loop of its channel.
final class ImmediateResponseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A complete response.
    struct Answer {
        let head: HTTPResponse
        let body: ByteBuffer?
    }

    private let idleTimeout: TimeAmount
    private let answer: @Sendable (HTTPRequest) -> Answer?
    /// The head of a request for which an immediate response is permitted. It is stored until the end of the request
    /// shows that there is no body.
    private var held: HTTPRequest?
    /// The number of forwarded requests whose responses have not ended.
    private var passed = 0
    /// A Boolean value that indicates whether the handler is receiving a request that it forwards.
    private var isInRequest = false
    private var hasWritten = false
    private var lastUse = NIODeadline.now()
    private var deadline: Scheduled<Void>?

    /// Creates a handler.
    /// - Parameters:
    ///   - idleTimeout: The time without bytes from the client after which the connection is closed, unless it waits
    ///     for a response.
    ///   - answer: A closure that returns the immediate response to a request, or `nil` if the request must be
    ///     forwarded.
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
            // The flush runs after the reads of all other ready connections. Sending the responses together wakes
            // their readers less often.
            context.eventLoop.assumeIsolated().execute { context.flush() }
        }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            // An error response to an unreadable request has no counterpart in `passed`.
            passed = max(0, passed - 1)
            lastUse = .now()
        }
        context.write(data, promise: promise)
    }

    /// Returns a Boolean value that indicates whether the request permits an immediate response. A request with a
    /// `Connection` field other than `keep-alive` is forwarded to the server.
    private static func mayBeImmediate(_ head: HTTPRequest) -> Bool {
        guard head.method == .get || head.method == .head else { return false }
        guard let connection = head.headerFields[.connection] else { return true }
        return connection.utf8.equalsIgnoringCase("keep-alive")
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

    /// Schedules a periodic idle check, which is cheaper than a new timer for each request.
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
