// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import NIOCore
internal import NIOFoundationCompat
internal import NIOHTTP1
internal import NIOSSL
internal import NIOTLS
internal import ResourceLoading

/// Serves the requests of one connection with a loader, one after another. `HTTPServerPipelineHandler`, which precedes
/// it, delays pipelined requests.
///
/// Isolation: the event loop of its channel.
final class ExchangeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The number of request bytes that are read after an early response. Closing with unread bytes would reset the
    /// connection, and the response could be lost (RFC 9112, section 9.6).
    private static let longestRest = 1 << 20
    /// The limit of nested responses in one call stack.
    private static let deepest = 8
    private let dependencies: ExchangeDependencies
    private let role: ConnectionRole
    private let http: HTTPHandlers
    private let pipelining: HTTPServerPipelineHandler
    private var context: ChannelHandlerContext?
    private var exchange: Exchange?
    /// A Boolean value that indicates whether the response to a request without a body waits for the end of the
    /// request.
    private var isAnswerPending = false
    /// The current number of nested responses.
    private var depth = 0
    /// The number of the current request. Demand from readers of earlier bodies is ignored.
    private var number: UInt64 = 0
    /// A Boolean value that indicates whether the connection serves no further request. Further input is ignored.
    private var isOver = false
    /// A Boolean value that indicates whether a part of a request was received, and TLS is therefore established.
    private var hasReceived = false
    private var wantsRead = false
    private var rest = 0
    private var deadline: Scheduled<Void>?

    init(
        _ dependencies: ExchangeDependencies, _ role: ConnectionRole, _ http: HTTPHandlers,
        _ pipelining: HTTPServerPipelineHandler
    ) {
        self.dependencies = dependencies
        self.role = role
        self.http = http
        self.pipelining = pipelining
    }

    // MARK: Events of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        limit(dependencies.limits.patience)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        if let exchange, exchange.life.accept(.close) == .close { end(exchange, .stopped) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let host = role.host, !hasReceived, case NIOSSLError.handshakeFailed = error {
            dependencies.distrusted(host, error)
        }
        guard error is HTTPParserError, error as? HTTPParserError != .invalidEOFState, !isOver else {
            return context.close(promise: nil)
        }
        if let exchange {
            // The reader of an unfinished body must receive the error.
            guard !exchange.life.hasBegun, exchange.life.accept(.fail) == .close else {
                return context.close(promise: nil)
            }
            end(exchange, .failed(ResourceError(.invalidRequest, "invalid request body framing", cause: error)))
        }
        refuse(context, RequestFault("not HTTP/1.1"))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event, let host = role.host {
            dependencies.happened(.connected(host))
        }
        if let event = event as? ChannelEvent, event == .inputClosed {
            // A peer that closes its side during an exchange has cancelled it.
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func read(context: ChannelHandlerContext) {
        if mayRead { context.read() } else { wantsRead = true }
    }

    private var mayRead: Bool {
        guard let exchange, exchange.body != nil else { return true }
        return exchange.wantsBody
    }

    private func resumeReading() {
        guard wantsRead, mayRead else { return }
        wantsRead = false
        context?.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasReceived = true
        switch unwrapInboundIn(data) {
        case .head(let head): if !isOver { receive(context, head) }
        case .body(let bytes): receive(context, bytes)
        case .end: receiveEnd()
        }
    }

    /// Closes the connection if nothing cancels the timer within the time.
    private func limit(_ time: Duration?) {
        deadline?.cancel()
        guard let time, let context else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(time)) { bound.value.close(promise: nil) }
    }

    // MARK: Requests

    private func receive(_ context: ChannelHandlerContext, _ head: HTTPRequestHead) {
        do throws(RequestFault) {
            let framing = try RequestFraming(head)
            try RequestFraming.check(head)
            let target = try role.target(of: head)
            if case .proxy(let credentials) = role, !credentials.areContained(in: head.headers) {
                return answer(
                    context, .proxyAuthenticationRequired, ["proxy-authenticate": ProxyDependencies.challenge])
            }
            var head = head
            role.restore(&head.headers)
            let request = try request(head, target)
            let channel = context.channel
            if dependencies.completing.hasReturned(request, from: { OwnSockets.containPeer(of: channel) }) {
                throw RequestFault(returned: request.head.urlText)
            }
            if framing == .none, Upgrade.isRequested(for: head) {
                return upgrade(context, head, target, request)
            }
            begin(context, request, head, framing)
        } catch {
            refuse(context, error)
        }
    }

    private func request(
        _ head: HTTPRequestHead, _ target: ConnectionRole.Target
    ) throws(RequestFault) -> ResourceRequest {
        guard let method = HTTPRequest.Method(head.method.rawValue) else {
            throw RequestFault("the method is not a token", .notImplemented)
        }
        return ResourceRequest(
            HTTPRequest(
                method: method, scheme: target.isSecure ? "https" : "http",
                authority: target.authority, path: target.path,
                headerFields: HTTPFields(forwarding: head.headers)))
    }

    private func begin(
        _ context: ChannelHandlerContext, _ request: ResourceRequest, _ head: HTTPRequestHead, _ framing: RequestFraming
    ) {
        var request = request
        var source: RequestBody.Source?
        number += 1
        if framing != .none {
            let (bodySource, body) = RequestBody.make(demand(on: context.eventLoop))
            source = bodySource
            let length: Int64? = if case .length(let length) = framing { length } else { nil }
            request.body = .stream(ByteStream(body, length: length))
        }
        dependencies.completing.complete(&request)
        let exchange = Exchange(request, head, hasBody: framing != .none)
        exchange.body = source
        self.exchange = exchange
        if framing == .none {
            // The end of the request follows immediately. The response waits for it, because a response before the end
            // of its request prevents reuse of the connection.
            isAnswerPending = true
            deadline?.cancel()
        } else {
            limitBody(of: exchange)
            work(on: exchange)
        }
    }

    private func receive(_ context: ChannelHandlerContext, _ bytes: ByteBuffer) {
        guard let exchange, let source = exchange.body else {
            // Bytes of a request whose response has already ended.
            rest += bytes.readableBytes
            if rest > Self.longestRest { context.close(promise: nil) }
            return
        }
        exchange.awaitsContinue = false
        switch source.yield(bytes) {
        case .stopProducing: exchange.wantsBody = false
        case .produceMore, .dropped: break
        }
        limitBody(of: exchange)
    }

    /// Limits the time in which the engine must send body bytes. The limit does not apply while the reader of the body
    /// pauses.
    private func limitBody(of exchange: Exchange) {
        limit(exchange.wantsBody && !exchange.awaitsContinue ? dependencies.limits.patience : nil)
    }

    private func receiveEnd() {
        guard let exchange else {
            if rest > 0 { context?.close(promise: nil) }
            return
        }
        _ = exchange.life.accept(.requestEnd)
        exchange.body?.finish()
        exchange.body = nil
        deadline?.cancel()
        resumeReading()
        guard isAnswerPending else { return }
        isAnswerPending = false
        answerInTurn(exchange)
    }

    private func demand(on eventLoop: any EventLoop) -> RequestBody.Demand {
        // The reference is weak, because a body can outlive its connection.
        let me = NIOLoopBound(Owner(self), eventLoop: eventLoop)
        let number = number
        return RequestBody.Demand(eventLoop: eventLoop) {
            me.value.handler?.permitBody(of: number)
        } onMore: {
            me.value.handler?.readMore(of: number)
        } onEnd: {
            // Reads and drops the rest of a body that has no reader any more.
            me.value.handler?.readMore(of: number)
        }
    }

    private final class Owner {
        weak var handler: ExchangeHandler?

        init(_ handler: ExchangeHandler) {
            self.handler = handler
        }
    }

    private func readMore(of number: UInt64) {
        guard number == self.number, let exchange, exchange.body != nil, !exchange.wantsBody else { return }
        exchange.wantsBody = true
        limitBody(of: exchange)
        resumeReading()
    }

    /// Sends 100 (Continue) (RFC 9110, section 10.1.1).
    private func permitBody(of number: UInt64) {
        guard number == self.number, let context, let exchange, exchange.awaitsContinue, !exchange.life.hasBegun
        else { return }
        exchange.awaitsContinue = false
        limitBody(of: exchange)
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
    }

    // MARK: Responses

    /// Responds to a request, at most ``deepest`` levels deep in one call stack.
    ///
    /// The end of a response releases the next pipelined request within the same call. Deeper levels continue in the
    /// next turn of the event loop, so that many pipelined requests do not overflow the stack.
    private func answerInTurn(_ exchange: Exchange) {
        guard depth >= Self.deepest, let context else {
            depth += 1
            defer { depth -= 1 }
            return answerPromptly(exchange)
        }
        let me = NIOLoopBound((self, exchange), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (handler, exchange) = me.value
            // The connection may be closed by then.
            if handler.exchange === exchange { handler.answerInTurn(exchange) }
        }
    }

    /// Responds immediately if the loader has the response in memory.
    private func answerPromptly(_ exchange: Exchange) {
        guard [.get, .head].contains(exchange.request.head.method),
            case .known(let response?) = dependencies.loader.immediateResponse(to: exchange.request)
        else { return work(on: exchange) }
        switch response.body {
        case .empty: deliver(response, Data(), to: exchange)
        case .bytes(let data): deliver(response, data, to: exchange)
        case .file, .stream: work(on: exchange, response)
        }
    }

    /// Loads the response, unless it is known, and delivers it.
    private func work(on exchange: Exchange, _ known: ResourceResponse? = nil) {
        guard let context else { return }
        let link = ExchangeLink(self, exchange, on: context.eventLoop)
        let (loader, request) = (dependencies.loader, exchange.request)
        exchange.work = Task {
            do {
                var answer = known
                if answer == nil { answer = try await loader.load(request) }
                guard let answer else {
                    throw ResourceError(.internal, "no loader returned a response", at: request.head.urlText)
                }
                try await link.deliver(answer)
            } catch {
                link.fail(error)
            }
        }
    }

    /// Sends a complete response.
    func deliver(_ response: ResourceResponse, _ data: Data, to exchange: Exchange) {
        guard begin(response, length: Int64(data.count), of: exchange) else { return }
        if !data.isEmpty { _ = write(data, of: exchange) }
        finish(exchange)
    }

    /// Sends the head of a response.
    /// - Parameter length: The length of the body; `nil` if unknown.
    /// - Returns: `true` if a body may follow.
    func begin(_ response: ResourceResponse, length: Int64?, of exchange: Exchange) -> Bool {
        guard let context else { return false }
        // A loader must not return an informational response or an upgrade. The exchange would never end.
        guard response.head.status.code >= 200 else {
            fail(exchange, ResourceError(.internal, "a response with status \(response.head.status.code)"))
            return false
        }
        guard exchange.life.accept(.head) == .proceed else { return false }
        exchange.report.record(response)
        var head = FramedResponseHead(response.head, length: length, to: exchange)
        role.localize(&head.head.headers)
        exchange.remaining = head.length
        exchange.hasBody = head.hasBody
        if !head.keepsAlive { exchange.life.preventReuse() }
        context.write(wrapOutboundOut(.head(head.head)), promise: nil)
        return true
    }

    func flush() {
        context?.flush()
    }

    /// Sends a chunk of a response body.
    /// - Returns: A future that succeeds when the chunk has been written to the socket, or `nil` if no more data is
    ///   accepted.
    func write(_ data: Data, of exchange: Exchange) -> EventLoopFuture<Void>? {
        guard let context, exchange.life.accept(.data) == .proceed else { return nil }
        guard exchange.hasBody else { return context.eventLoop.makeSucceededVoidFuture() }
        if let remaining = exchange.remaining {
            guard Int64(data.count) <= remaining else {
                fail(exchange, ResourceError(.connectionLost, "the response body is longer than announced"))
                return nil
            }
            exchange.remaining = remaining - Int64(data.count)
        }
        exchange.report.bytes += Int64(data.count)
        return context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(data: data)))))
    }

    func finish(_ exchange: Exchange) {
        guard let context else { return }
        if let remaining = exchange.remaining, remaining > 0 {
            return fail(exchange, ResourceError(.connectionLost, "the response body is shorter than announced"))
        }
        let step = exchange.life.accept(.end)
        guard step == .next || step == .close else { return }
        end(exchange, .finished)
        let channel = context.channel
        let isRead = exchange.body == nil
        // This state is set before the write, because the next request may start within the call to `writeAndFlush`.
        isOver = step == .close
        if step == .next { limit(dependencies.limits.idle) }
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        guard step == .close else { return }
        if isRead {
            written.whenComplete { _ in channel.close(promise: nil) }
        } else {
            drainRequest(context)
        }
    }

    /// Ends a failed exchange so that the engine sees a broken connection, as it would without the proxy.
    func fail(_ exchange: Exchange, _ error: ResourceError) {
        let hadBegun = exchange.life.hasBegun
        guard let context, exchange.life.accept(.fail) == .close else { return }
        isOver = true
        end(exchange, .failed(error))
        let channel = context.channel
        // Without chunks or a length, a normal close would mark the body as complete.
        guard !hadBegun else { return exchange.remaining == nil ? channel.breakOff() : channel.close(promise: nil) }
        // If the connection closed without a byte, an engine would assume a stale connection and send the request
        // again.
        let broken = ByteBuffer(string: "HTTP/1.1 ")
        guard let outside = try? context.pipeline.syncOperations.context(handler: http.encoder) else {
            return channel.close(promise: nil)
        }
        outside.writeAndFlush(NIOAny(broken)).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Reads and drops the rest of a request whose response has ended. With unread bytes the close would be a reset,
    /// which can destroy the response (RFC 9112, section 9.6).
    private func drainRequest(_ context: ChannelHandlerContext) {
        rest = 1
        limit(.seconds(2))
        context.close(mode: .output, promise: nil)
        context.read()
    }

    private func end(_ exchange: Exchange, _ outcome: ExchangeReport.Outcome) {
        if case .finished = outcome {} else { exchange.work?.cancel() }
        exchange.body?.finish(ResourceError(.cancelled, "the request has ended"))
        exchange.work = nil
        exchange.report.end(outcome)
        if self.exchange === exchange { self.exchange = nil }
        dependencies.observer?.ended(exchange.report)
    }

    // MARK: Refusals

    private func refuse(_ context: ChannelHandlerContext, _ fault: RequestFault) {
        dependencies.refused(fault.refusal)
        answer(context, HTTPResponseStatus(statusCode: fault.status.rawValue))
    }

    private func answer(_ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ fields: HTTPHeaders = [:]) {
        var head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        head.headers.add(name: "content-length", value: "0")
        head.headers.add(name: "connection", value: "close")
        isOver = true
        let channel = context.channel
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    // MARK: Upgrades

    private func upgrade(
        _ context: ChannelHandlerContext, _ head: HTTPRequestHead, _ target: ConnectionRole.Target,
        _ request: ResourceRequest
    ) {
        var request = request
        dependencies.completing.complete(&request)
        var report = ExchangeReport(request)
        guard dependencies.completing.permitsWebSocket(request) else {
            let response = ResourceResponse(
                head: HTTPResponse(status: .forbidden), body: .empty,
                provenance: Provenance(.synthetic, reason: "the app blocks the WebSocket"))
            report.record(response)
            report.end(.finished)
            dependencies.observer?.ended(report)
            return answer(context, .forbidden)
        }
        let upgrade = Upgrade(
            dependencies, role, of: context.channel, http: http, handlers: [pipelining, self], report: report)
        deadline?.cancel()
        isOver = true
        upgrade.start(head, target)
    }
}
