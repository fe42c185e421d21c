// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1

/// Lets an answer end that is whole before its request is out.
///
/// One that refuses the request: AsyncHTTPClient sends no more of it then, but takes the answer's end for the end of the
/// exchange only where bytes come with it: an empty piece goes before it here.
///
/// One that does not, such as of a server that answers as soon as it has the bytes that were announced: AsyncHTTPClient
/// forgets such a request with the last byte of the answer, and never takes its connection back. So the answer's end waits
/// here for the request's, which follows. Where that never comes, the exchange ends with ``WholeAnswer``: over HTTP/2,
/// AsyncHTTPClient ends the process on an error, a close or a shutdown after an answer that has ended before its request.
///
/// Isolation: its channel's event loop.
final class EarlyAnswerEnd: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The response is complete, and the rest of the request will not be sent.
    struct WholeAnswer: Error {
        /// The number of bytes of the answer's body.
        let length: Int64
    }

    private let isStream: Bool
    private var isSending = false
    private var isRefused = false
    /// The number of bytes of the answer's body that have come.
    private var length: Int64 = 0
    /// The end of an answer that waits, and how long that does while nothing of the request is sent.
    private var held: HTTPClientResponsePart?
    private var deadline: Scheduled<Void>?
    private static let patience = TimeAmount.seconds(10)

    /// - Parameter isStream: whether the channel is a stream of HTTP/2. The client leaves it open for the rest of the request,
    ///   which does not come; a connection of HTTP/1.1 it closes.
    init(isStream: Bool) {
        self.isStream = isStream
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head:
            isSending = true
            isRefused = false
            if isStream { return writeHead(data, context, promise) }
        case .body: if held != nil { limit(context) }
        case .end:
            isSending = false
            // Not from within the client's call.
            if held != nil {
                let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                context.eventLoop.execute { me.value.0.letGo(me.value.1) }
            }
        }
        context.write(data, promise: promise)
    }

    /// NIO writes a head of HTTP/2 in one frame, of up to 16 KB. The client does not hear that a larger one was not written.
    private func writeHead(_ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.futureResult.whenFailure { bound.value.fireErrorCaught($0) }
        context.write(data, promise: written)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        held = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        breakOff(context)
        context.fireErrorCaught(error)
    }

    /// Who waits for the rest of a request that does not come has its answer, and the connection is given up.
    private func limit(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: Self.patience) {
            let (end, context) = me.value
            end.breakOff(context)
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        breakOff(context)
        context.fireChannelInactive()
    }

    /// The request's end does not come.
    private func breakOff(_ context: ChannelHandlerContext) {
        guard held != nil else { return }
        held = nil
        deadline?.cancel()
        // What the client has read and not passed on would be lost.
        context.fireChannelReadComplete()
        context.fireErrorCaught(WholeAnswer(length: length))
    }

    private func letGo(_ context: ChannelHandlerContext) {
        guard let end = held else { return }
        held = nil
        deadline?.cancel()
        context.fireChannelRead(wrapInboundOut(end))
        context.fireChannelReadComplete()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isRefused = isSending && head.status.code >= 300
            length = 0
            context.fireChannelRead(data)
        case .body(let bytes):
            length += Int64(bytes.readableBytes)
            context.fireChannelRead(data)
        case .end where isRefused:
            context.fireChannelRead(wrapInboundOut(.body(ByteBuffer())))
            context.fireChannelRead(data)
            if isStream { context.close(promise: nil) }
        case .end where isSending:
            held = unwrapInboundIn(data)
            limit(context)
        case .end: context.fireChannelRead(data)
        }
    }
}
