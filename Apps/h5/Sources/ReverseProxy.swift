// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ResourceLoading

/// A loader behind an HTTP/1.1 server on loopback.
struct ReverseProxy: Sendable {
    let loader: any ResourceLoading
    /// The origin: scheme and authority.
    let upstream: HTTPRequest

    /// The most bytes of a request's body.
    private static let uploadLimit = 64 << 20
    private static let pieceBytes = 64 << 10
    /// Fields of one connection (RFC 9110, section 7.6.1).
    private static let connectionFields: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Serves until the task is cancelled.
    /// - Parameter onListening: told the port, once connections are accepted.
    func serve(port: Int, onListening: @escaping @Sendable (Int) throws -> Void) async throws {
        let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
        // Not an `Application`: that gives every answer a date of its own.
        let server = Server(
            childChannelSetup: HTTP1Channel(
                responder: { request, writer, _ in try await respond(to: request, with: writer) },
                configuration: HTTP1Channel.Configuration(idleTimeout: .seconds(120))),
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in announcement.yield(channel.localAddress?.port ?? port) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "cache-proxy") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                do {
                    try await server.run()
                } catch let error as IOError where error.errnoCode == EADDRINUSE {
                    throw CommandError(
                        .unavailable, code: "port-in-use", "port \(port) is in use", at: "127.0.0.1:\(port)")
                }
            }
            group.addTask { for await port in ports.prefix(1) { try onListening(port) } }
            while try await group.next() != nil {}
        }
    }

    private func respond(to request: Request, with writer: consuming ResponseWriter) async throws {
        let response: ResourceResponse
        do {
            let outgoing = try await incoming(request)
            guard let found = try await loader.load(outgoing) else { throw ResourceError(.internal, "nobody answers") }
            response = found
        } catch let error as ResourceError {
            let status: HTTPResponse.Status = error.code == .tooLarge ? .contentTooLarge : .badGateway
            return try await writer.writeResponse(HTTPResponse(status: status, headerFields: [.contentLength: "0"]))
        }
        var head = response.head
        head.headerFields = Self.withoutConnection(head.headerFields)
        let hasNoBody = request.method == .head || [204, 304].contains(head.status.code)
        if !hasNoBody, let length = response.body.length { head.headerFields[.contentLength] = String(length) }
        guard !hasNoBody else { return try await writer.writeResponse(head) }
        let body = response.body
        let length = head.headerFields[.contentLength].flatMap { Int($0) }
        switch body {
        case .empty: try await writer.write(response: head, body: ResponseBody())
        case .bytes(let data):
            try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
        case .file(let slice):
            let pieces = ResponseBody(contentLength: length) { writer in
                var offset = 0
                while offset < slice.range.count {
                    let count = min(Self.pieceBytes, slice.range.count - offset)
                    try await writer.write(ByteBuffer(bytes: try slice.read(at: offset, count: count)))
                    offset += count
                }
                try await writer.finish(nil)
            }
            try await writer.write(response: head, body: pieces)
        case .stream(let stream):
            let pieces = ResponseBody(contentLength: length) { writer in
                for try await piece in stream { try await writer.write(ByteBuffer(bytes: piece)) }
                try await writer.finish(nil)
            }
            try await writer.write(response: head, body: pieces)
        }
    }

    /// The request as it goes to the origin.
    private func incoming(_ request: Request) async throws -> ResourceRequest {
        var head = request.head
        head.scheme = upstream.scheme
        head.authority = upstream.authority
        // SwiftNIO spells this one method without its hyphen.
        if head.method.rawValue == "MSEARCH", let method = HTTPRequest.Method("M-SEARCH") { head.method = method }
        head.headerFields = Self.withoutConnection(head.headerFields)
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: Self.uploadLimit)
        } catch is NIOTooManyBytesError {
            throw ResourceError(.tooLarge, "a body of more than \(Self.uploadLimit) bytes")
        }
        return ResourceRequest(head, body: body.readableBytes == 0 ? .empty : .bytes(Data(body.readableBytesView)))
    }

    private static func withoutConnection(_ fields: HTTPFields) -> HTTPFields {
        var dropped = connectionFields
        for name in (fields[.connection] ?? "").split(separator: ",") {
            dropped.insert(name.lowercased().filter { $0 != " " && $0 != "\t" })
        }
        return fields.filter { !dropped.contains($0.name.canonicalName) }
    }
}
