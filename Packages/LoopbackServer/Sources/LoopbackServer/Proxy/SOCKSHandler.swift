// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import ConnectTunnel
internal import NIOCore
internal import NIOSOCKS
internal import ResourceLoading
internal import WebSyntax

/// Handles the SOCKS5 handshake of a proxy connection: authentication (RFC 1929), then a connection to an intercepted
/// or relayed host. Unlike HTTP proxy credentials, engines do not expose SOCKS credentials.
///
/// Isolation: the event loop of its channel.
final class SOCKSHandler: ChannelDuplexHandler, RemovableChannelHandler, HostConnecting {
    typealias InboundIn = ClientMessage
    typealias OutboundIn = ServerMessage
    typealias OutboundOut = ServerMessage

    /// The longest authentication message: version, lengths, user name and password.
    private static let longestIntroduction = 3 + 2 * 255
    private let dependencies: ProxyDependencies
    private let didIdentify: () -> Void
    private var deadline: Scheduled<Void>?
    private var introduction = ByteBuffer()
    /// The address of the request, which its reply repeats.
    private var address = SOCKSAddress.domain("", port: 0)
    private var isKnown = false
    private var isPreparing = false
    private var isOver = false
    private var wantsRead = false

    /// - Parameter didIdentify: A closure that is called, once or more, when the connection has identified itself or is
    ///   closed.
    init(_ dependencies: ProxyDependencies, didIdentify: @escaping () -> Void) {
        self.dependencies = dependencies
        self.didIdentify = didIdentify
    }

    var isWaiting: Bool { !isOver }

    // MARK: Events of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        deadline = dependencies.exchange.limitIntroduction(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
        didIdentify()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        deadline?.cancel()
        didIdentify()
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
            return close(context, after: .selectedAuthenticationMethod(.init(method: .noneAcceptable)))
        }
        send(context, .selectedAuthenticationMethod(.init(method: .usernamePassword)))
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
        didIdentify()
        send(context, .authenticationData(ByteBuffer(bytes: [1, 0]), complete: true))
    }

    private func refuse(_ context: ChannelHandlerContext) {
        dependencies.refused(.credentials)
        close(context, after: .authenticationData(ByteBuffer(bytes: [1, 1]), complete: false))
    }

    private func receive(_ context: ChannelHandlerContext, _ request: SOCKSRequest) {
        guard isKnown else { return context.close(promise: nil) }
        deadline?.cancel()
        address = request.addressType
        guard request.command == .connect else { return refuse(context, .commandUnsupported) }
        guard let host = HostPort(address) else { return refuse(context, .addressUnsupported) }
        if dependencies.policy.opens(host) {
            open(context, host)
        } else {
            isPreparing = true
            dependencies.tunnel(context, to: host, for: self)
        }
    }

    private func refuse(_ context: ChannelHandlerContext, _ reply: SOCKSServerReply) {
        close(context, after: .response(SOCKSResponse(reply: reply, boundAddress: address)))
    }

    func fail(_ context: ChannelHandlerContext, _ host: HostPort, _ error: ResourceError) {
        dependencies.happened(.unreachable(host, error))
        refuse(context, error.code == .unknownHost ? .hostUnreachable : .refused)
    }

    private func send(_ context: ChannelHandlerContext, _ message: ServerMessage) {
        context.writeAndFlush(wrapOutboundOut(message), promise: nil)
    }

    private func close(_ context: ChannelHandlerContext, after message: ServerMessage) {
        isOver = true
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(message)).whenComplete { _ in channel.close(promise: nil) }
    }

    // MARK: Next handlers

    func open(_ context: ChannelHandlerContext, _ host: HostPort) {
        replaceHandlers(context) {
            try self.dependencies.tunnels.record(context.channel, to: host, isOpened: true)
            try context.pipeline.syncOperations.addHandler(TLSDetector(self.dependencies, host))
        }
    }

    /// Accepts the request and replaces the SOCKS handlers.
    func replaceHandlers(_ context: ChannelHandlerContext, adding: () throws -> Void) {
        isOver = true
        isPreparing = false
        send(context, .response(SOCKSResponse(reply: .succeeded, boundAddress: address)))
        let pipeline = context.pipeline.syncOperations
        do {
            try adding()
            let handshake = try pipeline.handler(type: SOCKSServerHandshakeHandler.self)
            let channel = context.channel
            let wantsRead = wantsRead
            // This handler is removed before the SOCKS decoder, which then forwards the bytes after the request to the
            // next handlers.
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
