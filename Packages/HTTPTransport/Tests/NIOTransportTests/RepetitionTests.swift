// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTP2
import ResourceLoading
import Testing

@testable import HTTPTransport
@testable import NIOTransport

@Suite("Repetition")
struct RepetitionTests {
    private let unanswered = TransportFailure(.receive, "a", underlying: nil, isUnanswered: true)
    private let unsent = TransportFailure(.connect, "a", underlying: nil, isUnanswered: true)
    private let refused = TransportFailure(
        .receive, "a", underlying: NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .refusedStream),
        isUnanswered: true)

    private let rejected = TransportFailure(
        .receive, "a", underlying: ReuseGuard.Rejection(), isUnanswered: true)

    @Test("A request that is not idempotent uses a new HTTP/1.1 connection")
    func first() {
        for isShared in [nil, true, false] {
            #expect(Repetition(of: .get).first(isShared: isShared) == .pooled)
            #expect(Repetition(of: .post).first(isShared: isShared) == (isShared == false ? .fresh : .pooled))
        }
    }

    @Test("A request over https whose head may not fit into an HTTP/2 frame uses new HTTP/1.1 connections")
    func longHead() throws {
        func needsHTTP1(_ path: String, _ scheme: String = "https", _ fields: HTTPFields = [:]) -> Bool {
            !HTTPRequest(method: .get, scheme: scheme, authority: "a.test", path: path, headerFields: fields).fitsHTTP2
        }
        // HPACK codes an `a` in 5 bits and a `|` in 11 bits (RFC 7541, appendix B).
        let long = "/" + String(repeating: "|", count: 12_000)
        #expect(needsHTTP1(long) && !needsHTTP1(long, "http"))
        #expect(!needsHTTP1("/" + String(repeating: "a", count: 20_000)))
        #expect(needsHTTP1("/" + String(repeating: "a", count: 30_000)))
        // A server that permits no dynamic table receives equal fields one by one.
        var fields = HTTPFields()
        let name = try #require(HTTPField.Name("x"))
        for _ in 0..<1_000 { fields.append(HTTPField(name: name, value: "01234567890123456789")) }
        #expect(needsHTTP1("/", "https", fields))
        for isShared in [nil, true, false] {
            for failure in [unsent, refused, rejected, unanswered] {
                var put = Repetition(of: .put)
                put.needsHTTP1 = true
                #expect(put.first(isShared: isShared) == .freshHTTP1)
                #expect(put.next(after: failure, isShared: isShared)?.connection == .freshHTTP1)
            }
        }
    }

    @Test("A request that may have been processed is sent again once if it is idempotent")
    func processed() {
        var get = Repetition(of: .get)
        #expect(get.next(after: unanswered, isShared: false) == .init(connection: .fresh, delay: .zero))
        #expect(get.next(after: unanswered, isShared: false) == nil)
        var post = Repetition(of: .post)
        #expect(post.next(after: unanswered, isShared: true) == nil)
        for failure in [
            TransportFailure(.connect, "a"), TransportFailure(.receive, "a"), TransportFailure(.tls, "a"),
        ] {
            #expect(get.next(after: failure, isShared: nil) == nil)
        }
    }

    @Test("A request that was not processed is sent again, with growing delays and a limit")
    func unprocessed() {
        var post = Repetition(of: .post)
        var delays: [Duration] = []
        while let step = post.next(after: refused, isShared: true) {
            #expect(step.connection == .pooled)
            delays.append(step.delay)
        }
        #expect(delays.count == 24 && delays.prefix(2).allSatisfy { $0 == .zero })
        #expect(delays == delays.sorted() && delays.last == .milliseconds(250))
        var count = 0
        while post.next(after: unsent, isShared: false)?.connection == .fresh { count += 1 }
        #expect(count == 4)
    }

    @Test("A used HTTP/1.1 connection rejects requests that are not idempotent", arguments: [true, false])
    func guarded(isUsed: Bool) throws {
        let channel = EmbeddedChannel(handler: ReuseGuard())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        func write(_ method: HTTPMethod) throws {
            let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/")
            try channel.writeOutbound(HTTPClientRequestPart.head(head))
            try channel.writeOutbound(HTTPClientRequestPart.end(nil))
        }
        if isUsed {
            try write(.GET)
            try write(.PUT)
            #expect(throws: ReuseGuard.Rejection.self) { try write(.POST) }
        } else {
            try write(.POST)
        }
        var count = 0
        while try channel.readOutbound(as: HTTPClientRequestPart.self) != nil { count += 1 }
        #expect(count == (isUsed ? 4 : 2))
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}
