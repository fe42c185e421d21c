// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1

/// A handler that completes responses that end before their request has been sent.
///
/// If the response refuses the request, AsyncHTTPClient stops sending. It treats the end of the response as the end
/// of the exchange only if body bytes precede it. The handler therefore inserts an empty body part before the end.
///
/// A response that does not refuse the request can also end early, for example when the server has received the
/// announced bytes. AsyncHTTPClient then forgets the request and never returns the connection to the pool. The handler
/// therefore delays the end of the response until the request ends.
///
/// If the request does not end, the exchange ends with ``CompleteResponse``. Otherwise AsyncHTTPClient would terminate
/// the process over HTTP/2, on an error, close or shutdown after a response that ended before its request.
///
/// Isolation: the event loop of its channel.
final class EarlyResponseEndHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The error of an exchange whose response is complete and whose request will not end.
    struct CompleteResponse: Error {
        /// The length of the response body, in bytes.
        let length: Int64
    }

    private let isStream: Bool
    private var isSending = false
    private var isRefused = false
    /// The number of response body bytes received so far.
    private var length: Int64 = 0
    /// The end of the response, which is delayed until the request ends; `nil` if no end is delayed.
    private var held: HTTPClientResponsePart?
    private var deadline: Scheduled<Void>?
    /// The longest time that the end of a response is delayed while no part of the request is sent.
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
            // Delivers the end of the response after this call of the client has returned.
            if held != nil {
                let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                context.eventLoop.execute { me.value.0.releaseEnd(me.value.1) }
            }
        }
        context.write(data, promise: promise)
    }

    /// Writes a request head to an HTTP/2 stream and reports a failed write as an error of the stream.
    ///
    /// NIO writes the head in one frame of at most 16 KiB. AsyncHTTPClient ignores the failed write of a larger head.
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

    /// Ends the exchange with the complete response if the end of the response is delayed.
    private func breakOff(_ context: ChannelHandlerContext) {
        guard held != nil else { return }
        held = nil
        deadline?.cancel()
        // Without this event, the client would lose body parts that it has read and not yet delivered.
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
