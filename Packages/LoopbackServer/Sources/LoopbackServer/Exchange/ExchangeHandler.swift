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

/// Answers the requests of one connection by a loader, one after the other: NIO's pipeline handler before it holds back
/// what comes too early.
///
/// Isolation: its channel's event loop.
final class ExchangeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// How much of a request that was answered early is still read, so that its answer arrives.
    private static let longestRest = 1 << 20
    /// How many answers at most are given inside of one another.
    private static let deepest = 8
    private let dependencies: ExchangeDependencies
    private let role: ConnectionRole
    private let http: HTTPHandlers
    private let pipelining: HTTPServerPipelineHandler
    private var context: ChannelHandlerContext?
    private var exchange: Exchange?
    /// A request without a body waits for its end, which comes at once.
    private var isAnswerPending = false
    /// How many answers are being given, inside of one another.
    private var depth = 0
    /// Counts up with each request: what the reader of an earlier body wants is no matter any more.
    private var number: UInt64 = 0
    /// The connection serves no other request: what still comes is dropped.
    private var isOver = false
    /// Something of a request was there, so that TLS stands.
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
            // In the middle of its body, whose reader is to know that it is not whole.
            guard !exchange.life.hasBegun, exchange.life.accept(.fail) == .close else {
                return context.close(promise: nil)
            }
            end(exchange, .failed(ResourceError(.invalidRequest, "the request's body is not framed", cause: error)))
        }
        refuse(context, RequestFault("not HTTP/1.1"))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event, let host = role.host {
            dependencies.happened(.connected(host))
        }
        if let event = event as? ChannelEvent, event == .inputClosed {
            // Who ends its side in the middle of an exchange has given it up.
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

    /// Closes the connection where nothing comes of it for so long.
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
            if case .proxy(let credentials) = role, !credentials.areSaid(by: head.headers) {
                return answer(
                    context, .proxyAuthenticationRequired, ["proxy-authenticate": ProxyDependencies.challenge])
            }
            var head = head
            role.restore(&head.headers)
            let request = try request(head, target)
            if framing == .none, Upgrade.isAsked(for: head) {
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
            throw RequestFault("a method that is no word", .notImplemented)
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
            // Its end follows at once: no answer before that, so that the connection can be kept.
            isAnswerPending = true
            deadline?.cancel()
        } else {
            limitBody(of: exchange)
            work(on: exchange)
        }
    }

    private func receive(_ context: ChannelHandlerContext, _ bytes: ByteBuffer) {
        guard let exchange, let source = exchange.body else {
            // Of a request that was answered before its end.
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

    /// The engine's time runs while it is the engine that is waited for, and not the body's reader.
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
        // Loosely: a body that is kept somewhere does not keep its connection.
        let me = NIOLoopBound(Owner(self), eventLoop: eventLoop)
        let number = number
        return RequestBody.Demand(eventLoop: eventLoop) {
            me.value.handler?.permitBody(of: number)
        } onMore: {
            me.value.handler?.readMore(of: number)
        } onEnd: {
            // What nobody reads is taken from the connection and dropped.
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

    /// RFC 9110, section 10.1.1.
    private func permitBody(of number: UInt64) {
        guard number == self.number, let context, let exchange, exchange.awaitsContinue, !exchange.life.hasBegun
        else { return }
        exchange.awaitsContinue = false
        limitBody(of: exchange)
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
    }

    // MARK: Answers

    /// The end of an answer lets in the next request that was held back, inside of the same call. After a few the next
    /// turn of the loop goes on, so that a long row of requests does not fill the stack.
    private func answerInTurn(_ exchange: Exchange) {
        guard depth >= Self.deepest, let context else {
            depth += 1
            defer { depth -= 1 }
            return answerPromptly(exchange)
        }
        let me = NIOLoopBound((self, exchange), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (handler, exchange) = me.value
            // The connection may be gone by then.
            if handler.exchange === exchange { handler.answerInTurn(exchange) }
        }
    }

    /// What lies in memory is answered here and now.
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

    /// Asks the loader, unless there is an answer, and delivers it.
    private func work(on exchange: Exchange, _ known: ResourceResponse? = nil) {
        guard let context else { return }
        let link = ExchangeLink(self, exchange, on: context.eventLoop)
        let (loader, request) = (dependencies.loader, exchange.request)
        exchange.work = Task {
            do {
                var answer = known
                if answer == nil { answer = try await loader.load(request) }
                guard let answer else {
                    throw ResourceError(.internal, "no loader answered", at: request.head.urlText)
                }
                try await link.deliver(answer)
            } catch {
                link.fail(error)
            }
        }
    }

    /// A whole answer at once.
    func deliver(_ response: ResourceResponse, _ data: Data, to exchange: Exchange) {
        guard begin(response, length: Int64(data.count), of: exchange) else { return }
        if !data.isEmpty { _ = write(data, of: exchange) }
        finish(exchange)
    }

    /// The head of an answer.
    /// - Parameter length: of the body; `nil` where nobody knows.
    /// - Returns: whether a body may follow.
    func begin(_ response: ResourceResponse, length: Int64?, of exchange: Exchange) -> Bool {
        guard let context else { return false }
        // Neither a protocol nor an interim answer is the loader's to give: nobody would see the end of it.
        guard response.head.status.code >= 200 else {
            fail(exchange, ResourceError(.internal, "an answer with status \(response.head.status.code)"))
            return false
        }
        guard exchange.life.accept(.head) == .proceed else { return false }
        exchange.report.record(response)
        var head = AnswerHead(response.head, length: length, to: exchange)
        role.localize(&head.head.headers)
        exchange.left = head.length
        exchange.hasBody = head.hasBody
        if !head.keepsAlive { exchange.life.giveUpConnection() }
        context.write(wrapOutboundOut(.head(head.head)), promise: nil)
        return true
    }

    func flush() {
        context?.flush()
    }

    /// A piece of an answer's body.
    /// - Returns: succeeds when the engine's side of loopback has taken it; fails where nothing is taken any more.
    func write(_ data: Data, of exchange: Exchange) -> EventLoopFuture<Void>? {
        guard let context, exchange.life.accept(.data) == .proceed else { return nil }
        guard exchange.hasBody else { return context.eventLoop.makeSucceededVoidFuture() }
        if let left = exchange.left {
            guard Int64(data.count) <= left else {
                fail(exchange, ResourceError(.connectionLost, "more bytes than announced"))
                return nil
            }
            exchange.left = left - Int64(data.count)
        }
        exchange.report.bytes += Int64(data.count)
        return context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(data: data)))))
    }

    func finish(_ exchange: Exchange) {
        guard let context else { return }
        if let left = exchange.left, left > 0 {
            return fail(exchange, ResourceError(.connectionLost, "fewer bytes than announced"))
        }
        let step = exchange.life.accept(.end)
        guard step == .next || step == .close else { return }
        end(exchange, .finished)
        let channel = context.channel
        let isRead = exchange.body == nil
        // Before the end is written, after which the next request comes at once.
        isOver = step == .close
        if step == .next { limit(dependencies.limits.idle) }
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        guard step == .close else { return }
        if isRead {
            written.whenComplete { _ in channel.close(promise: nil) }
        } else {
            linger(context)
        }
    }

    /// There is no answer, or no more of it: the engine sees a connection that breaks off, as it would without us.
    func fail(_ exchange: Exchange, _ error: ResourceError) {
        let hadBegun = exchange.life.hasBegun
        guard let context, exchange.life.accept(.fail) == .close else { return }
        isOver = true
        end(exchange, .failed(error))
        let channel = context.channel
        // Without chunks or a length a proper end would say that this was all.
        guard !hadBegun else { return exchange.left == nil ? channel.breakOff() : channel.close(promise: nil) }
        // Of a connection that closes without a byte an engine believes that it was too old, and asks once more.
        let broken = ByteBuffer(string: "HTTP/1.1 ")
        guard let outside = try? context.pipeline.syncOperations.context(handler: http.encoder) else {
            return channel.close(promise: nil)
        }
        outside.writeAndFlush(NIOAny(broken)).whenComplete { _ in channel.close(promise: nil) }
    }

    /// A request that was answered before its end: its rest is read, and dropped, so that the answer is not lost with
    /// the connection (RFC 9112, section 9.6).
    private func linger(_ context: ChannelHandlerContext) {
        rest = 1
        limit(.seconds(2))
        context.close(mode: .output, promise: nil)
        context.read()
    }

    private func end(_ exchange: Exchange, _ outcome: ExchangeReport.Outcome) {
        if case .finished = outcome {} else { exchange.work?.cancel() }
        exchange.body?.finish(ResourceError(.cancelled, "the request is over"))
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
        let upgrade = Upgrade(
            dependencies, role, of: context.channel, http: http, handlers: [pipelining, self],
            report: ExchangeReport(request)
        )
        deadline?.cancel()
        isOver = true
        upgrade.start(head, target)
    }
}
