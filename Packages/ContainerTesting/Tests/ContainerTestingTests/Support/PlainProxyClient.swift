// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore
import NIOHTTP1
import NIOPosix

/// A client that sends requests for absolute `http` URLs to a proxy over one connection, as browsers do.
///
/// AsyncHTTPClient is not suitable, because it opens a tunnel also for `http`.
struct PlainProxyClient {
    struct ConnectionClosed: Error {}

    private var answers: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
    private let requests: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>

    /// Runs `body` with a connection to a proxy.
    static func with<Result: Sendable>(
        proxy port: Int, _ body: @Sendable (inout PlainProxyClient) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var client = PlainProxyClient(answers: inbound.makeAsyncIterator(), requests: outbound)
            return try await body(&client)
        }
    }

    mutating func sendRequest(
        _ url: String, _ method: HTTPMethod = .GET, headers: HTTPHeaders = [:], body: [UInt8]? = nil
    ) async throws -> Answer {
        var headers = headers
        headers.add(name: "host", value: "ignored.example")
        if let body, !headers.contains(name: "transfer-encoding") {
            headers.add(name: "content-length", value: "\(body.count)")
        }
        try await requests.write(
            .head(HTTPRequestHead(version: .http1_1, method: method, uri: url, headers: headers)))
        for start in stride(from: 0, to: body?.count ?? 0, by: 50_000) {
            guard let part = body?.dropFirst(start).prefix(50_000) else { break }
            try await requests.write(.body(.byteBuffer(ByteBuffer(bytes: part))))
        }
        try await requests.write(.end(nil))
        var head: HTTPResponseHead?
        var bytes: [UInt8] = []
        while let part = try await answers.next() {
            switch part {
            case .head(let part): head = part
            case .body(let buffer): bytes += buffer.readableBytesView
            case .end:
                guard let head else { throw ConnectionClosed() }
                return Answer(status: Int(head.status.code), headers: head.headers, body: bytes)
            }
        }
        throw ConnectionClosed()
    }
}
