// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1

/// Completes responses that end before their request has been sent.
///
/// If the response refuses the request, AsyncHTTPClient stops sending. It treats the end of the response as the end
/// of the exchange only if body bytes precede it. The handler therefore inserts an empty body part before the end.
///
/// If the response does not refuse the request, for example from a server that responds when it has received the
/// announced bytes, AsyncHTTPClient forgets the request at the end of the response and never returns the connection
/// to the pool. The handler therefore holds the end of the response until the request ends. If the request does not
/// end, the exchange ends with ``CompleteResponse``: over HTTP/2, AsyncHTTPClient terminates the process on an error,
/// close or shutdown after a response that ended before its request.
///
/// Isolation: the event loop of its channel.
final class EarlyResponseEndHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The response is complete, and the rest of the request will not be sent.
    struct CompleteResponse: Error {
        /// The length of the response body, in bytes.
        let length: Int64
    }

    private let isStream: Bool
    private var isSending = false
    private var isRefused = false
    /// The number of response body bytes received so far.
    private var length: Int64 = 0
    /// The end of the response, held until the request ends.
    private var held: HTTPClientResponsePart?
    private var deadline: Scheduled<Void>?
    /// The longest time that the end of a response is held while nothing of the request is sent.
    private static let patience = TimeAmount.seconds(10)

    /// - Parameter isStream: A Boolean value that indicates whether the channel is an HTTP/2 stream. The client
    ///   leaves a stream open for the rest of the request, but closes an HTTP/1.1 connection.
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
            // Not within the client's own call.
            if held != nil {
                let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                context.eventLoop.execute { me.value.0.releaseEnd(me.value.1) }
            }
        }
        context.write(data, promise: promise)
    }

    /// Writes a request head to an HTTP/2 stream and reports a failed write as an error of the stream.
    ///
    /// NIO writes the head in one frame of up to 16 KiB. AsyncHTTPClient ignores the failure of a larger one.
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

    /// Ends the exchange with the complete response and closes the channel if no more of the request is sent in time.
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

    /// Ends an exchange whose request will not end.
    private func breakOff(_ context: ChannelHandlerContext) {
        guard held != nil else { return }
        held = nil
        deadline?.cancel()
        // Otherwise body parts that the client has read but not passed on would be lost.
        context.fireChannelReadComplete()
        context.fireErrorCaught(CompleteResponse(length: length))
    }

    private func releaseEnd(_ context: ChannelHandlerContext) {
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
