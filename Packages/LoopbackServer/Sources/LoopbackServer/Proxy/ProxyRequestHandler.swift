// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1
internal import ResourceLoading
internal import WebSyntax

/// Handles the first requests of an HTTP proxy connection: authentication, then CONNECT to an intercepted or relayed
/// host, or an absolute http URL. It then replaces itself with the handlers for the connection.
///
/// Isolation: the event loop of its channel.
final class ProxyRequestHandler: ChannelDuplexHandler, RemovableChannelHandler, HostConnecting {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        /// Waiting for a request.
        case waiting
        /// A request was refused; waiting for its end.
        case refusing
        /// A connection is being prepared; nothing is read.
        case preparing
        /// Further input is ignored.
        case over
    }

    /// The limit of authentication failures on one connection.
    private static let mostRefusals = 3
    private let dependencies: ProxyDependencies
    private let http: HTTPHandlers
    private let didIdentify: () -> Void
    private var state = State.waiting
    private var refusals = 0
    private var wantsRead = false
    private var deadline: Scheduled<Void>?

    /// - Parameter didIdentify: A closure that is called, once or more, when the connection has identified itself or is
    ///   closed.
    init(_ dependencies: ProxyDependencies, http: HTTPHandlers, didIdentify: @escaping () -> Void) {
        self.dependencies = dependencies
        self.http = http
        self.didIdentify = didIdentify
    }

    // MARK: Events of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        deadline = dependencies.exchange.limitIntroduction(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        endIntroduction()
    }

    func channelInactive(context: ChannelHandlerContext) {
        state = .over
        endIntroduction()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError, error != .invalidEOFState, case .waiting = state {
            refuse(context, RequestFault("not HTTP/1.1"))
        } else {
            state = .over
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed where isWaiting, is ChannelShouldQuiesceEvent:
            // The client has ended its output before a tunnel exists, or the proxy stops.
            state = .over
            context.close(promise: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// A Boolean value that indicates whether the handler has been neither replaced nor closed.
    var isWaiting: Bool { if case .over = state { false } else { true } }

    func read(context: ChannelHandlerContext) {
        if case .preparing = state { wantsRead = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (state, unwrapInboundIn(data)) {
        case (.waiting, .head(let head)): receive(context, head)
        case (.refusing, .end): state = .waiting
        case (.preparing, .body), (.preparing, .end), (.over, _), (.refusing, _), (.waiting, _): break
        case (.preparing, .head):
            // The client must not send this request before it has the response to CONNECT.
            refuse(context, RequestFault("a request after CONNECT"))
        }
    }

    private func endIntroduction() {
        deadline?.cancel()
        deadline = nil
        didIdentify()
    }

    // MARK: Requests

    private func receive(_ context: ChannelHandlerContext, _ head: HTTPRequestHead) {
        do throws(RequestFault) {
            let framing = try RequestFraming(head)
            try RequestFraming.check(head)
            let target = try RequestTarget(head)
            switch target {
            case .origin, .asterisk: throw RequestFault("a proxy request needs CONNECT or an absolute http URL")
            case .authority where framing != .none: throw RequestFault("CONNECT with a body")
            case .authority, .absolute: break
            }
            guard dependencies.credentials.areContained(in: head.headers) else {
                return demandCredentials(context, head)
            }
            endIntroduction()
            if case .authority(let host) = target {
                state = .preparing
                if dependencies.policy.opens(host) {
                    open(context, host)
                } else {
                    dependencies.tunnel(context, to: host, for: self)
                }
            } else {
                serve(context, head)
            }
        } catch {
            refuse(context, error)
        }
    }

    /// Responds with 407 (RFC 9110, section 15.5.8).
    private func demandCredentials(_ context: ChannelHandlerContext, _ head: HTTPRequestHead) {
        // The first request of an engine has no credentials yet.
        if head.headers.contains(name: "proxy-authorization") { dependencies.refused(.credentials) }
        refusals += 1
        // The decoder decodes no further request after CONNECT and after an upgrade.
        let isLast =
            head.method == .CONNECT || Upgrade.isRequested(for: head) || refusals >= Self.mostRefusals
            || !head.isKeepAlive
        state = .refusing
        answer(
            context, .proxyAuthenticationRequired, ["proxy-authenticate": ProxyDependencies.challenge], closing: isLast)
    }

    private func refuse(_ context: ChannelHandlerContext, _ fault: RequestFault) {
        dependencies.refused(.malformed(fault.description))
        answer(context, HTTPResponseStatus(statusCode: fault.status.rawValue), closing: true)
    }

    private func answer(
        _ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ fields: HTTPHeaders = [:], closing: Bool
    ) {
        var head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        head.headers.add(name: "content-length", value: "0")
        if closing {
            head.headers.add(name: "connection", value: "close")
            state = .over
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            if closing { channel.close(promise: nil) }
        }
    }

    // MARK: Next handlers

    /// Makes the loader serve absolute http URLs on this connection.
    private func serve(_ context: ChannelHandlerContext, _ head: HTTPRequestHead) {
        state = .over
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandlers(dependencies.exchange.exchanges(for: .proxy(dependencies.credentials), http))
            context.fireChannelRead(wrapInboundOut(.head(head)))
            pipeline.removeHandler(self, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }

    func open(_ context: ChannelHandlerContext, _ host: HostPort) {
        let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        dependencies.leaf(for: host, on: context.eventLoop).whenComplete { result in
            let (handler, context) = me.value
            guard case .preparing = handler.state else { return }
            guard handler.dependencies.policy.opens(host) else {
                return handler.dependencies.tunnel(context, to: host, for: handler)
            }
            switch result {
            case .success(let leaf):
                handler.replaceHandlers(context) {
                    try handler.dependencies.open(context.channel, to: host, with: leaf)
                }
            case .failure(let error): handler.fail(context, host, ResourceError(error))
            }
        }
    }

    /// Responds with 502. The engine receives no details.
    func fail(_ context: ChannelHandlerContext, _ host: HostPort, _ error: ResourceError) {
        dependencies.happened(.unreachable(host, error))
        answer(context, .badGateway, closing: true)
    }

    /// Accepts a CONNECT request and replaces the HTTP handlers.
    func replaceHandlers(_ context: ChannelHandlerContext, adding: () throws -> Void) {
        state = .over
        let pipeline = context.pipeline.syncOperations
        let head = HTTPResponseHead(version: .http1_1, status: .ok)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        do {
            try adding()
        } catch {
            return context.close(promise: nil)
        }
        // This handler is removed before the decoder, which then forwards its unread bytes to the next handlers.
        pipeline.removeHandler(self, promise: nil)
        http.remove(from: pipeline)
        if wantsRead { context.channel.read() }
    }
}
