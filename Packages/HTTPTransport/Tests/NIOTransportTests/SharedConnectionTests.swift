// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTransport
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP2
import ResourceLoading
import Testing

@testable import NIOTransport

/// Failures of a connection that many requests share.
@Suite("Shared connections", .timeLimit(.minutes(3)))
struct SharedConnectionTests {
    @Test("A host that allows fewer streams than usual loses no request")
    func fewStreams() async throws {
        let (gates, gate) = AsyncStream<Void>.makeStream()
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        try await RawHTTP2Server.with(streams: 2) { peer in
            guard let first = try await peer.next(RawHTTP2Peer.headers) else { return }
            try await peer.head("200", of: first.stream)
            try await peer.body("first", of: first.stream, isLast: true)
            // Two requests arrive and wait until the other requests would have timed out.
            var held: [UInt32] = []
            for _ in 0..<2 {
                guard let frame = try await peer.next(RawHTTP2Peer.headers) else { return }
                held.append(frame.stream)
            }
            arrival.yield()
            for await _ in gates { break }
            for stream in held {
                try await peer.head("200", of: stream)
                try await peer.body("ok", of: stream, isLast: true)
            }
            while let frame = try await peer.next(RawHTTP2Peer.headers) {
                try await peer.head("200", of: frame.stream)
                try await peer.body("ok", of: frame.stream, isLast: true)
            }
        } _: { server async throws in
            // The second server accepts connections without a TLS handshake, so that requests to it end by the connect
            // timeout.
            try await RawServer.with({ _, _ in }) { mute async throws in
                var configuration = try server.configuration()
                configuration.connectTimeout = .seconds(8)
                try await withTransport(configuration) { transport async throws in
                    #expect(try await transport.get(server.url + "/") == Data("first".utf8))
                    try await withThrowingTaskGroup(of: Data.self) { group in
                        for number in 0..<8 {
                            group.addTask { try await transport.get(server.url + "/\(number)") }
                        }
                        for await _ in arrivals { break }
                        await expectFailure(.cannotConnect) {
                            try await transport.send("https://127.0.0.1:\(mute.port)/")
                        }
                        gate.yield()
                        for try await data in group { #expect(data == Data("ok".utf8)) }
                    }
                    #expect(server.connections == 1)
                }
            }
        }
    }

    @Test(
        "A connection whose peer has disappeared fails its requests and is not reused",
        arguments: [Duration.seconds(4), nil])
    func deadConnection(limit: Duration?) async throws {
        try await RawHTTP2Server.with { peer in
            if peer.number == 1 {
                guard let first = try await peer.next(RawHTTP2Peer.headers) else { return }
                try await peer.head("200", of: first.stream)
                try await peer.body("1", of: first.stream, isLast: true)
                while try await peer.nextFrame() != nil {}
            }
            while let frame = try await peer.next(RawHTTP2Peer.headers) {
                try await peer.head("200", of: frame.stream)
                try await peer.body("\(peer.number)", of: frame.stream, isLast: true)
            }
        } _: { server async throws in
            var configuration = try server.configuration()
            configuration.readTimeout = limit
            configuration.pingInterval = limit == nil ? .seconds(1) : .seconds(30)
            try await withTransport(configuration) { transport async throws in
                #expect(try await transport.get(server.url + "/") == Data("1".utf8))
                await #expect(throws: ResourceError.self) { try await transport.send(server.url + "/", .post) }
                #expect(try await transport.get(server.url + "/") == Data("2".utf8))
                #expect(server.connections == 2)
            }
        }
    }

    @Test("A host that sends GOAWAY without closing does not delay the shutdown", arguments: [true, false])
    func shutdown(isIdle: Bool) async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        try await RawHTTP2Server.with { peer in
            defer { end.yield() }
            guard let request = try await peer.next(RawHTTP2Peer.headers) else { return }
            try await peer.head("200", of: request.stream)
            try await peer.body("body", of: request.stream, isLast: isIdle)
            // The client has read the response when it acknowledges the PING.
            try await peer.write(RawHTTP2Peer.ping, payload: ByteBuffer(repeating: 1, count: 8))
            while let frame = try await peer.next(RawHTTP2Peer.ping), frame.flags & 1 == 0 {}
            try await peer.goAway(last: request.stream)
            while try await peer.nextFrame() != nil {}
        } _: { server async throws in
            let transport = AsyncHTTPTransport(try server.configuration())
            guard case .stream(let body) = try await transport.send(server.url + "/").body else {
                Issue.record("no stream")
                return
            }
            var pieces = body.makeAsyncIterator()
            #expect(try await pieces.next() == Data("body".utf8))
            if isIdle {
                #expect(try await pieces.next() == nil)
                // Waits until the client has closed the connection.
                for await _ in ends { break }
            }
            try await transport.shutDown()
            if !isIdle { await #expect(throws: ResourceError.self) { try await pieces.next() } }
        }
    }

    @Test("A peer that acknowledges PING may be silent for any time")
    func patientRequest() async throws {
        try await RawHTTP2Server.with { peer in
            guard let request = try await peer.next(RawHTTP2Peer.headers) else { return }
            _ = try await peer.next(RawHTTP2Peer.ping)
            try await peer.head("200", of: request.stream)
            // Another probe follows during the body.
            _ = try await peer.next(RawHTTP2Peer.ping)
            try await peer.body("late", of: request.stream, isLast: true)
            while try await peer.nextFrame() != nil {}
        } _: { server async throws in
            for subject in Subject.allCases {
                // The peer has 15 s to acknowledge: a machine that pauses for some seconds does not fail the test.
                try await subject.with(try server.limits(ping: .seconds(20))) { transport async throws in
                    guard transport.capabilities.contains(.http2) else { return }
                    #expect(try await transport.get(server.url + "/") == Data("late".utf8))
                    #expect(server.connections == 1)
                }
            }
        }
    }

    private static let answer = HTTP2Frame(
        streamID: .rootStream, payload: .ping(HTTP2PingData(withInteger: 0), ack: true))

    /// Returns a connection that is probed with a silence, after a time without data.
    private func probed(_ silence: TimeAmount, after time: TimeAmount) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ConnectionPulse())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.embeddedEventLoop.advanceTime(by: time)
        channel.triggerUserOutboundEvent(ConnectionPulse.Probe(silence: silence), promise: nil)
        return channel
    }

    private func asks(_ channel: EmbeddedChannel) throws -> Bool {
        guard let frame = try channel.readOutbound(as: HTTP2Frame.self) else { return false }
        guard case .ping(_, ack: false) = frame.payload else { return false }
        return frame.streamID == .rootStream
    }

    @Test("The connection of a slow peer that replies stays open")
    func slowPeer() throws {
        let channel = try probed(.seconds(15), after: .seconds(15))
        #expect(try asks(channel))
        channel.embeddedEventLoop.advanceTime(by: .seconds(11))
        try channel.writeInbound(Self.answer)
        channel.embeddedEventLoop.advanceTime(by: .seconds(3_600))
        #expect(channel.isActive)
        // The next probe sends a PING again.
        channel.triggerUserOutboundEvent(ConnectionPulse.Probe(silence: .seconds(15)), promise: nil)
        #expect(try asks(channel))
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test("A connection to a silent peer is closed, after at least one second", arguments: [(20, 15_000), (1, 1_000)])
    func silentPeer(silence: Int64, wait: Int64) throws {
        let channel = try probed(.seconds(silence), after: .seconds(silence))
        #expect(try asks(channel))
        // A second probe does not send another PING.
        channel.triggerUserOutboundEvent(ConnectionPulse.Probe(silence: .seconds(silence)), promise: nil)
        #expect(try !asks(channel))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(wait - 1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test("A peer that sent data recently is probed after the full silence, unless more data arrives")
    func livePeer() throws {
        for hasReceived in [true, false] {
            let channel = try probed(.seconds(15), after: .seconds(14))
            #expect(try !asks(channel))
            if hasReceived { try channel.writeInbound(Self.answer) }
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(try asks(channel) == !hasReceived)
            channel.embeddedEventLoop.advanceTime(by: .seconds(3_600))
            #expect(channel.isActive == hasReceived)
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test("A status with more than three digits is invalid", arguments: ["9999", "1000"])
    func status(status: String) async throws {
        try await RawHTTP2Server.with { peer in
            while let frame = try await peer.next(RawHTTP2Peer.headers) {
                try await peer.head(status, of: frame.stream)
                try await peer.body("no", of: frame.stream, isLast: true)
            }
        } _: { server async throws in
            try await withTransport(try server.configuration()) { transport async in
                let url = server.url + "/"
                await expectFailure(.connectionLost, at: url) { try await transport.get(url) }
            }
        }
    }

    @Test("A later GOAWAY with a higher stream does not make an unprocessed stream count as processed")
    func raisedLastStream() throws {
        let events = ClosedStreams()
        let channel = EmbeddedChannel(handlers: [GoAwayHandler(), events])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        for stream in [1, 3, 5] {
            channel.pipeline.fireUserInboundEventTriggered(
                NIOHTTP2StreamCreatedEvent(
                    streamID: HTTP2StreamID(stream), localInitialWindowSize: nil, remoteInitialWindowSize: nil))
        }
        for last in [3, 5, 1] {
            let frame = HTTP2Frame.FramePayload.goAway(
                lastStreamID: HTTP2StreamID(last), errorCode: .noError, opaqueData: nil)
            try channel.writeInbound(HTTP2Frame(streamID: .rootStream, payload: frame))
            for stream in last == 5 ? [5, 3] : [] {
                channel.pipeline.fireUserInboundEventTriggered(
                    StreamClosedEvent(streamID: HTTP2StreamID(stream), reason: .cancel))
            }
        }
        #expect(events.reasons == [.refusedStream, .cancel])
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}

/// Records the reasons of closed streams.
private final class ClosedStreams: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private(set) var reasons: [NIOHTTP2.HTTP2ErrorCode?] = []

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let closed = event as? StreamClosedEvent { reasons.append(closed.reason) }
    }
}
