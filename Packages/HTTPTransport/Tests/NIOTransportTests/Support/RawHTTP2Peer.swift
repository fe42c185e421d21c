// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore

/// The server side of one HTTP/2 connection, at the level of frames (RFC 9113, section 4.1).
///
/// Isolation: one task.
struct RawHTTP2Peer {
    struct Frame {
        let type: UInt8
        let flags: UInt8
        let stream: UInt32
        let payload: ByteBuffer
    }

    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let reset: UInt8 = 3
    static let settings: UInt8 = 4
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8

    /// The number of the connection, from 1.
    let number: Int
    private var input: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var buffer = ByteBuffer()

    init(
        _ number: Int, _ input: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        _ output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.number = number
        self.input = input
        self.output = output
    }

    private mutating func read(_ count: Int) async throws -> ByteBuffer? {
        while buffer.readableBytes < count {
            guard var more = try await input.next() else { return nil }
            buffer.writeBuffer(&more)
        }
        return buffer.readSlice(length: count)
    }

    /// Reads the client's preface and sends the limit of concurrent streams.
    mutating func greet(streams: UInt32) async throws {
        _ = try await read(24)
        var payload = ByteBuffer()
        payload.writeInteger(UInt16(3))
        payload.writeInteger(streams)
        try await write(Self.settings, payload: payload)
    }

    /// Returns the next frame without acknowledging it.
    mutating func nextFrame() async throws -> Frame? {
        guard var head = try await read(9),
            let high = head.readInteger(as: UInt8.self), let low = head.readInteger(as: UInt16.self),
            let type = head.readInteger(as: UInt8.self), let flags = head.readInteger(as: UInt8.self),
            let stream = head.readInteger(as: UInt32.self),
            let payload = try await read(Int(high) << 16 | Int(low))
        else { return nil }
        return Frame(type: type, flags: flags, stream: stream, payload: payload)
    }

    /// Returns the next frame of a type, and acknowledges SETTINGS and PING frames before it.
    mutating func next(_ type: UInt8) async throws -> Frame? {
        while let frame = try await nextFrame() {
            if frame.type == Self.settings, frame.flags & 1 == 0 { try await write(Self.settings, flags: 1) }
            if frame.type == Self.ping, frame.flags & 1 == 0 {
                try await write(Self.ping, flags: 1, payload: frame.payload)
            }
            if frame.type == type { return frame }
        }
        return nil
    }

    func write(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: ByteBuffer = ByteBuffer()) async throws {
        var frame = ByteBuffer()
        frame.writeInteger(UInt8(truncatingIfNeeded: payload.readableBytes >> 16))
        frame.writeInteger(UInt16(truncatingIfNeeded: payload.readableBytes))
        frame.writeInteger(type)
        frame.writeInteger(flags)
        frame.writeInteger(stream)
        frame.writeImmutableBuffer(payload)
        try await output.write(frame)
    }

    /// Writes a response head with only a status, as a literal (RFC 7541, section 6.2.2).
    func head(_ status: String, of stream: UInt32, isLast: Bool = false) async throws {
        var block = ByteBuffer(bytes: [0x08, UInt8(truncatingIfNeeded: status.utf8.count)])
        block.writeString(status)
        try await write(Self.headers, flags: isLast ? 5 : 4, stream: stream, payload: block)
    }

    /// Resets a stream, with `REFUSED_STREAM` by default.
    func reset(_ stream: UInt32, code: UInt32 = 7) async throws {
        try await write(Self.reset, stream: stream, payload: ByteBuffer(integer: code))
    }

    /// Sends GOAWAY: no stream above `last` was processed, and no further stream is accepted.
    func goAway(last: UInt32) async throws {
        var payload = ByteBuffer(integer: last)
        payload.writeInteger(UInt32(0))
        try await write(Self.goAway, payload: payload)
    }

    /// Increases the window of the connection, and that of an open stream, by `count` bytes.
    func permit(_ count: Int, of stream: UInt32?) async throws {
        guard count > 0 else { return }
        for stream in [0, stream].compactMap({ $0 }) {
            try await write(Self.windowUpdate, stream: stream, payload: ByteBuffer(integer: UInt32(count)))
        }
    }

    /// Writes body bytes of a response.
    func body(_ text: String, of stream: UInt32, isLast: Bool) async throws {
        try await write(Self.data, flags: isLast ? 1 : 0, stream: stream, payload: ByteBuffer(string: text))
    }
}
