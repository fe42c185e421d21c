// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore
internal import NIOHTTP1
internal import ResourceLoading

/// Where a connection to the proxy says who it is, and what it wants: a host to be connected to, which is opened or
/// passed end to end, or an answer for an http URL. Then it makes room for what does that.
///
/// Isolation: its channel's event loop.
final class ProxyRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        /// A request is awaited.
        case waiting
        /// A request is refused, and its rest is awaited.
        case refusing
        /// Something is being made ready; nothing is read.
        case preparing
        /// Nothing is listened to any more.
        case over
    }

    /// How often a connection may ask again for credentials.
    private static let mostRefusals = 3
    private let dependencies: ProxyDependencies
    private let http: HTTPHandlers
    private let becameKnown: () -> Void
    private var state = State.waiting
    private var refusals = 0
    private var wantsRead = false
    private var deadline: Scheduled<Void>?

    /// - Parameter becameKnown: called, once or more, when the connection has said who it is, or is gone.
    init(_ dependencies: ProxyDependencies, http: HTTPHandlers, becameKnown: @escaping () -> Void) {
        self.dependencies = dependencies
        self.http = http
        self.becameKnown = becameKnown
    }

    // MARK: Events of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(dependencies.limits.introduction)) {
            let (handler, context) = me.value
            handler.dependencies.refused(.unidentified)
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        becomeKnown()
    }

    func channelInactive(context: ChannelHandlerContext) {
        state = .over
        becomeKnown()
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
            // Who says nothing more before there is a tunnel, or when the proxy stops, has nothing to wait for.
            state = .over
            context.close(promise: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Whether what is to come after is not there yet.
    private var isWaiting: Bool { if case .over = state { false } else { true } }

    func read(context: ChannelHandlerContext) {
        if case .preparing = state { wantsRead = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (state, unwrapInboundIn(data)) {
        case (.waiting, .head(let head)): receive(context, head)
        case (.refusing, .end): state = .waiting
        case (.preparing, .body), (.preparing, .end), (.over, _), (.refusing, _), (.waiting, _): break
        case (.preparing, .head):
            // Before it knows whether there will be a tunnel.
            refuse(context, RequestFault("a request after CONNECT"))
        }
    }

    private func becomeKnown() {
        deadline?.cancel()
        deadline = nil
        becameKnown()
    }

    // MARK: Requests

    private func receive(_ context: ChannelHandlerContext, _ head: HTTPRequestHead) {
        do throws(RequestFault) {
            let framing = try RequestFraming(head)
            try RequestFraming.check(head)
            let target = try RequestTarget(head)
            switch target {
            case .origin, .asterisk: throw RequestFault("a proxy is asked by CONNECT or by an absolute http URL")
            case .authority where framing != .none: throw RequestFault("CONNECT with a body")
            case .authority, .absolute: break
            }
            guard dependencies.credentials.areSaid(by: head.headers) else { return demandCredentials(context, head) }
            becomeKnown()
            if case .authority(let host) = target {
                state = .preparing
                dependencies.policy.opens(host) ? open(context, host) : tunnel(context, to: host)
            } else {
                serve(context, head)
            }
        } catch {
            refuse(context, error)
        }
    }

    /// RFC 9110, section 15.5.8.
    private func demandCredentials(_ context: ChannelHandlerContext, _ head: HTTPRequestHead) {
        // The first time an engine does not know yet that it is asked.
        if head.headers.contains(name: "proxy-authorization") { dependencies.refused(.credentials) }
        refusals += 1
        // The decoder reads nothing after a CONNECT.
        let isLast = head.method == .CONNECT || refusals >= Self.mostRefusals || !head.isKeepAlive
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

    // MARK: What comes after

    /// http URLs are answered on this connection from now on.
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

    private func open(_ context: ChannelHandlerContext, _ host: HostPort) {
        let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        dependencies.leaf(for: host, on: context.eventLoop).whenComplete { result in
            let (handler, context) = me.value
            guard case .preparing = handler.state else { return }
            guard handler.dependencies.policy.opens(host) else { return handler.tunnel(context, to: host) }
            switch result {
            case .success(let leaf):
                handler.leave(context) { try handler.dependencies.open(context.channel, to: host, with: leaf) }
            case .failure(let error): handler.fail(context, host, ResourceError(error))
            }
        }
    }

    private func tunnel(_ context: ChannelHandlerContext, to host: HostPort) {
        let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        dependencies.dialer.connect(to: host, on: context.eventLoop).whenComplete { result in
            let (handler, context) = me.value
            guard case .preparing = handler.state else {
                if case .success(let channel) = result { channel.close(promise: nil) }
                return
            }
            guard !handler.dependencies.opens(host, insteadOf: result) else { return handler.open(context, host) }
            switch result {
            case .success(let upstream):
                handler.leave(context) { try handler.dependencies.join(context.channel, to: upstream, of: host) }
            case .failure(let error): handler.fail(context, host, ResourceError(error))
            }
        }
    }

    /// The engine is told no more than that there is no connection.
    private func fail(_ context: ChannelHandlerContext, _ host: HostPort, _ error: ResourceError) {
        dependencies.happened(.unreachable(host, error))
        answer(context, .badGateway, closing: true)
    }

    /// Says yes to a CONNECT, and has what comes after in its place.
    private func leave(_ context: ChannelHandlerContext, adding: () throws -> Void) {
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
        // In this order, so that bytes that the decoder still has go on.
        pipeline.removeHandler(self, promise: nil)
        http.remove(from: pipeline)
        if wantsRead { context.channel.read() }
    }
}
