// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// A handler for one HTTP/1.1 connection of a ``MalformedOrigin``. Request bodies must have a length.
///
/// Isolation: the event loop of its channel.
final class HTTP1TextResponder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: MalformedOrigin.State
    private var received: [UInt8] = []
    /// The number of body bytes that have not arrived.
    private var awaited = 0

    init(_ state: MalformedOrigin.State) {
        self.state = state
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        while true {
            let body = min(awaited, received.count)
            received.removeFirst(body)
            awaited -= body
            guard awaited == 0, let head = readHead() else { return }
            awaited = head.bodyLength
            respond(to: head, context)
        }
    }

    private struct Head {
        let method: Substring
        let path: Substring
        let bodyLength: Int
    }

    private func readHead() -> Head? {
        let mark = Array("\r\n\r\n".utf8)
        guard received.count >= mark.count,
            let end = (0...(received.count - mark.count)).first(where: { received[$0...].starts(with: mark) })
        else { return nil }
        let text = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + mark.count)
        let lines = text.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return Head(method: "", path: "/", bodyLength: 0) }
        let length = lines.dropFirst().lazy.map { $0.lowercased() }.first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).filter { $0 != " " }) }
        // A proxy receives absolute URLs.
        let path = words[1].hasPrefix("http://") ? words[1].dropFirst(7).drop { $0 != "/" } : words[1]
        return Head(method: words[0], path: path, bodyLength: length ?? 0)
    }

    private func respond(to head: Head, _ context: ChannelHandlerContext) {
        let (malformed, file) = state.response(to: String(head.path))
        guard let malformed, let text = malformed.text else {
            let fields = [
                "Content-Type: \(file.type)", "Content-Length: \(file.bytes.count)", "Cache-Control: no-store",
                "Access-Control-Allow-Origin: *", "Access-Control-Allow-Headers: *",
            ]
            write("HTTP/1.1 200 OK\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n", context)
            guard head.method != "HEAD" else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: file.bytes)), promise: nil)
            return
        }
        write(text, context)
        if malformed.closes { context.channel.finishAndClose() }
    }

    private func write(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.channel.closeSoon()
    }
}
