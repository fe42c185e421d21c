// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A client connection of the proxy.
///
/// It is a state machine over the parts of requests and responses. Parts that cannot be handled yet wait in a queue.
/// While the queue is not empty, nothing is read, so the queue contains at most the parts of one read.
///
/// Isolation: the event loop of the client channel, which the upstream channels share.
final class ProxyConnection: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        /// Between requests.
        case idle
        /// Connecting upstream.
        case connecting
        /// A request and its response are in progress.
        case exchanging(any Channel)
        /// The last response was sent; waiting for the client to close.
        case draining
        /// The connection is a tunnel.
        case tunnelling
        case closed
    }

    private let configuration: ForwardProxy.Configuration
    private let counts: ProxyCounts
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private let encoder: HTTPResponseEncoder
    private var state = State.idle
    private var exchange: Exchange?
    private var parts = CircularBuffer<HTTPServerRequestPart>()
    private var upstream: ProxyUpstream?
    private var context: ChannelHandlerContext?
    private var wantsRead = false
    private var isProcessing = false

    private init(
        configuration: ForwardProxy.Configuration, counts: ProxyCounts,
        decoder: ByteToMessageHandler<HTTPRequestDecoder>, encoder: HTTPResponseEncoder
    ) {
        self.configuration = configuration
        self.counts = counts
        self.decoder = decoder
        self.encoder = encoder
    }

    /// Adds the handlers of a client connection to its channel.
    static func install(
        on channel: any Channel, configuration: ForwardProxy.Configuration, counts: ProxyCounts
    ) throws {
        var framing = HTTPResponseEncoder.Configuration()
        framing.automaticallySetFramingHeaders = false
        let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
        let encoder = HTTPResponseEncoder(configuration: framing)
        let connection = ProxyConnection(
            configuration: configuration, counts: counts, decoder: decoder, encoder: encoder)
        try channel.pipeline.syncOperations.addHandlers([
            IdleStateHandler(allTimeout: TimeAmount(configuration.idleTimeout)), encoder, decoder, connection,
        ])
    }

    /// A Boolean value that indicates whether the client can accept more of a response.
    var isClientWritable: Bool { context?.channel.isWritable ?? false }

    // MARK: - Events of the client channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func read(context: ChannelHandlerContext) {
        if mayRead {
            context.read()
        } else {
            wantsRead = true
        }
    }

    private var mayRead: Bool {
        switch state {
        case .connecting, .closed: false
        case .exchanging(let upstream): parts.isEmpty && upstream.isWritable
        case .idle, .draining, .tunnelling: parts.isEmpty
        }
    }

    private func resumeReading() {
        guard wantsRead, mayRead else { return }
        wantsRead = false
        context?.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .tunnelling: context.fireChannelRead(data)
        case .draining, .closed: break
        case .idle, .connecting, .exchanging:
            parts.append(unwrapInboundIn(data))
            process()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .exchanging(let upstream) = state { upstream.flush() }
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { upstream?.resumeReading() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as ChannelEvent where event == .inputClosed:
            if case .tunnelling = state { break }
            // A client that closes its output during an exchange has cancelled the exchange.
            context.close(promise: nil)
        case is IdleStateHandler.IdleStateEvent:
            switch state {
            case .connecting, .exchanging: timeOut()
            case .tunnelling: break
            case .idle, .draining, .closed: context.close(promise: nil)
            }
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        abandonUpstream()
        state = .closed
        parts.removeAll()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError, case .idle = state {
            exchange = nil
            answer(.badRequest, "not an HTTP/1.1 request")
        } else {
            context.close(promise: nil)
        }
    }

    // MARK: - Requests

    private func process() {
        guard !isProcessing else { return }
        isProcessing = true
        while let part = parts.first, canHandle(part) {
            parts.removeFirst()
            handle(part)
        }
        isProcessing = false
        resumeReading()
    }

    /// Returns a Boolean value that indicates whether a part can be handled in the current state.
    private func canHandle(_ part: HTTPServerRequestPart) -> Bool {
        switch (state, part) {
        case (.connecting, _), (.exchanging, .head): false
        case (.exchanging, _): exchange?.isRequestEnded == false
        case (.idle, _), (.draining, _), (.tunnelling, _), (.closed, _): true
        }
    }

    private func handle(_ part: HTTPServerRequestPart) {
        switch (state, part) {
        case (.idle, .head(let head)): begin(head)
        case (.exchanging(let upstream), .body(let buffer)):
            upstream.write(HTTPClientRequestPart.body(.byteBuffer(buffer)), promise: nil)
        case (.exchanging(let upstream), .end):
            exchange?.isRequestEnded = true
            upstream.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        default: break
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        exchange = Exchange(head)
        let codings = head.headers[canonicalForm: "transfer-encoding"]
        guard codings.isEmpty || (codings.count == 1 && codings[0].lowercased() == "chunked"),
            codings.isEmpty || !head.headers.contains(name: "content-length")
        else {
            // RFC 9112, section 6.1: a message with ambiguous framing may be an attempt at request smuggling.
            answer(.badRequest, "the request's framing is ambiguous")
            return
        }
        if let credentials = configuration.credentials, !credentials.areIn(head.headers) {
            refuse()
            return
        }
        switch ProxyTarget(head) {
        case nil: answer(.badRequest, "a proxy needs CONNECT or an absolute http URL")
        case .tunnel(let endpoint):
            connect(to: endpoint) { channel in self.openTunnel(to: channel) }
        case .request(let endpoint, let authority, let path):
            connect(to: endpoint) { channel in
                self.send(self.upstreamHead(of: head, authority: authority, path: path), to: channel)
            }
        }
    }

    private func refuse() {
        guard let context else { return }
        counts.countRefusal()
        state = .connecting
        // The response is sent in the next turn of the event loop. The end of the request, which was read with its
        // head, is then handled, and the connection can be reused.
        context.eventLoop.assumeIsolated().execute {
            guard case .connecting = self.state else { return }
            self.answer(
                .proxyAuthenticationRequired, "the proxy requires credentials",
                headers: [("Proxy-Authenticate", #"Basic realm="proxy""#)])
        }
    }

    private func upstreamHead(of head: HTTPRequestHead, authority: String, path: String) -> HTTPRequestHead {
        var headers = head.headers.withoutHopByHop()
        // RFC 9112, section 3.2.2: the authority of the URL replaces the value of Host.
        headers.remove(name: "host")
        headers.add(name: "Host", value: authority)
        headers.add(name: "Connection", value: "close")
        if head.headers.contains(name: "transfer-encoding") {
            headers.add(name: "Transfer-Encoding", value: "chunked")
        }
        return HTTPRequestHead(version: .http1_1, method: head.method, uri: path, headers: headers)
    }

    private func connect(to endpoint: Endpoint, then use: @escaping (any Channel) -> Void) {
        guard let context else { return }
        state = .connecting
        UpstreamConnector.connect(to: endpoint, configuration, on: context.eventLoop)
            .assumeIsolated()
            .whenComplete { result in
                guard case .connecting = self.state else {
                    if case .success(let channel) = result { channel.close(promise: nil) }
                    return
                }
                switch result {
                case .success(let channel): use(channel)
                case .failure(let error):
                    let isTimeout = Self.isTimeout(error)
                    self.answer(
                        isTimeout ? .gatewayTimeout : .badGateway,
                        "cannot connect to \(endpoint)\(isTimeout ? " in time" : "")")
                }
            }
    }

    private static func isTimeout(_ error: any Error) -> Bool {
        switch error {
        case ChannelError.connectTimeout: true
        case let error as NIOConnectionError:
            !error.connectionErrors.isEmpty && error.connectionErrors.allSatisfy { isTimeout($0.error) }
        default: false
        }
    }

    private func send(_ head: HTTPRequestHead, to channel: any Channel) {
        let upstream = ProxyUpstream(self)
        do {
            try upstream.install(on: channel)
        } catch {
            channel.close(promise: nil)
            answer(.badGateway, "the server closed the connection")
            return
        }
        self.upstream = upstream
        state = .exchanging(channel)
        channel.writeAndFlush(HTTPClientRequestPart.head(head), promise: nil)
        channel.setOption(.autoRead, value: true).whenComplete { _ in }
        process()
        channel.flush()
    }

    /// Continues reading when the upstream channel is writable again.
    func upstreamIsWritable() {
        resumeReading()
    }

    // MARK: - Responses

    /// Receives the head of the server's response. Also called for informational responses (1xx).
    func responded(_ head: HTTPResponseHead) {
        guard case .exchanging = state, let exchange, !exchange.isHeadSent else { return }
        let isModern = exchange.head.version.major == 1 && exchange.head.version.minor >= 1
        var head = HTTPResponseHead(
            version: .http1_1, status: head.status, headers: head.headers.withoutHopByHop())
        if 100..<200 ~= head.status.code {
            if isModern { write(.head(head), flush: true) }
            return
        }
        let hasNoBody =
            exchange.head.method == .HEAD || head.status == .noContent || head.status == .notModified
        if !hasNoBody, !head.headers.contains(name: "content-length") {
            if isModern {
                head.headers.add(name: "Transfer-Encoding", value: "chunked")
            } else {
                self.exchange?.keepsAlive = false
            }
        }
        if self.exchange?.keepsAlive != true {
            head.headers.add(name: "Connection", value: "close")
        } else if !isModern {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
        self.exchange?.isHeadSent = true
        write(.head(head), flush: false)
    }

    func responded(_ body: ByteBuffer) {
        guard exchange?.isHeadSent == true else { return }
        write(.body(.byteBuffer(body)), flush: false)
    }

    func flush() {
        context?.flush()
    }

    func respondedAll() {
        guard case .exchanging = state, exchange?.isHeadSent == true else { return }
        endAnswer()
    }

    /// Handles an upstream connection that ended before or during its response.
    func upstreamLost(_ upstream: ProxyUpstream, byReset isReset: Bool) {
        guard case .exchanging = state, upstream === self.upstream else { return }
        if exchange?.isHeadSent == false {
            answer(.badGateway, "the server closed the connection")
            return
        }
        abandonUpstream()
        state = .closed
        guard let channel = context?.channel else { return }
        if isReset {
            channel.reset()
        } else {
            // An empty write completes after all received data is sent.
            let part = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer()))
            channel.writeAndFlush(part).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    private func timeOut() {
        if exchange?.isHeadSent == false {
            exchange?.keepsAlive = false
            answer(.gatewayTimeout, "no response in time")
        } else {
            context?.close(promise: nil)
        }
    }

    /// Sends a response of the proxy itself.
    private func answer(_ status: HTTPResponseStatus, _ text: String, headers fields: [(String, String)] = []) {
        if case .end? = parts.first, exchange?.isRequestEnded == false {
            parts.removeFirst()
            exchange?.isRequestEnded = true
        }
        // After a CONNECT, the decoder forwards all bytes to the tunnel, so that no further request is possible.
        let keeps = exchange.map { $0.keepsAlive && $0.isRequestEnded && $0.head.method != .CONNECT } ?? false
        exchange?.keepsAlive = keeps
        let body = "\(status.code) \(status.reasonPhrase): \(text)\n"
        var headers = HTTPHeaders(
            fields + [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", "\(body.utf8.count)")])
        headers.add(name: "Connection", value: keeps ? "keep-alive" : "close")
        write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)), flush: false)
        if exchange?.head.method != .HEAD {
            write(.body(.byteBuffer(ByteBuffer(string: body))), flush: false)
        }
        endAnswer()
    }

    private func endAnswer() {
        let keeps = exchange.map { $0.keepsAlive && $0.isRequestEnded } ?? false
        abandonUpstream()
        exchange = nil
        if keeps {
            write(.end(nil), flush: true)
            state = .idle
            process()
        } else {
            // An immediate close would reset the connection while the client still sends, and could destroy the
            // response (RFC 9112, section 9.6).
            state = .draining
            parts.removeAll()
            guard let channel = context?.channel else { return }
            channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
                channel.close(mode: .output, promise: nil)
            }
            resumeReading()
        }
    }

    private func write(_ part: HTTPServerResponsePart, flush: Bool) {
        guard let context else { return }
        context.write(wrapOutboundOut(part), promise: nil)
        if flush { context.flush() }
    }

    private func abandonUpstream() {
        upstream?.abandon()
        upstream = nil
        if case .exchanging(let channel) = state { channel.closeSoon() }
    }

    // MARK: - Tunnels

    private func openTunnel(to channel: any Channel) {
        guard let context else { return }
        write(.head(HTTPResponseHead(version: .http1_1, status: .ok)), flush: true)
        state = .tunnelling
        parts.removeAll()
        let client = context.channel
        do {
            try TunnelEnd.join(client, channel)
        } catch {
            channel.close(promise: nil)
            client.close(promise: nil)
            return
        }
        // The decoder leaves the pipeline in the next turn of the event loop, after this handler. Its unread bytes then
        // go to the tunnel.
        let pipeline = context.pipeline.syncOperations
        pipeline.removeHandler(encoder).whenComplete { _ in }
        pipeline.removeHandler(decoder).whenComplete { _ in }
        pipeline.removeHandler(self).whenComplete { _ in
            channel.setOption(.autoRead, value: true).whenComplete { _ in }
            client.read()
        }
    }
}
