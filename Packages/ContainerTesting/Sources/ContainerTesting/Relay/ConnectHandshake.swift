// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// The recognition of a CONNECT request and the head of its response (RFC 9110, section 9.3.6) at the beginning of a
/// connection to a proxy.
///
/// A direct connection has no such exchange, so a simulated network does not delay it.
struct ConnectHandshake {
    /// The head of a message, and bytes that follow it or belong to no exchange.
    struct HeadSplit: Equatable {
        var head: ByteBuffer?
        var rest: ByteBuffer?
    }

    private enum State {
        case request, response, over
    }

    /// The maximum size of a head in bytes. Longer heads are not recognized.
    static let limit = 65_536
    private static let method = Array("CONNECT ".utf8)
    private static let end = Array("\r\n\r\n".utf8)

    private var state = State.request
    private var bytes = ByteBuffer()

    /// A Boolean value that indicates whether the exchange is complete, or the connection does not begin with CONNECT.
    var isOver: Bool { state == .over }

    /// Receives the next bytes of a direction. Bytes of an incomplete head are stored.
    mutating func receive(_ buffer: ByteBuffer, _ direction: RelayDirection) -> HeadSplit {
        guard direction == stored else { return HeadSplit(rest: buffer) }
        bytes.writeImmutableBuffer(buffer)
        let view = bytes.readableBytesView
        guard state == .response || view.starts(with: Self.method.prefix(view.count)) else { return pass() }
        guard let end = view.firstRange(of: Self.end)?.upperBound else {
            return view.count > Self.limit ? pass() : HeadSplit()
        }
        let head = bytes.readSlice(length: end - view.startIndex)
        if state == .request {
            state = .response
            defer { bytes.clear() }
            return HeadSplit(head: head, rest: bytes.readableBytes > 0 ? bytes : nil)
        }
        return HeadSplit(head: head, rest: pass().rest)
    }

    /// Ends the exchange, because a direction has ended.
    /// - Returns: The stored bytes of the direction; `nil` if there are none.
    mutating func end(_ direction: RelayDirection) -> ByteBuffer? {
        direction == stored ? pass().rest : nil
    }

    /// The direction whose bytes are stored until a head is complete.
    private var stored: RelayDirection? {
        switch state {
        case .request: .up
        case .response: .down
        case .over: nil
        }
    }

    private mutating func pass() -> HeadSplit {
        state = .over
        defer { bytes.clear() }
        return HeadSplit(rest: bytes.readableBytes > 0 ? bytes : nil)
    }
}
