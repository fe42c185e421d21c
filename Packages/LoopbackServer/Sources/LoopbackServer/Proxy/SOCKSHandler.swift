// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore
internal import NIOSOCKS
internal import ResourceLoading

/// Handles the SOCKS5 handshake of a proxy connection: authentication (RFC 1929), then a connection to an intercepted
/// or relayed host. Engines keep SOCKS credentials private, which is not the case for HTTP proxy credentials.
///
/// Isolation: the event loop of its channel.
final class SOCKSHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ClientMessage
    typealias OutboundIn = ServerMessage
    typealias OutboundOut = ServerMessage

    /// The longest authentication message: version, lengths, user name and password.
    private static let longestIntroduction = 3 + 2 * 255
    private let dependencies: ProxyDependencies
    private let becameKnown: () -> Void
    private var deadline: Scheduled<Void>?
    private var introduction = ByteBuffer()
    private var isKnown = false
    private var isPreparing = false
    private var isOver = false
    private var wantsRead = false

    /// - Parameter becameKnown: A function that is called, once or more, when the connection has identified itself or
    ///   is closed.
    init(_ dependencies: ProxyDependencies, becameKnown: @escaping () -> Void) {
        self.dependencies = dependencies
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
        deadline?.cancel()
        deadline = nil
        becameKnown()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        deadline?.cancel()
        becameKnown()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !isKnown { dependencies.refused(.malformed("not SOCKS5")) }
        isOver = true
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func read(context: ChannelHandlerContext) {
        if isPreparing { wantsRead = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .greeting(let greeting): receive(context, greeting)
        case .authenticationData(let bytes): receive(context, introduction: bytes)
        case .request(let request): receive(context, request)
        }
    }

    // MARK: Messages

    private func receive(_ context: ChannelHandlerContext, _ greeting: ClientGreeting) {
        guard greeting.methods.contains(.usernamePassword) else {
            dependencies.refused(.credentials)
            return leave(context, after: .selectedAuthenticationMethod(.init(method: .noneAcceptable)))
        }
        say(context, .selectedAuthenticationMethod(.init(method: .usernamePassword)))
    }

    /// Receives the user name and password (RFC 1929, section 2).
    private func receive(_ context: ChannelHandlerContext, introduction bytes: ByteBuffer) {
        var bytes = bytes
        introduction.writeBuffer(&bytes)
        var rest = introduction
        guard rest.readableBytes <= Self.longestIntroduction else { return refuse(context) }
        guard let version = rest.readInteger(as: UInt8.self) else { return }
        guard version == 1 else { return refuse(context) }
        guard let username = rest.readLengthPrefixedSlice(as: UInt8.self),
            let password = rest.readLengthPrefixedSlice(as: UInt8.self)
        else { return }
        guard rest.readableBytes == 0,
            dependencies.credentials.match(username: username.readableBytesView, password: password.readableBytesView)
        else { return refuse(context) }
        isKnown = true
        deadline?.cancel()
        // An authenticated client may still be idle.
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(dependencies.limits.idle)) {
            channel.close(promise: nil)
        }
        becameKnown()
        say(context, .authenticationData(ByteBuffer(bytes: [1, 0]), complete: true))
    }

    private func refuse(_ context: ChannelHandlerContext) {
        dependencies.refused(.credentials)
        leave(context, after: .authenticationData(ByteBuffer(bytes: [1, 1]), complete: false))
    }

    private func receive(_ context: ChannelHandlerContext, _ request: SOCKSRequest) {
        guard isKnown else { return context.close(promise: nil) }
        deadline?.cancel()
        guard request.command == .connect else { return refuse(context, request, .commandUnsupported) }
        guard let host = HostPort(request.addressType) else { return refuse(context, request, .addressUnsupported) }
        if dependencies.policy.opens(host) {
            open(context, host, request)
        } else {
            tunnel(context, to: host, request)
        }
    }

    private func refuse(_ context: ChannelHandlerContext, _ request: SOCKSRequest, _ reply: SOCKSServerReply) {
        leave(context, after: .response(SOCKSResponse(reply: reply, boundAddress: request.addressType)))
    }

    private func say(_ context: ChannelHandlerContext, _ message: ServerMessage) {
        context.writeAndFlush(wrapOutboundOut(message), promise: nil)
    }

    private func leave(_ context: ChannelHandlerContext, after message: ServerMessage) {
        isOver = true
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(message)).whenComplete { _ in channel.close(promise: nil) }
    }

    // MARK: Next handlers

    private func open(_ context: ChannelHandlerContext, _ host: HostPort, _ request: SOCKSRequest) {
        replaceHandler(context, request) {
            try self.dependencies.tunnels.record(context.channel, to: host, isOpened: true)
            try context.pipeline.syncOperations.addHandler(TLSDetector(self.dependencies, host))
        }
    }

    private func tunnel(_ context: ChannelHandlerContext, to host: HostPort, _ request: SOCKSRequest) {
        isPreparing = true
        let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        dependencies.dialer.connect(to: host, on: context.eventLoop).whenComplete { result in
            let (handler, context) = me.value
            guard !handler.isOver else {
                if case .success(let channel) = result { channel.close(promise: nil) }
                return
            }
            guard !handler.dependencies.opens(host, insteadOf: result) else {
                return handler.open(context, host, request)
            }
            switch result {
            case .success(let upstream):
                handler.replaceHandler(context, request) {
                    try handler.dependencies.join(context.channel, to: upstream, of: host)
                }
            case .failure(let error):
                let error = ResourceError(error)
                handler.dependencies.happened(.unreachable(host, error))
                handler.refuse(context, request, error.code == .unknownHost ? .hostUnreachable : .refused)
            }
        }
    }

    /// Accepts the request and replaces the SOCKS handlers.
    private func replaceHandler(_ context: ChannelHandlerContext, _ request: SOCKSRequest, adding: () throws -> Void) {
        isOver = true
        isPreparing = false
        say(context, .response(SOCKSResponse(reply: .succeeded, boundAddress: request.addressType)))
        let pipeline = context.pipeline.syncOperations
        do {
            try adding()
            let handshake = try pipeline.handler(type: SOCKSServerHandshakeHandler.self)
            let channel = context.channel
            let wantsRead = wantsRead
            // This order forwards the bytes that came with the request.
            pipeline.removeHandler(self, promise: nil)
            // A removed handler forwards its bytes, but not the end of the read.
            pipeline.removeHandler(handshake).assumeIsolated().whenComplete { _ in
                TunnelEnd.flushForwardedBytes(in: pipeline)
            }
            if wantsRead { channel.read() }
        } catch {
            context.close(promise: nil)
        }
    }
}

extension HostPort {
    /// Creates a host and port, or returns `nil` for an invalid address.
    fileprivate init?(_ address: SOCKSAddress) {
        switch address {
        case .address(let address):
            guard let text = address.ipAddress, let port = address.port, port > 0 else { return nil }
            self.init(host: text, port: port)
        case .domain(let name, let port):
            self.init("\(name):\(port)")
        }
    }
}
