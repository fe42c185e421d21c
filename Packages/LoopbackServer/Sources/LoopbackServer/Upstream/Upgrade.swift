// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import ConnectTunnel
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import NIOTLS
@_spi(Facade) internal import ResourceLoading
internal import WebSyntax

/// A request that upgrades its connection to another protocol (RFC 9110, section 7.8). It is forwarded to the host. If
/// the host accepts, both connections are joined, and a WebSocket is end to end.
///
/// Isolation: the connection's event loop.
final class Upgrade {
    private let dependencies: ExchangeDependencies
    private let role: ConnectionRole
    private let client: any Channel
    private let http: HTTPHandlers
    private let handlers: [any RemovableChannelHandler]
    private var report: ExchangeReport
    private var isOver = false

    /// - Parameter handlers: The handlers after `http` on the client's side. They are removed together with `http`.
    init(
        _ dependencies: ExchangeDependencies, _ role: ConnectionRole, of client: any Channel, http: HTTPHandlers,
        handlers: [any RemovableChannelHandler], report: ExchangeReport
    ) {
        self.dependencies = dependencies
        self.role = role
        self.client = client
        self.http = http
        self.handlers = handlers
        self.report = report
    }

    /// Returns a Boolean value that indicates whether a request upgrades to a WebSocket (RFC 6455, section 4.1). The
    /// server ignores other upgrades, as RFC 9110, section 7.8, permits.
    static func isRequested(for head: HTTPRequestHead) -> Bool {
        head.method == .GET && head.version == .http1_1
            && head.headers[canonicalForm: "upgrade"].contains { $0.asciiLowercased == "websocket" }
            && head.headers[canonicalForm: "connection"].contains { $0.asciiLowercased == "upgrade" }
    }

    func start(_ head: HTTPRequestHead, _ target: ConnectionRole.Target) {
        let me = NIOLoopBound(self, eventLoop: client.eventLoop)
        client.closeFuture.whenComplete { _ in me.value.end(.stopped) }
        dependencies.dialer.connect(to: target.host, on: client.eventLoop).whenComplete { result in
            let upgrade = me.value
            switch result {
            case .success(let host): upgrade.sendRequest(host, head, target)
            case .failure(let error):
                upgrade.dependencies.happened(.unreachable(target.host, ResourceError(error)))
                upgrade.fail(ResourceError(error))
            }
        }
    }

    private func sendRequest(_ host: any Channel, _ head: HTTPRequestHead, _ target: ConnectionRole.Target) {
        guard !isOver else { return host.close(promise: nil) }
        client.closeFuture.whenComplete { _ in host.close(promise: nil) }
        let request = Self.request(head, target)
        do {
            if target.isSecure { try dependencies.dialer.secure(host, to: target.host) }
            let encoder = HTTPRequestEncoder()
            let answer = UpgradeResponseHandler(
                self, request, secureHost: target.isSecure ? target.host.host : nil, encoder: encoder,
                timeout: dependencies.limits.connect)
            try host.pipeline.syncOperations.addHandlers([encoder, answer])
        } catch {
            host.close(promise: nil)
            return fail(ResourceError(.tls, "TLS with the host failed", at: "\(target.host)", cause: error))
        }
        host.startReading().whenFailure { _ in host.close(promise: nil) }
    }

    private static func request(_ head: HTTPRequestHead, _ target: ConnectionRole.Target) -> HTTPRequestHead {
        var request = HTTPRequestHead(version: .http1_1, method: head.method, uri: target.path, headers: head.headers)
        for name in ["proxy-authorization", "proxy-connection", "host"] { request.headers.remove(name: name) }
        request.headers.replaceOrAdd(name: "Host", value: target.authority)
        return request
    }

    /// Returns a Boolean value that indicates whether a response head accepts a WebSocket.
    static func isAgreed(by head: HTTPResponseHead) -> Bool {
        head.status.code == 101
            && head.headers[canonicalForm: "upgrade"].contains { $0.asciiLowercased == "websocket" }
            && head.headers[canonicalForm: "connection"].contains { $0.asciiLowercased == "upgrade" }
    }

    /// Joins the connections after the host has accepted the upgrade.
    /// - Returns: `true` if the connections are joined; `false` if both are closed.
    func accept(_ head: HTTPResponseHead, from host: any Channel) -> Bool {
        guard !isOver else {
            host.close(promise: nil)
            return false
        }
        var agreement = head
        // The response has no body (RFC 9110, section 8.6; RFC 9112, section 6.1). The encoder would send chunks.
        for name in ["content-length", "transfer-encoding"] { agreement.headers.remove(name: name) }
        role.localize(&agreement.headers)
        client.write(HTTPServerResponsePart.head(agreement), promise: nil)
        client.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        report.head = HTTPResponse(status: .switchingProtocols)
        report.responded = .now
        end(.upgraded)
        let pipeline = client.pipeline.syncOperations
        do {
            try TunnelEnd.join(client: client, host: host)
        } catch {
            client.close(promise: nil)
            return false
        }
        for handler in handlers { pipeline.removeHandler(handler, promise: nil) }
        http.remove(from: pipeline)
        client.read()
        return true
    }

