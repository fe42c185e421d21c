// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import NIOCore

/// An HTTP/1.1 server connection that closes at random while it is idle: immediately after a response, some time later,
/// or when the next request arrives. That request is then not processed.
struct FlakyConnection: Sendable {
    let processed: ProcessedRequests
    private var random: SeededGenerator
    private var text = ""

    init(seed: UInt64, number: Int, _ processed: ProcessedRequests) {
        self.processed = processed
        random = SeededGenerator(seed: seed << 32 | UInt64(number))
    }

    mutating func serve(
        _ input: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        _ output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        var isFirst = true
        while true {
            // The connection is idle. A new connection is not closed, because it was opened for a request.
            if !isFirst {
                if random.oneIn(6) { return }
                if random.oneIn(6) { for _ in 0..<(random.next() % 50) { await Task.yield() } }
            }
            while !text.contains("\r\n\r\n") {
                guard let bytes = try await input.next() else { return }
                if !isFirst, random.oneIn(5) { return }
                text += String(buffer: bytes)
            }
            guard let end = text.range(of: "\r\n\r\n") else { return }
            let head = text[..<end.lowerBound]
            text = String(text[end.upperBound...])
            guard let id = head.split(separator: " ").dropFirst().first.map(String.init) else { return }
            if head.lowercased().contains("transfer-encoding: chunked") {
                while !text.hasSuffix("0\r\n\r\n") {
                    guard let bytes = try await input.next() else { return }
                    text += String(buffer: bytes)
                }
                text = ""
            } else {
                let length =
                    head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst("content-length:".count).filter { $0 != " " }) } ?? 0
                while text.utf8.count < length {
                    guard let bytes = try await input.next() else { return }
                    text += String(buffer: bytes)
                }
                text = String(decoding: Array(text.utf8.dropFirst(length)), as: UTF8.self)
            }
            processed.record(id)
            isFirst = false
            try await output.write(
                ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: \(id.utf8.count)\r\n\r\n\(id)"))
        }
    }
}

/// An HTTP/2 server connection that refuses streams and sends GOAWAY at random, and then closes the connection. The
/// body of each request begins with its identifier and a space; the response returns the identifier.
struct FlakyHTTP2Connection: Sendable {
    let processed: ProcessedRequests
    private var random: SeededGenerator
    private var bodies: [UInt32: String] = [:]
    private var highest: UInt32 = 0
    private var isLeaving = false

    init(seed: UInt64, number: Int, _ processed: ProcessedRequests) {
        self.processed = processed
        random = SeededGenerator(seed: seed << 32 | UInt64(number))
    }

    mutating func serve(_ peer: inout RawHTTP2Peer) async throws {
        while let frame = try await peer.nextFrame() {
            switch frame.type {
            case RawHTTP2Peer.settings where frame.flags & 1 == 0:
                try await peer.write(RawHTTP2Peer.settings, flags: 1)
            case RawHTTP2Peer.ping where frame.flags & 1 == 0:
                try await peer.write(RawHTTP2Peer.ping, flags: 1, payload: frame.payload)
            case RawHTTP2Peer.headers where !isLeaving:
                if random.oneIn(25) {
                    isLeaving = true
                    try await peer.goAway(last: highest)
                } else if random.oneIn(5) {
                    try await peer.reset(frame.stream)
                } else {
                    highest = frame.stream
                    bodies[frame.stream] = ""
                }
            case RawHTTP2Peer.data:
                try await peer.permit(
                    frame.payload.readableBytes, of: bodies[frame.stream] == nil ? nil : frame.stream)
                guard var body = bodies[frame.stream] else { break }
                body += String(buffer: frame.payload)
                bodies[frame.stream] = body
                if frame.flags & 1 == 0 {
                    // A part of the body was read.
                    if random.oneIn(12) {
                        bodies[frame.stream] = nil
                        try await peer.reset(frame.stream)
                    }
                } else {
                    bodies[frame.stream] = nil
                    let id = String(body.prefix { $0 != " " })
                    processed.record(id)
                    try await peer.head("200", of: frame.stream)
                    try await peer.body(id, of: frame.stream, isLast: true)
                }
            case RawHTTP2Peer.reset: bodies[frame.stream] = nil
            default: break
            }
            if bodies.isEmpty, !isLeaving, random.oneIn(50) {
                // The connection is idle.
                isLeaving = true
                try await peer.goAway(last: highest)
            }
            // All accepted streams are complete. Some servers wait until the client has closed.
            if isLeaving, bodies.isEmpty {
                if random.oneIn(2) { return }
                while try await peer.nextFrame() != nil {}
            }
        }
    }
}

extension SeededGenerator {
    /// Returns `true` in one of `count` cases on average.
    fileprivate mutating func oneIn(_ count: UInt64) -> Bool {
        next() % count == 0
    }
}
