// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// The client side of a SOCKS5 handshake with credentials (RFC 1928, RFC 1929). NIO's own client does not support
/// credentials.
///
/// Isolation: the event loop of its channel.
final class SOCKSIntroduction: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// An error with the refusing reply of the proxy.
    struct Refusal: Error {
        let answer: [UInt8]
    }

    private enum Step {
        case greeting
        case credentials
        case request
    }

    private let username: String
    private let password: String
    private let host: String
    private let port: UInt16
    private let onOpen: (any Channel) throws -> Void
    private var step = Step.greeting
    private var received = ByteBuffer()

    /// Creates a handler.
    /// - Parameter onOpen: a closure that is called when the tunnel to the host is open.
    init(
        username: String, password: String, host: String, port: UInt16, onOpen: @escaping (any Channel) throws -> Void
    ) {
        self.username = username
        self.password = password
        self.host = host
        self.port = port
        self.onOpen = onOpen
    }

    func channelActive(context: ChannelHandlerContext) {
        // The greeting: version 5 and one authentication method, which is username and password.
        send([5, 1, 2], context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        do { try proceed(context) } catch { context.fireErrorCaught(error) }
    }

    private func proceed(_ context: ChannelHandlerContext) throws {
        switch step {
        case .greeting:
            guard let answer = received.readBytes(length: 2) else { return }
            guard answer == [5, 2] else { throw Refusal(answer: answer) }
            step = .credentials
            send([1] + Self.counted(username) + Self.counted(password), context)
        case .credentials:
            guard let answer = received.readBytes(length: 2) else { return }
            guard answer == [1, 0] else { throw Refusal(answer: answer) }
            step = .request
            send([5, 1, 0, 3] + Self.counted(host) + [UInt8(port >> 8), UInt8(port & 0xff)], context)
        case .request:
            guard let start = received.getBytes(at: received.readerIndex, length: 5) else { return }
            // The address type and the first byte of the address, which is the length of a name.
            let address: [UInt8: Int] = [1: 4, 3: 1 + Int(start[4]), 4: 16]
            guard start.starts(with: [5, 0, 0]), let length = address[start[3]] else { throw Refusal(answer: start) }
            // The server sends nothing more before the TLS handshake.
            guard received.readBytes(length: 4 + length + 2) != nil else { return }
            try onOpen(context.channel)
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    private static func counted(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(255))
        return [UInt8(bytes.count)] + bytes
    }
}
