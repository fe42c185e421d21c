// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// FoundationEssentials does not decode percent-encoding.
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTP1
internal import SystemSupport
internal import WebSyntax

/// The responder of an origin server. It records a request, then applies faults, routes and files, in this order.
struct OriginResponder: HTTPResponder {
    typealias Context = OriginContext

    /// The error for a connection that a fault has ended. No response can be sent.
    private struct ConnectionEnded: Error {}

    let configuration: OriginServer.Configuration
    let log: RequestLog
    /// The files of the folder; `nil` for a server with routes only.
    let files: FolderProvider?

    func respond(to request: Request, context: OriginContext) async throws -> Response {
        if configuration.refusesForeignHosts, let authority = request.head.authority,
            Authority(authority[...].utf8)?.isLoopback != true
        {
            return Self.plain(.misdirectedRequest, head: request.method == .head)
        }
        let seen = OriginRequest(
            method: request.method, path: request.uri.path, query: request.uri.query, headers: request.headers)
        log.append(seen)
        let faults = configuration.faults.filter { $0.path.matches(seen.path) }
        for fault in faults {
            if case .delay(let time) = fault.kind { try await configuration.clock.sleep(for: time) }
        }
        let fault = faults.first { if case .delay = $0.kind { false } else { true } }?.kind
        switch fault {
        case .reset(after: nil): throw await end(context.channel, .reset)
        case .stall(after: nil): throw await stall(context.channel)
        case .status(let code):
            let phrase = HTTPResponseStatus(statusCode: code).reasonPhrase
            return Self.plain(
                HTTPResponse.Status(code: code, reasonPhrase: phrase), head: request.method == .head)
        case .reset(.some), .stall(.some), .truncate, .delay, nil: break
        }
        var response = try await answer(request, seen: seen, context: context)
        if request.method != .head, let fault {
            response.body = damaged(response.body, by: fault, on: context.channel)
        }
        return response
    }

    private func answer(_ request: Request, seen: OriginRequest, context: OriginContext) async throws -> Response {
        do {
            if let route = configuration.routes.first(where: { $0.matches(seen.method, seen.path) }) {
                return try await answer(request, by: route, seen: seen)
            }
            return try await file(request, context: context)
        } catch let error as any HTTPResponseError {
            return Self.plain(error.status, head: request.method == .head)
        }
    }

    // MARK: - Routes

