// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// The URL of a load and the connection parameters.
struct LoadTarget: Sendable {
    private let host: String
    private let port: Int
    private let credentials: (username: String, password: String)?
    private let head: HTTPRequestHead
    private let bytes: Int
    private let context: NIOSSLContext
    private let pin: CertificatePin

    init(
        url: String, port: Int, credentials: (username: String, password: String)?, certificate: String, bytes: Int
    ) throws {
        guard let parts = URLComponents(string: url), parts.scheme == "https", let host = parts.host,
            !parts.path.isEmpty
        else { throw CommandError(.usage, code: "url", "not an https URL with a path", at: url) }
        self.host = host
        self.port = port
        self.credentials = credentials
        self.bytes = bytes
        pin = CertificatePin(certificate)
        head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: parts.path,
            headers: [
                "Host": host, "User-Agent": "loopback-load", "Accept": "*/*", "Referer": "https://\(host)/",
                "Sec-Fetch-Dest": "script", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Site": "same-origin",
            ])
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv13
        tls.applicationProtocols = ["http/1.1"]
        context = try NIOSSLContext(configuration: tls)
    }

    /// Opens a connection and returns after the TLS handshake.
    func connect(on group: any EventLoopGroup) async throws -> NIOLoopBound<LoadHandler> {
        let eventLoop = group.next()
        let ready = eventLoop.makePromise(of: Void.self)
        let made = eventLoop.makePromise(of: NIOLoopBound<LoadHandler>.self)
        do {
            let channel = try await ClientBootstrap(group: eventLoop)
                .connectTimeout(.seconds(10))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let handler = LoadHandler(head, bytes: bytes, ready: ready)
                        made.succeed(NIOLoopBound(handler, eventLoop: channel.eventLoop))
                        let secure = { (channel: any Channel) in
                            let pipeline = channel.pipeline.syncOperations
                            try pipeline.addHandler(pin.handler(context, host))
                            try pipeline.addHTTPClientHandlers()
                            try pipeline.addHandler(handler)
                        }
                        guard let credentials else { return try secure(channel) }
                        try channel.pipeline.syncOperations.addHandlers(
                            SOCKSIntroduction(
                                username: credentials.username, password: credentials.password, host: host, port: 443,
                                onOpen: secure),
                            IntroductionEnd(ready))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            let late = channel.eventLoop.scheduleTask(in: .seconds(30)) {
                ready.fail(ChannelError.connectTimeout(.seconds(30)))
            }
            defer { late.cancel() }
            try await ready.futureResult.get()
            return try await made.futureResult.get()
        } catch {
            ready.fail(error)
            made.fail(error)
            throw error
        }
    }
}

/// A verifier that accepts one certificate only, like an engine that trusts only this certificate for a host.
private final class CertificatePin: Sendable {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    func handler(_ context: NIOSSLContext, _ host: String) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: host) { [path] chain, promise in
            // The file is read in each handshake, because the proxy issues the certificate during the first connection
            // to the host.
            guard let own = try? Data(contentsOf: URL(fileURLWithPath: path)),
                let first = try? chain.first?.toDERBytes(),
                own.elementsEqual(first)
            else { return promise.succeed(.failed) }
            promise.succeed(.certificateVerified)
        }
    }
}

/// Fails the promise if the proxy refuses or closes the connection.
private final class IntroductionEnd: ChannelInboundHandler {
    typealias InboundIn = Any

    private let ready: EventLoopPromise<Void>

    init(_ ready: EventLoopPromise<Void>) {
        self.ready = ready
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ready.fail(error)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        ready.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