    /// Forwards the status of a refused upgrade, without a body. The WebSocket API does not expose the body to scripts.
    func refuse(_ head: HTTPResponseHead, from host: any Channel) {
        defer { host.close(promise: nil) }
        guard !isOver else { return }
        var answer = HTTPResponseHead(version: .http1_1, status: head.status)
        for field in ["set-cookie", "www-authenticate", "location"] {
            for value in head.headers[field] { answer.headers.add(name: field, value: value) }
        }
        role.localize(&answer.headers)
        answer.headers.add(name: "content-length", value: "0")
        answer.headers.add(name: "connection", value: "close")
        report.head = HTTPResponse(status: HTTPResponse.Status(code: Int(head.status.code)))
        report.responded = .now
        end(.finished)
        client.write(HTTPServerResponsePart.head(answer), promise: nil)
        let client = client
        client.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in client.close(promise: nil) }
    }

    /// Closes the client's connection after the host has failed.
    func fail(_ error: ResourceError) {
        guard !isOver else { return }
        end(.failed(error))
        client.close(promise: nil)
    }

    private func end(_ outcome: ExchangeReport.Outcome) {
        guard !isOver else { return }
        isOver = true
        report.end(outcome)
        dependencies.observer?.ended(report)
    }
}

/// The handler on the host's side of an upgrade request. It reads the heads of the response with the tolerance of the
/// engines (docs/decisions/0065), and no body. After the connections are joined, it forwards the bytes behind the head
/// and leaves the pipeline.
///
/// Isolation: the event loop of its channel.
private final class UpgradeResponseHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = HTTPClientRequestPart

    private let upgrade: Upgrade
    private let request: HTTPRequestHead
    private let secureHost: String?
    private let encoder: HTTPRequestEncoder
    private let timeout: Duration
    private var deadline: Scheduled<Void>?
    private var collector = MessageHeadCollector()
    private var heads = ResponseHeadState(allowsUpgrade: true)
    /// A Boolean value that indicates whether the handler reads no further head and drops further bytes.
    private var isOver = false

    /// - Parameter secureHost: The host that the certificate must match before data is sent; `nil` without TLS.
    init(
        _ upgrade: Upgrade, _ request: HTTPRequestHead, secureHost: String?, encoder: HTTPRequestEncoder,
        timeout: Duration
    ) {
        self.upgrade = upgrade
        self.request = request
        self.secureHost = secureHost
        self.encoder = encoder
        self.timeout = timeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard secureHost != nil else { return sendRequest(context) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(timeout)) {
            let (answer, context) = bound.value
            answer.upgrade.fail(ResourceError(.timedOut, "the TLS handshake with the host timed out"))
            context.close(promise: nil)
        }
    }

    /// Sends the request. Its response has no time limit; if the client disconnects, this connection is closed.
    private func sendRequest(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        context.write(wrapOutboundOut(.head(request)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.pipeline.syncOperations.removeHandler(encoder, promise: nil)
    }

    private func sendRequestOverTLS(_ context: ChannelHandlerContext) {
        let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        guard let secureHost, let certificate = try? tls?.peerCertificate?.toDERBytes(),
            HostIdentity.isOf(secureHost, certificate: certificate)
        else { return fail(context, ResourceError(.tls, "the certificate is for another host", at: secureHost)) }
        sendRequest(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        do {
            while !isOver, bytes.readableBytes > 0 {
                let (count, received) = try bytes.withUnsafeReadableBytes { try collector.collect($0) }
                bytes.moveReaderIndex(forwardBy: count)
                guard let received else { return }
                let head = try ReceivedResponseHead(received)
                guard try heads.receive(status: head.status) == .final else { continue }
                receive(context, HTTPResponseHead(head), followedBy: bytes)
            }
        } catch {
            fail(context, ResourceError(.connectionLost, "the response violates HTTP", cause: error))
        }
    }

    private func receive(_ context: ChannelHandlerContext, _ head: HTTPResponseHead, followedBy bytes: ByteBuffer) {
        isOver = true
        if Upgrade.isAgreed(by: head) {
            guard upgrade.accept(head, from: context.channel) else { return }
            if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } else if head.status.code == 101 {
            fail(context, ResourceError(.connectionLost, "the host switched to a protocol that was not requested"))
        } else {
            upgrade.refuse(head, from: context.channel)
        }
    }

    private func fail(_ context: ChannelHandlerContext, _ error: ResourceError) {
        isOver = true
        upgrade.fail(error)
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted: sendRequestOverTLS(context)
        case ChannelEvent.inputClosed:
            fail(context, ResourceError(.connectionLost, "the host closed the connection"))
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        upgrade.fail(ResourceError(.connectionLost, "the host closed the connection"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isOfTLS = error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError
        fail(
            context,
            isOfTLS
                ? ResourceError(.tls, "TLS with the host failed, or its certificate is not trusted", cause: error)
                : ResourceError(.connectionLost, "the host's response is incomplete or invalid", cause: error))
    }
}

extension HTTPResponseHead {
    fileprivate init(_ head: ReceivedResponseHead) {
        self.init(
            version: HTTPVersion(major: 1, minor: head.minorVersion),
            status: .custom(code: UInt(head.status), reasonPhrase: head.reason),
            headers: HTTPHeaders(head.fields.map { ($0.name, $0.value) }))
    }
}