    private func answer(_ request: Request, by route: OriginRoute, seen: OriginRequest) async throws -> Response {
        let body = try await request.body.collect(upTo: configuration.requestBodyLimit)
        let answer = try await route.answer(
            OriginRequest(
                method: seen.method, path: seen.path, query: seen.query, headers: seen.headers,
                body: Data(body.readableBytesView)))
        let response =
            switch answer.body {
            case .bytes(let data):
                Response(
                    status: answer.status, headers: answer.headers,
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
            case .stream(let length, let write):
                Response(
                    status: answer.status, headers: answer.headers,
                    body: ResponseBody(contentLength: length) { base in
                        var writer = OriginBodyWriter(base)
                        try await write(&writer)
                        try await base.finish(nil)
                    })
            }
        return request.method == .head ? response.createHeadResponse() : response
    }

    // MARK: - Files

    /// Returns the response for a file, with the fields that the source of fields adds.
    private func file(_ request: Request, context: OriginContext) async throws -> Response {
        let isHead = request.method == .head
        guard let source = configuration.fieldSource, let files, let path = request.uri.path.removingPercentEncoding
        else {
            return try await fileWithoutAddedFields(request, context: context)
        }
        let response: Response
        do {
            response = try await fileWithoutAddedFields(request, context: context)
        } catch let error as any HTTPResponseError {
            response = Self.plain(error.status, head: isHead)
        }
        guard response.headers[.location] == nil else { return response }
        let name = String(Substring(path.utf8.first == UInt8(ascii: "/") ? path.utf8.dropFirst() : path.utf8[...]))
        let isFolder = name.isEmpty || name.utf8.last == UInt8(ascii: "/")
        do {
            return try adding(source.fields(name + (isFolder ? "index.html" : ""), files.root), to: response)
        } catch {
            return Self.plain(.internalServerError, detail: "\(error)".printable(limit: 1_000), head: isHead)
        }
    }

    private func adding(_ fields: HTTPFields, to response: Response) -> Response {
        var response = response
        for name in Set(fields.map(\.name)) { response.headers[fields: name] = fields[fields: name] }
        return response
    }

    private func fileWithoutAddedFields(_ request: Request, context: OriginContext) async throws -> Response {
        guard let files, Self.canNameFile(request.uri.path) else { throw HTTPError(.notFound) }
        let middleware = FileMiddleware<OriginContext, FolderProvider>(fileProvider: files, searchForIndexHtml: true)
            .withAdditionalMediaTypes(forFileExtensions: MediaTypes.additional)
        let (request, refusal) = try await normalised(request, files: files)
        if let refusal { return refusal }
        var response = try await middleware.handle(request, context: context) { _, _ in throw HTTPError(.notFound) }
        if response.headers[.location] != nil {
            // The path is taken from the request, because the middleware decodes it. It does not begin with `//`, which
            // would name a host.
            response.headers[.location] = request.uri.path + "/" + (request.uri.query.map { "?" + $0 } ?? "")
        }
        if response.status == .ok || response.status == .partialContent, response.headers[.contentType] == nil {
            response.headers[.contentType] = MediaTypes.unknown
        }
        return response
    }

    /// Returns a Boolean value that indicates whether a path can be the one spelling of a file's path that is served,
    /// apart from needless escapes: it begins with a slash, and has neither an escaped slash nor a segment that is
    /// empty or `.`.
    ///
    /// The system opens the file under the other spellings too, but the fields for its path would be missing.
    private static func canNameFile(_ path: String) -> Bool {
        let slash = UInt8(ascii: "/")
        guard let decoded = path.removingPercentEncoding else { return false }
        let segments = decoded.utf8.split(separator: slash, omittingEmptySubsequences: false)
        return segments.count == path.utf8.count(where: { $0 == slash }) + 1 && segments.first?.isEmpty == true
            && !segments.dropFirst().dropLast().contains(where: \.isEmpty)
            && !segments.contains { $0.elementsEqual(".".utf8) }
    }

    /// Converts a `Range` field into the form that the file middleware supports. The middleware reads `-5` as the
    /// first six bytes, and does not handle a range beyond the end.
    private func normalised(_ request: Request, files: FolderProvider) async throws -> (Request, Response?) {
        guard request.method == .get, let field = request.headers[.range] else { return (request, nil) }
        var head = request.head
        head.headerFields[.range] = nil
        guard let path = request.uri.path.removingPercentEncoding, !path.contains(".."),
            let id = files.getFileIdentifier(path), let file = try await files.getAttributes(id: id), !file.isFolder
        else { return (Request(head: head, body: request.body), nil) }
        let size = Int64(file.size)
        switch ByteRange(field).map({ $0.resolved(in: size) }) {
        case nil: break
        case .some(let range?): head.headerFields[.range] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        case .some(nil):
            // A request with `If-Range` gets the complete file, which is a correct response for any validator (RFC
            // 9110, section 13.1.5).
            guard request.headers[.ifRange] == nil else { break }
            return (
                request,
                Response(
                    status: .rangeNotSatisfiable,
                    headers: [.contentRange: ContentRange.unsatisfied(total: size).description])
            )
        }
        return (Request(head: head, body: request.body), nil)
    }

    private static func plain(_ status: HTTPResponse.Status, detail: String? = nil, head: Bool) -> Response {
        guard status.kind != .informational, status != .noContent, status != .notModified else {
            return Response(status: status)
        }
        let text = "\(status.code) \(status.reasonPhrase)\n" + (detail.map { "\($0)\n" } ?? "")
        let response = Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        return head ? response.createHeadResponse() : response
    }

    // MARK: - Faults

    private func damaged(_ body: ResponseBody, by fault: Fault.Kind, on channel: any Channel) -> ResponseBody {
        let limit: Int
        switch fault {
        case .reset(after: .some(let bytes)), .stall(after: .some(let bytes)), .truncate(after: let bytes):
            limit = bytes
        case .reset, .stall, .status, .delay: return body
        }
        return ResponseBody(contentLength: body.contentLength) { base in
            let writer = FaultyBodyWriter(base, limit: limit) {
                switch fault {
                case .stall: throw await stall(channel)
                case .reset: throw await end(channel, .reset)
                default: throw await end(channel, .cut)
                }
            }
            try await body.write(writer)
        }
    }

    private func end(_ channel: any Channel, _ command: SocketEnd.Command) async -> any Error {
        try? await channel.connection.triggerUserOutboundEvent(command)
        return ConnectionEnded()
    }

    /// Waits until the client closes the connection or the server stops.
    private func stall(_ channel: any Channel) async -> any Error {
        try? await channel.closeFuture.get()
        return ConnectionEnded()
    }
}
