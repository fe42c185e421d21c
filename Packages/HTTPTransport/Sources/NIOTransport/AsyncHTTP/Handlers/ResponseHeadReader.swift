// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTransport
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
@_spi(Facade) internal import ResourceLoading
internal import WebSyntax

/// A handler that reads the response heads of an HTTP/1.1 connection in place of NIO's decoder, because NIO refuses
/// heads that engines read (docs/decisions/0065).
///
/// NIO's decoder behind this handler receives a minimal head with the same framing, and decodes the body.
/// ``ResponseHeadHandler`` then replaces the minimal head by the head that was read. Informational responses and
/// trailers are dropped.
///
/// If the connection ends within a head, the complete lines of the head are a response without a body that ends with
/// ``UnconfirmedResponseEnd``, because further lines may be missing.
///
/// Isolation: the event loop of its channel.
final class ResponseHeadReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum State {
        /// No request waits for a response.
        case idle
        case head
        /// The rest of a body of a known length, in bytes.
        case body(rest: Int64)
        case chunks(ChunkedBodyScanner)
        /// A body that ends with the connection.
        case bodyUntilClose
        /// The connection is not used any more.
        case over
    }

    private var state = State.idle
    private var heads = ResponseHeadState()
    private var collector = MessageHeadCollector()
    private var ready: ReceivedResponseHead?
    private var allowsBody = true

    // MARK: Called by ResponseHeadHandler

    /// Prepares for the response to a request that is being sent.
    func expectResponse(to method: HTTPMethod) {
        if case .over = state { return }
        state = .head
        heads = ResponseHeadState()
        collector = MessageHeadCollector()
        allowsBody = method != .HEAD
    }

    /// Returns the head that belongs to the head from NIO's decoder.
    func takeHead() -> ReceivedResponseHead? {
        defer { ready = nil }
        return ready
    }

    /// Ends the response.
    func endResponse() {
        if case .over = state { return }
        state = .idle
    }

    // MARK: Events of the channel

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        do throws(MessageHeadViolation) {
            while bytes.readableBytes > 0 {
                switch state {
                case .over: return
                case .idle:
                    guard Self.areLineEnds(bytes) else { throw MessageHeadViolation("a response without a request") }
                    return
                case .head: try readHead(context, &bytes)
                case .bodyUntilClose:
                    context.fireChannelRead(wrapInboundOut(bytes))
                    return
                case .body(let rest): forward(context, &bytes, rest)
                case .chunks(var scanner): try forward(context, &bytes, &scanner)
                }
            }
        } catch {
            refuse(context, error)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .head = state, !collector.bytes.isEmpty, error as? NIOSSLError == .uncleanShutdown {
            return endWithinHead(context)
        }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .head = state, !collector.bytes.isEmpty { endWithinHead(context) }
        context.fireChannelInactive()
    }

    private func refuse(_ context: ChannelHandlerContext, _ violation: MessageHeadViolation) {
        state = .over
        context.fireErrorCaught(violation)
        context.close(promise: nil)
    }

    /// Delivers the last bytes of a response.
    ///
    /// Some servers send line ends after a body (RFC 9112, section 2.2). If other bytes follow, the connection is
    /// closed, so that they are not read as the next response.
    private func end(_ context: ChannelHandlerContext, with part: ByteBuffer, followedBy rest: inout ByteBuffer) {
        let isReusable = Self.areLineEnds(rest)
        rest.clear()
        // The next request may be sent within the call that delivers the end.
        state = isReusable ? .idle : .over
        context.fireChannelRead(wrapInboundOut(part))
        if !isReusable { context.close(promise: nil) }
    }

    private static func areLineEnds(_ bytes: ByteBuffer) -> Bool {
        bytes.readableBytesView.allSatisfy { $0 == 0x0A || $0 == 0x0D }
    }

    // MARK: Heads

    private func readHead(
        _ context: ChannelHandlerContext, _ bytes: inout ByteBuffer
    ) throws(MessageHeadViolation) {
        let (count, received) = try bytes.withUnsafeReadableBytes { view throws(MessageHeadViolation) in
            try collector.collect(view)
        }
        bytes.moveReaderIndex(forwardBy: count)
        guard let received else { return }
        let head = try ReceivedResponseHead(received)
        guard try kind(of: head) == .final else { return }
        start(context, head, followedBy: &bytes)
    }

    private func kind(of head: ReceivedResponseHead) throws(MessageHeadViolation) -> ResponseHeadState.Head {
        do throws(ResponseHeadState.Violation) {
            return try heads.receive(status: head.status)
        } catch {
            throw MessageHeadViolation(error.description)
        }
    }

    /// Passes a minimal head to NIO's decoder.
    private func start(
        _ context: ChannelHandlerContext, _ head: ReceivedResponseHead, followedBy rest: inout ByteBuffer
    ) {
        ready = head
        // Always HTTP/1.1, because the decoder would read no further head after HTTP/1.0.
        var minimal = "HTTP/1.1 \(head.status) \r\n"
        switch head.framing {
        case .length(let length):
            state = .body(rest: length)
            minimal += "content-length: \(length)\r\n"
        case .chunked:
            state = .chunks(ChunkedBodyScanner(isTolerant: true))
            minimal += "transfer-encoding: chunked\r\n"
        case .close: state = .bodyUntilClose
        }
        let bytes = context.channel.allocator.buffer(string: minimal + "\r\n")
        if !allowsBody || [204, 304].contains(head.status) || head.framing == .length(0) {
            end(context, with: bytes, followedBy: &rest)
        } else {
            context.fireChannelRead(wrapInboundOut(bytes))
        }
    }

    /// Ends the response after a head that is not complete.
    private func endWithinHead(_ context: ChannelHandlerContext) {
        defer { state = .over }
        guard collector.isAtLineStart, var head = try? ReceivedResponseHead(collector.bytes),
            (try? kind(of: head)) == .final, allowsBody, ![204, 304].contains(head.status),
            head.framing == .close || head.framing == .length(0)
        else { return context.fireErrorCaught(MessageHeadViolation("the connection ended within the head")) }
        head.endWithConnection()
        var rest = ByteBuffer()
        start(context, head, followedBy: &rest)
        context.fireErrorCaught(UnconfirmedResponseEnd())
    }

    // MARK: Bodies

    /// Passes the bytes of a body of a known length to NIO's decoder.
    private func forward(_ context: ChannelHandlerContext, _ bytes: inout ByteBuffer, _ rest: Int64) {
        let part = bytes.readSlice(length: Int(min(rest, Int64(bytes.readableBytes)))) ?? ByteBuffer()
        let left = rest - Int64(part.readableBytes)
        guard left > 0 else { return end(context, with: part, followedBy: &bytes) }
        state = .body(rest: left)
        context.fireChannelRead(wrapInboundOut(part))
    }

    /// Passes the data of chunks to NIO's decoder in chunks without extensions, and drops trailers.
    private func forward(
        _ context: ChannelHandlerContext, _ bytes: inout ByteBuffer, _ scanner: inout ChunkedBodyScanner
    ) throws(MessageHeadViolation) {
        let part = scanner.part
        let count = try bytes.withUnsafeReadableBytes { view throws(MessageHeadViolation) in try scanner.scan(view) }
        let scanned = bytes.readSlice(length: count) ?? ByteBuffer()
        state = .chunks(scanner)
        if part == .data, count > 0 {
            context.fireChannelRead(wrapInboundOut(ByteBuffer(string: String(count, radix: 16) + "\r\n")))
            context.fireChannelRead(wrapInboundOut(scanned))
            context.fireChannelRead(wrapInboundOut(ByteBuffer(string: "\r\n")))
        }
        if scanner.part == .end {
            end(context, with: ByteBuffer(string: "0\r\n\r\n"), followedBy: &bytes)
        }
    }
}
