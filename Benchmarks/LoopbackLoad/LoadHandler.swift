// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOTLS

/// The handler of one connection. It sends requests on schedule or without a pause, and records the responses.
///
/// Isolation: the event loop of its channel.
final class LoadHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// The times of the requests.
    struct Schedule: Sendable {
        let first: NIODeadline
        /// The time between requests; `nil` for a request after each response.
        let interval: TimeAmount?
        let end: NIODeadline
    }

    private let head: HTTPRequestHead
    private let bytes: Int
    /// A promise that succeeds after the TLS handshake.
    private let ready: EventLoopPromise<Void>
    private var context: ChannelHandlerContext?
    private var schedule: Schedule?
    private var finished: EventLoopPromise<Tally>?
    private var tally = Tally()
    /// The time of the next request.
    private var due = NIODeadline.uptimeNanoseconds(0)
    /// The time from which the latency of the current request counts; `nil` if no request is in progress.
    private var requestTime: NIODeadline?
    private var status = HTTPResponseStatus.ok
    private var received = 0

    init(_ head: HTTPRequestHead, bytes: Int, ready: EventLoopPromise<Void>) {
        self.head = head
        self.bytes = bytes
        self.ready = ready
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent { ready.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ready.fail(error)
        end("\(error)")
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        ready.fail(ChannelError.eof)
        end("the connection was closed")
        context.fireChannelInactive()
    }

    /// Starts the requests. The future completes when the last response has arrived.
    func start(_ schedule: Schedule, patience: TimeAmount) -> EventLoopFuture<Tally> {
        guard let context else {
            var tally = Tally()
            tally.fail("the connection was closed before the start")
            return ready.futureResult.eventLoop.makeSucceededFuture(tally)
        }
        self.schedule = schedule
        due = schedule.first
        let promise = context.eventLoop.makePromise(of: Tally.self)
        finished = promise
        context.eventLoop.assumeIsolated().scheduleTask(deadline: schedule.end + patience) { self.end("no response") }
        next()
        return promise.futureResult
    }

    /// Sends the next request or waits until it is due. The latency of a late request counts from its due time.
    private func next() {
        guard let schedule, let context, finished != nil, requestTime == nil else { return }
        let now = NIODeadline.now()
        if schedule.interval == nil { due = max(now, schedule.first) }
        guard due < schedule.end else { return end(nil) }
        guard due <= now else {
            context.eventLoop.assumeIsolated().scheduleTask(deadline: due) { self.next() }
            return
        }
        requestTime = due
        if let interval = schedule.interval { due = due + interval }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            status = head.status
            received = 0
        case .body(let piece): received += piece.readableBytes
        case .end: answered()
        }
    }

    private func answered() {
        guard let from = requestTime, let schedule else { return }
        requestTime = nil
        let now = NIODeadline.now()
        if status == .ok, received == bytes {
            tally.latencies.append(UInt32(clamping: (now - from).nanoseconds / 1_000))
            if now <= schedule.end { tally.inTime += 1 }
        } else {
            tally.fail("status \(status.code) with \(received) bytes")
        }
        next()
    }

    /// Ends the connection.
    /// - Parameter error: the error; `nil` if there is none.
    private func end(_ error: String?) {
        guard let finished else { return }
        self.finished = nil
        if let error { tally.fail(error) }
        finished.succeed(tally)
        context?.close(promise: nil)
    }
}
