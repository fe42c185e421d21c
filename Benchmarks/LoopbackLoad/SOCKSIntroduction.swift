// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// Says who it is to a SOCKS5 proxy (RFC 1928, RFC 1929) and asks for a host; NIO's own client has no credentials.
///
/// Isolation: its channel's event loop.
final class SOCKSIntroduction: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What the proxy did not agree to.
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

    /// - Parameter onOpen: called when bytes go to the host from here on.
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
        // Version 5, one method: user name and password.
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
            // The kind of address, and the first byte of it, which of a name is its length.
            let address: [UInt8: Int] = [1: 4, 3: 1 + Int(start[4]), 4: 16]
            guard start.starts(with: [5, 0, 0]), let length = address[start[3]] else { throw Refusal(answer: start) }
            // Nobody says more before TLS begins.
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
