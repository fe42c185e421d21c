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
internal import WebSyntax

/// An HTTP/1.1 server on loopback in front of a loader.
struct ReverseProxy: Sendable {
    let loader: any ResourceLoader
    /// The scheme and authority of the origin.
    let upstream: HTTPRequest

    /// The maximum size of a request body in bytes.
    private static let uploadLimit = 64 << 20
    private static let pieceBytes = 64 << 10

    /// Serves until the task is cancelled.
    /// - Parameter onListening: A closure that receives the port when the server accepts connections.
    func serve(port: Int, onListening: @escaping @Sendable (Int) throws -> Void) async throws {
        // The group has one thread per available core; SwiftNIO's shared group has one per core of the machine.
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: ProcessInfo.processInfo.activeProcessorCount)
        let result: Result<Void, any Error>
        do {
            result = .success(try await serve(port: port, on: threads, onListening: onListening))
        } catch {
            result = .failure(error)
        }
        try? await threads.shutdownGracefully()
        try result.get()
    }

    private func serve(
        port: Int, on threads: MultiThreadedEventLoopGroup, onListening: @escaping @Sendable (Int) throws -> Void
    ) async throws {
        let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
        // Hummingbird's `Application` adds its own date to each response.
        let server = Server(
            childChannelSetup: RetainedConnections(
                HTTP1Channel(
                    responder: { request, writer, _ in try await respond(to: request, with: writer) },
                    // `ImmediateResponseHandler` limits the idle time, because the time-out of `HTTP1Channel` ignores
                    // immediate responses.
                    configuration: HTTP1Channel.Configuration(
                        additionalChannelHandlers: [
                            ImmediateResponseHandler(idleTimeout: .seconds(120), answer: immediateResponse)
                        ]))),
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in announcement.yield(channel.localAddress?.port ?? port) },
            eventLoopGroup: threads,
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

    /// Returns a Boolean value that indicates whether a request has a host other than this machine. A page of another
    /// site can send such a request by DNS rebinding, and would read the response.
    private static func isForeign(_ request: HTTPRequest) -> Bool {
        guard let authority = request.authority else { return false }
        return Authority(authority[...].utf8)?.isLoopback != true
    }

    /// Returns the response from memory, or `nil` if there is none.
    private func immediateResponse(to request: HTTPRequest) -> ImmediateResponseHandler.Answer? {
        guard !Self.isForeign(request),
            case .known(let response?) = loader.immediateResponse(to: ResourceRequest(originRequest(request)))
        else {
            return nil
        }
        let head = outgoing(response, to: request)
        guard !Self.hasNoBody(head, to: request) else { return ImmediateResponseHandler.Answer(head: head, body: nil) }
        switch response.body {
        case .empty: return ImmediateResponseHandler.Answer(head: head, body: nil)
        case .bytes(let data): return ImmediateResponseHandler.Answer(head: head, body: ByteBuffer(bytes: data))
        case .file, .stream: return nil
        }
    }

    private func respond(to request: Request, with writer: consuming ResponseWriter) async throws {
        guard !Self.isForeign(request.head) else {
            return try await writer.writeResponse(
                HTTPResponse(status: .misdirectedRequest, headerFields: [.contentLength: "0"]))
        }
        let response: ResourceResponse
        do {
            let outgoing = try await incoming(request)
            guard let found = try await loader.load(outgoing) else { throw ResourceError(.internal, "no response") }
            response = found
        } catch let error as ResourceError {
            let status: HTTPResponse.Status = error.code == .tooLarge ? .contentTooLarge : .badGateway
            return try await writer.writeResponse(HTTPResponse(status: status, headerFields: [.contentLength: "0"]))
        }
        let head = outgoing(response, to: request.head)
        guard !Self.hasNoBody(head, to: request.head) else { return try await writer.writeResponse(head) }
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

    private static func hasNoBody(_ head: HTTPResponse, to request: HTTPRequest) -> Bool {
        request.method == .head || [204, 304].contains(head.status.code)
    }

    /// Returns the head of a response to the client.
    private func outgoing(_ response: ResourceResponse, to request: HTTPRequest) -> HTTPResponse {
        var head = response.head
        head.headerFields = Self.withoutConnection(head.headerFields)
        if !Self.hasNoBody(head, to: request), let length = response.body.length {
            head.headerFields[.contentLength] = String(length)
        }
        return head
    }

    /// Returns the head of a request to the origin.
    private func originRequest(_ request: HTTPRequest) -> HTTPRequest {
        var head = request
        head.scheme = upstream.scheme
        head.authority = upstream.authority
        // SwiftNIO spells this method without the hyphen.
        if head.method.rawValue == "MSEARCH", let method = HTTPRequest.Method("M-SEARCH") { head.method = method }
        head.headerFields = Self.withoutConnection(head.headerFields)
        return head
    }

    /// Returns the request to the origin, with its body and `Via`.
    private func incoming(_ request: Request) async throws -> ResourceRequest {
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: Self.uploadLimit)
        } catch is NIOTooManyBytesError {
            throw ResourceError(.tooLarge, "a body of more than \(Self.uploadLimit) bytes")
        }
        var head = originRequest(request.head)
        // RFC 9110, section 7.6.3. Immediate responses from memory are not forwarded and need no Via field. The
        // HTTP/1 version of the client's request is not available here.
        head.headerFields.append(HTTPField(name: .via, value: "1.1 h5"))
        return ResourceRequest(
            head, body: body.readableBytes == 0 ? .empty : .bytes(Data(body.readableBytesView)))
    }

    private static func withoutConnection(_ fields: HTTPFields) -> HTTPFields {
        let dropped = ConnectionFields.names(namedBy: fields[values: .connection])
        // The check avoids a copy, because most responses have no connection-specific fields.
        guard fields.contains(where: { dropped.contains($0.name.canonicalName) }) else { return fields }
        return fields.filter { !dropped.contains($0.name.canonicalName) }
    }
}

/// Child channels whose values live until the connections are closed. Hummingbird releases connections that arrive
/// while a server stops, and NIO ends the process if a connection is released unserved and open.
private struct RetainedConnections<Base: ServerChildChannel>: ServerChildChannel {
    private let base: Base

    init(_ base: Base) {
        self.base = base
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger).map { value in
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
