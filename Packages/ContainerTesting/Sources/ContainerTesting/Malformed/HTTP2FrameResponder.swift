// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHPACK

/// A handler for one HTTP/2 connection of a ``MalformedOrigin``, at the level of frames (RFC 9113, section 4.1). It
/// ignores flow-control windows, because responses are small.
///
/// Isolation: the event loop of its channel.
final class HTTP2FrameResponder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Kind {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let settings: UInt8 = 4
        static let ping: UInt8 = 6
    }

    /// The value of the END_STREAM flag and of the ACK flag.
    private static let end: UInt8 = 1
    private static let endOfHeaders: UInt8 = 4
    private static let priority: UInt8 = 0x20
    private static let preface = 24

    private let state: MalformedOrigin.State
    private var received = ByteBuffer()
    private var hasGreeted = false
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())

    init(_ state: MalformedOrigin.State) {
        self.state = state
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        if !hasGreeted {
            guard received.readableBytes >= Self.preface else { return }
            received.moveReaderIndex(forwardBy: Self.preface)
            hasGreeted = true
            write(Kind.settings, context: context)
        }
        while let head = received.getBytes(at: received.readerIndex, length: 9) {
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard received.readableBytes >= 9 + length else { return }
            received.moveReaderIndex(forwardBy: 9)
            guard let payload = received.readSlice(length: length) else { return }
            let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
            receive(head[3], flags: head[4], stream: stream, payload, context)
        }
    }

    private func receive(
        _ kind: UInt8, flags: UInt8, stream: UInt32, _ payload: ByteBuffer, _ context: ChannelHandlerContext
    ) {
        switch kind {
        case Kind.settings where flags & Self.end == 0: write(Kind.settings, flags: Self.end, context: context)
        case Kind.ping where flags & Self.end == 0:
            write(Kind.ping, flags: Self.end, payload: payload, context: context)
        case Kind.headers:
            var block = payload
            if flags & Self.priority != 0 { block.moveReaderIndex(forwardBy: min(5, block.readableBytes)) }
            guard let fields = try? decoder.decodeHeaders(from: &block), let path = fields.first(name: ":path") else {
                return context.channel.closeSoon()
            }
            respond(to: path, isHead: fields.first(name: ":method") == "HEAD", stream, context)
        default: break
        }
    }

    private func respond(to path: String, isHead: Bool, _ stream: UInt32, _ context: ChannelHandlerContext) {
        let (malformed, file) = state.response(to: path)
        var frames: [MalformedResponse.Frame] = [
            .headers(
                [
                    (":status", "200"), ("content-type", file.type), ("cache-control", "no-store"),
                    ("access-control-allow-origin", "*"), ("access-control-allow-headers", "*"),
                ], endsStream: isHead)
        ]
        if let malformed, case .http2(let its) = malformed.content {
            frames = its
        } else if !isHead {
            frames.append(.data(file.bytes, endsStream: true))
        }
        for frame in frames {
            switch frame {
            case .headers(let fields, let endsStream):
                write(
                    Kind.headers, flags: Self.endOfHeaders | (endsStream ? Self.end : 0), stream: stream,
                    payload: Self.block(fields), context: context)
            case .data(let bytes, let endsStream):
                write(
                    Kind.data, flags: endsStream ? Self.end : 0, stream: stream, payload: ByteBuffer(bytes: bytes),
                    context: context)
            }
        }
    }

    /// Encodes fields as literals without indexing (RFC 7541, section 6.2.2), without validation.
    private static func block(_ fields: [(String, String)]) -> ByteBuffer {
        var block = ByteBuffer()
        for (name, value) in fields {
            block.writeInteger(UInt8(0))
            for text in [name, value] {
                let bytes = Array(text.utf8.prefix(126))
                block.writeInteger(UInt8(bytes.count))
                block.writeBytes(bytes)
            }
        }
        return block
    }

    private func write(
        _ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: ByteBuffer = ByteBuffer(),
        context: ChannelHandlerContext
    ) {
        var frame = ByteBuffer()
        frame.writeInteger(UInt8(truncatingIfNeeded: payload.readableBytes >> 16))
        frame.writeInteger(UInt16(truncatingIfNeeded: payload.readableBytes))
        frame.writeInteger(kind)
        frame.writeInteger(flags)
        frame.writeInteger(stream)
        frame.writeImmutableBuffer(payload)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.channel.closeSoon()
    }
}
