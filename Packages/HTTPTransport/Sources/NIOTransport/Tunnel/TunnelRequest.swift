// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import ConnectTunnel
internal import NIOCore
internal import SystemSupport
internal import WebSyntax

/// A handler that reads the CONNECT request of one connection, connects to the target, and joins both connections.
///
/// Isolation: the event loop of its channel.
final class TunnelRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The time limits of a connection.
    struct Limits: Sendable {
        /// The time limit for authentication.
        let head: Duration
        /// The time limit of the connection to the host, look-ups included.
        let connect: Duration
    }

    /// The longest request head, in bytes. The transport is the only client, and its requests are short.
    private static let longestHead = 4 << 10
    private let credentials: String
    private let addresses: (any AddressResolving)?
    private let routes: [ProxyRoute]
    private let limits: Limits
    private let didIdentify: @Sendable () -> Void
    private let record: @Sendable (HostPort, any Error) -> Void
    private var head = ByteBuffer()
    private var isAnswered = false
    private var deadline: Scheduled<Void>?

    /// - Parameter didIdentify: A closure that is called, once or more, when the connection has authenticated or is
    ///   closed.
    init(
        credentials: String, addresses: (any AddressResolving)?, routes: [ProxyRoute], limits: Limits,
        didIdentify: @escaping @Sendable () -> Void,
        record: @escaping @Sendable (HostPort, any Error) -> Void
    ) {
        self.credentials = credentials
        self.addresses = addresses
        self.routes = routes
        self.limits = limits
        self.didIdentify = didIdentify
        self.record = record
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(limits.head)) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        endAuthentication()
    }

    func channelInactive(context: ChannelHandlerContext) {
        endAuthentication()
        context.fireChannelInactive()
    }

    /// Ends the authentication phase, because the connection has authenticated or is closed.
    private func endAuthentication() {
        deadline?.cancel()
        didIdentify()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAnswered else { return }
        var buffer = unwrapInboundIn(data)
        head.writeBuffer(&buffer)
        guard head.readableBytes <= Self.longestHead else { return refuse(context.channel, "431 Too long") }
        let text = String(buffer: head)
        guard text.hasSuffix("\r\n\r\n") else { return }
        isAnswered = true
        let lines = text.split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 3, words[0] == "CONNECT", let target = HostPort(words[1]) else {
            return refuse(context.channel, "400 Bad Request")
        }
        guard lines.dropFirst().contains(where: areCredentials) else {
            // The challenge is required (RFC 9110, section 15.5.8). A client may wait for it.
            return refuse(
                context.channel, "407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm=\"container\"")
        }
        endAuthentication()
        guard target.host.split(separator: ".").last != "invalid" else {
            record(target, AddressLookUpError("no resolver knows names below `invalid` (RFC 6761, section 6.4)"))
            return refuse(context.channel, "502 Bad Gateway")
        }
        connect(context.channel, to: target)
    }

    /// Returns a Boolean value that indicates whether a field line contains the credentials. The scheme name is
    /// case-insensitive, the credentials are not (RFC 9110, sections 11.1 and 11.2).
    private func areCredentials(_ line: Substring) -> Bool {
        let start = "proxy-authorization: basic "
        return line.prefix(start.count).asciiLowercased == start
            && RandomToken.isEqual(line.dropFirst(start.count).utf8, credentials.utf8)
    }

    /// Sends a response and closes the connection.
    /// - Parameter status: The status and the reason, with field lines if necessary.
    private func refuse(_ channel: any Channel, _ status: String) {
        isAnswered = true
        let answer = "HTTP/1.1 \(status)\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        channel.writeAndFlush(ByteBuffer(string: answer)).whenComplete { _ in channel.close(promise: nil) }
    }

    private func connect(_ channel: any Channel, to target: HostPort) {
        let connector = RouteConnector(
            on: channel.eventLoop, timeLimit: limits.connect, addresses: addresses,
            check: AsyncHTTPClients.checkPeer(of:))
        let connecting = connector.connect(to: target, over: routes)
        let me = NIOLoopBound(self, eventLoop: channel.eventLoop)
        connecting.whenComplete { result in
            switch result {
            case .success(let upstream): me.value.join(channel, upstream)
            case .failure(let error):
                me.value.record(target, error)
                me.value.refuse(channel, "502 Bad Gateway")
            }
        }
    }

    private func join(_ channel: any Channel, _ upstream: any Channel) {
        guard channel.isActive else {
            upstream.close(promise: nil)
            return
        }
        do {
            try TunnelEnd.join(client: channel, host: upstream)
            channel.pipeline.syncOperations.removeHandler(self, promise: nil)
            channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"), promise: nil)
            upstream.startReading().whenFailure { _ in upstream.close(promise: nil) }
        } catch {
            channel.close(promise: nil)
            upstream.close(promise: nil)
        }
    }
}
