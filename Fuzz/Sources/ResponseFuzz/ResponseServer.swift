// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import FuzzSupport
internal import HTTPTransport
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTransport
internal import Synchronization

/// A server that sends prepared bytes when it receives a request, and then closes the connection.
final class ResponseServer: Sendable {
    fileprivate struct State {
        var response: [ArraySlice<UInt8>] = []
        var connections = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private static let plain = ResponseServer(isHTTP2: false)
    private static let multiplexed = ResponseServer(isHTTP2: true)
    private let listener: any Channel
    private let state: SharedState
    let url: String

    static func of(isHTTP2: Bool) -> ResponseServer { isHTTP2 ? multiplexed : plain }

    /// The transport under test, which trusts the servers.
    static let transport: AsyncHTTPTransport = {
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.readTimeout = .seconds(5)
        configuration.writeTimeout = .seconds(5)
        do {
            configuration.authorities = [try CertificateAuthority(pem: Certificate.certificate)]
        } catch {
            Fuzz.expect(false, "invalid certificate: \(error)")
        }
        return AsyncHTTPTransport(configuration)
    }()

    fileprivate final class SharedState: Sendable {
        let value = Mutex(State())

        func close() {
            value.withLock { state in
                state.connections -= 1
                guard state.connections == 0 else { return nil as CheckedContinuation<Void, Never>? }
                defer { state.waiter = nil }
                return state.waiter
            }?.resume()
        }
    }

    private init(isHTTP2: Bool) {
        let state = SharedState()
        self.state = state
        do {
            let tls = isHTTP2 ? try Certificate.context() : nil
            listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 64)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        state.value.withLock { $0.connections += 1 }
                        channel.closeFuture.whenComplete { _ in state.close() }
                        if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                        try channel.pipeline.syncOperations.addHandler(Responder(state, isHTTP2: isHTTP2))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).wait()
        } catch {
            Fuzz.expect(false, "the server did not start: \(error)")
            preconditionFailure()
        }
        url = "\(isHTTP2 ? "https" : "http")://127.0.0.1:\(listener.localAddress?.port ?? 0)/path"
    }

    /// Sets the response to the next requests.
    /// - Parameter piece: the number of bytes in one write; 0 for all bytes.
    func prepare(_ response: [UInt8], piece: Int) {
        let length = max(piece == 0 ? response.count : piece, response.count / 32, 1)
        state.value.withLock { state in
            state.response = stride(from: 0, to: response.count, by: length).map {
                response[$0..<min($0 + length, response.count)]
            }
        }
    }

    /// Waits until no connection is open, so that the next input uses a new connection.
    func finish() {
        let state = state
        Fuzz.wait {
            await withCheckedContinuation { continuation in
                let isIdle = state.value.withLock { state in
                    if state.connections > 0 { state.waiter = continuation }
                    return state.connections == 0
                }
                if isIdle { continuation.resume() }
            }
        }
    }

    /// The handler of one connection.
    private final class Responder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let state: SharedState
        private let isHTTP2: Bool
        private var received = ByteBuffer()
        private var hasGreeted = false
        private var hasResponded = false

        init(_ state: SharedState, isHTTP2: Bool) {
            self.state = state
            self.isHTTP2 = isHTTP2
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            guard !hasResponded else { return }
            received.writeBuffer(&bytes)
            if isHTTP2 ? hasHeaders(context) : hasHead { respond(context) }
        }

        /// A Boolean value that indicates whether a request head has arrived. The request body is not awaited.
        private var hasHead: Bool {
            let text = received.readableBytesView
            return text.first == UInt8(ascii: "P") || text.suffix(4).elementsEqual("\r\n\r\n".utf8)
        }

        /// Reads HTTP/2 frames up to a HEADERS frame. It replies to the connection preface with SETTINGS.
        private func hasHeaders(_ context: ChannelHandlerContext) -> Bool {
            if !hasGreeted {
                guard received.readableBytes >= 24 else { return false }
                received.moveReaderIndex(forwardBy: 24)
                hasGreeted = true
                context.writeAndFlush(
                    wrapOutboundOut(ByteBuffer(bytes: [0, 0, 0, 4, 0, 0, 0, 0, 0])), promise: nil)
            }
            while let head = received.getBytes(at: received.readerIndex, length: 9) {
                let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
                guard received.readableBytes >= 9 + length else { return false }
                received.moveReaderIndex(forwardBy: 9 + length)
                if head[3] == 1 { return true }
            }
            return false
        }

        private func respond(_ context: ChannelHandlerContext) {
            hasResponded = true
            for piece in state.value.withLock(\.response) {
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: piece)), promise: nil)
            }
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { [isHTTP2] _ in
                channel.close(mode: isHTTP2 ? .all : .output, promise: nil)
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
