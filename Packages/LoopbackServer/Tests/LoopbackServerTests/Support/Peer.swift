// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import NIOCore
import NIOPosix
import NIOSSL

/// One end of a connection that sends raw bytes, with or without TLS.
///
/// Isolation: any.
final class Peer: Sendable {
    /// The end of the other side.
    enum End: Sendable {
        case closed
        case broken(String)
    }

    private struct State {
        var bytes: [UInt8] = []
        var end: End?
        var waiting: EventLoopPromise<Void>?
    }

    let channel: any Channel
    private let state = Mutex(State())

    private init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Adds a peer to a channel. Call this on the channel's event loop.
    static func attach(to channel: any Channel) throws -> Peer {
        let peer = Peer(channel)
        try channel.pipeline.syncOperations.addHandler(Inbox(peer))
        return peer
    }

    static func connect(to port: Int, host: String = "127.0.0.1") async throws -> Peer {
        let made = Log<Peer>()
        _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { made.append(try attach(to: channel)) }
            }
            .connect(host: host, port: port).get()
        return try await made.entry(0)
    }

    /// Starts TLS.
    /// - Parameters:
    ///   - host: The name that the certificate must match; `nil` for the connected address.
    ///   - authority: The trusted certificate authority (X.509, DER).
    func secure(_ host: String?, trusting authority: [UInt8]) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: authority, format: .der)])
        tls.applicationProtocols = ["http/1.1"]
        try await start(tls, host)
    }

    private func start(_ tls: TLSConfiguration, _ host: String?) async throws {
        let context = try NIOSSLContext(configuration: tls)
        try await channel.eventLoop.submit { [channel] in
            let handler = try NIOSSLClientHandler(context: context, serverHostname: host)
            try channel.pipeline.syncOperations.addHandler(handler, position: .first)
        }.get()
    }

    // MARK: Writing

    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    func close() {
        channel.close(promise: nil)
    }

    func closeOutput() async throws {
        try await channel.close(mode: .output).get()
    }

    // MARK: Reading

    /// Reads up to and including the given text.
    func read(until mark: String) async throws -> String {
        let mark = Array(mark.utf8)
        return try await receive("a mark") { bytes, _ in
            guard bytes.count >= mark.count else { return nil }
            for index in 0...(bytes.count - mark.count) where bytes[index..<(index + mark.count)].elementsEqual(mark) {
                defer { bytes.removeFirst(index + mark.count) }
                return String(decoding: bytes[..<(index + mark.count)], as: UTF8.self)
            }
            return nil
        }
    }

    func read(_ count: Int) async throws -> [UInt8] {
        try await receive("\(count) bytes") { bytes, _ in
            guard bytes.count >= count else { return nil }
            defer { bytes.removeFirst(count) }
            return Array(bytes[..<count])
        }
    }

    /// Reads up to the end of the connection.
    func rest() async throws -> [UInt8] {
        try await receive("the end") { bytes, end in end == nil ? nil : bytes }
    }

    /// Waits for the end of the connection.
    func end() async throws -> End {
        try await receive("the end") { _, end in end }
    }

    private func receive<Value: Sendable>(
        _ what: String, _ attempt: (inout [UInt8], End?) -> Value?
    ) async throws -> Value {
        while true {
            let promise = channel.eventLoop.makePromise(of: Void.self)
            let (value, end, seen) = state.withLock { state in
                let value = attempt(&state.bytes, state.end)
                if value == nil, state.end == nil { state.waiting = promise }
                return (value, state.end, state.bytes.suffix(200))
            }
            if value != nil || end != nil { promise.succeed() }
            if let value { return value }
            let text = "\(what) after \(String(decoding: seen, as: UTF8.self).debugDescription)"
            if let end { throw Overdue(description: "\(end) before \(text)") }
            let deadline = channel.eventLoop.scheduleTask(in: .seconds(20)) {
                promise.fail(Overdue(description: text))
            }
            defer { deadline.cancel() }
            try await promise.futureResult.get()
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.succeed()
    }

    private final class Inbox: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let peer: Peer

        init(_ peer: Peer) {
            self.peer = peer
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            peer.update { $0.bytes += bytes.readableBytesView }
        }

        func channelInactive(context: ChannelHandlerContext) {
            peer.update { $0.end = $0.end ?? .closed }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            peer.update { $0.end = $0.end ?? .broken("\(error)") }
            context.close(promise: nil)
        }
    }
}
