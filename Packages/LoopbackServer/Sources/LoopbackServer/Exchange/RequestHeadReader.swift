// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1
internal import WebSyntax

/// A handler that reads the request heads of a connection in place of NIO's decoder, because NIO reads only registered
/// methods and refuses long targets and control characters in field values (docs/decisions/0065).
///
/// NIO's decoder behind this handler receives a minimal head with the same framing, and decodes the body.
/// ``RequestHeadHandler`` then replaces the minimal head by the head that was read.
///
/// Isolation: the event loop of its channel.
final class RequestHeadReader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum State {
        case head
        case body(rest: Int64)
        case chunks(ChunkedBodyScanner)
        /// The connection is a tunnel or upgrades to another protocol.
        case raw
        /// The connection is not used any more. Further bytes are dropped.
        case over
    }

    private var state = State.head
    private var collector = MessageHeadCollector()
    private var ready: CircularBuffer<HTTPRequestHead> = []

    /// Returns the head that belongs to the next head from NIO's decoder.
    func takeHead() -> HTTPRequestHead? { ready.popFirst() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        do throws(MessageHeadViolation) {
            while bytes.readableBytes > 0 {
                switch state {
                case .over: return
                case .raw:
                    context.fireChannelRead(wrapInboundOut(bytes))
                    return
                case .head: try readHead(context, &bytes)
                case .body(let rest):
                    let count = Int(min(rest, Int64(bytes.readableBytes)))
                    state = rest > Int64(count) ? .body(rest: rest - Int64(count)) : .head
                    forward(context, &bytes, count)
                case .chunks(var scanner):
                    let count = try bytes.withUnsafeReadableBytes { view throws(MessageHeadViolation) in
                        try scanner.scan(view)
                    }
                    state = scanner.part == .end ? .head : .chunks(scanner)
                    forward(context, &bytes, count)
                }
            }
        } catch {
            state = .over
            // `HTTPServerPipelineHandler` delays this error until earlier requests have been answered.
            context.fireErrorCaught(HTTPParserError.unknown)
        }
    }

    private func forward(_ context: ChannelHandlerContext, _ bytes: inout ByteBuffer, _ count: Int) {
        guard count > 0, let part = bytes.readSlice(length: count) else { return }
        context.fireChannelRead(wrapInboundOut(part))
    }

    private func readHead(_ context: ChannelHandlerContext, _ bytes: inout ByteBuffer) throws(MessageHeadViolation) {
        let (count, received) = try bytes.withUnsafeReadableBytes { view throws(MessageHeadViolation) in
            try collector.collect(view)
        }
        bytes.moveReaderIndex(forwardBy: count)
        guard let received else { return }
        start(context, HTTPRequestHead(try ReceivedRequestHead(received)))
    }

    /// Passes a minimal head to NIO's decoder.
    private func start(_ context: ChannelHandlerContext, _ head: HTTPRequestHead) {
        ready.append(head)
        var fields = ""
        var line = "POST /"
        state = .head
        if head.method == .CONNECT {
            line = "CONNECT host:1"
            state = .raw
        } else {
            switch Result(catching: { () throws(RequestFault) in try RequestFraming(head) }) {
            case .success(.none) where Upgrade.isRequested(for: head):
                fields = "connection: upgrade\r\nupgrade: websocket\r\n"
                state = .raw
            case .success(.none): break
            case .success(.length(let length)):
                fields += "content-length: \(length)\r\n"
                state = .body(rest: length)
            case .success(.chunked):
                fields += "transfer-encoding: chunked\r\n"
                state = .chunks(ChunkedBodyScanner(isTolerant: false))
            // The next handler refuses the request and closes the connection.
            case .failure: state = .over
            }
        }
        // Always HTTP/1.1, because the decoder would read no further head after HTTP/1.0.
        let minimal = "\(line) HTTP/1.1\r\n\(fields)\r\n"
        context.fireChannelRead(wrapInboundOut(context.channel.allocator.buffer(string: minimal)))
    }
}

/// A handler that replaces the minimal heads from NIO's decoder by the heads that ``RequestHeadReader`` has read.
///
/// Isolation: the event loop of its channel.
final class RequestHeadHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let reader: RequestHeadReader

    init(_ reader: RequestHeadReader) {
        self.reader = reader
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            guard let head = reader.takeHead() else { return context.close(promise: nil) }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        } else {
            context.fireChannelRead(data)
        }
    }
}

extension HTTPRequestHead {
    fileprivate init(_ head: ReceivedRequestHead) {
        var headers = HTTPHeaders()
        headers.reserveCapacity(head.fields.count)
        for field in head.fields { headers.add(name: field.name, value: field.value) }
        self.init(
            version: HTTPVersion(major: 1, minor: head.minorVersion),
            method: HTTPMethod(rawValue: head.method), uri: head.target, headers: headers)
    }
}
