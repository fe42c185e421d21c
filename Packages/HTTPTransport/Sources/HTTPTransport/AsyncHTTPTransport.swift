// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
internal import Dispatch
public import HTTPTypes
internal import NIOCore
internal import NIOFoundationCompat
internal import NIOHTTP1
internal import NIOHTTPCompression
public import ResourceLoading

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The network by way of AsyncHTTPClient; the default on Linux.
///
/// Keeps connections open between requests. ``shutDown()`` ends them, and so does the last reference when it goes.
public final class AsyncHTTPTransport: HTTPTransporting {
    private let client: HTTPClient
    private let configuration: Configuration
    private let queue: HostQueue

    /// A transport of its own: connections are not shared with another one.
    public init(_ configuration: Configuration = Configuration()) {
        var settings = HTTPClient.Configuration()
        settings.redirectConfiguration = .disallow
        settings.timeout = .init(
            connect: .init(configuration.connectTimeout), read: .init(configuration.readTimeout),
            write: .init(configuration.writeTimeout))
        settings.decompression =
            configuration.decodesBodies ? .enabled(limit: .size(configuration.decodedBodyLimit)) : .disabled
        settings.proxy = configuration.proxy.map { .server(host: $0.host, port: $0.port) }
        // A refused connection is an answer: trying again for ten seconds only hides it.
        settings.connectionPool.retryConnectionEstablishment = false
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.connectionsPerHost
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
        self.configuration = configuration
        queue = HostQueue(
            limit: configuration.connectionsPerHost, longestLine: configuration.longestLine,
            longestWait: configuration.lineTimeout)
    }

    deinit {
        // Where it was shut down already this changes nothing.
        client.shutdown(queue: .global()) { _ in }
    }

    public var capabilities: TransportCapabilities {
        configuration.decodesBodies ? [.decodes, .backPressure, .proxy] : [.backPressure, .proxy]
    }

    /// Closes all connections; requests under way fail.
    public func shutDown() async throws {
        try await client.shutdown()
    }

    public func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        let url = request.urlText
        guard request.scheme == "http" || request.scheme == "https" else {
            throw ResourceError(.invalidRequest, "only http and https can be sent", at: url)
        }
        let spelling = URLSpelling.strict(url)
        // The client traps on a port beyond 16 bits, so the text is read here first, in the way that it does.
        guard let parsed = URL(string: spelling), 0...65_535 ~= parsed.port ?? 0 else {
            throw ResourceError(.invalidRequest, "not a URL, or a port beyond 65535", at: url)
        }
        var outgoing = HTTPClientRequest(url: spelling)
        outgoing.method = .init(rawValue: request.method.rawValue)
        outgoing.headers = headers(for: request)
        outgoing.body = HTTPClientRequest.Body(body)
        let host = "\(request.scheme ?? "")://\(request.authority ?? "")"
        let pass = try await queue.enter(host)
        do {
            let response = try await client.execute(outgoing, deadline: .distantFuture)
            if response.version == .http2 { queue.raiseLimit(of: host, to: Self.streamsPerHost) }
            return await transportResponse(response, to: request, pass)
        } catch {
            throw ResourceError(transport: error, at: url)
        }
    }

    private func headers(for request: HTTPRequest) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for field in request.headerFields where !connectionFields.contains(field.name) {
            headers.add(name: field.name.canonicalName, value: field.value)
        }
        if configuration.decodesBodies {
            // A part of an encoded body cannot be decoded (Fetch, HTTP-network-or-cache fetch: `Range`).
            let codings = request.headerFields[.range] == nil ? "gzip, deflate" : "identity"
            headers.replaceOrAdd(name: "accept-encoding", value: codings)
        }
        return headers
    }

    private func transportResponse(
        _ response: HTTPClientResponse, to request: HTTPRequest, _ pass: HostQueue.Pass
    ) async -> TransportResponse {
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name), !connectionFields.contains(name) {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        let length = fields[.contentLength].flatMap(Int64.init)
        // The client removes one coding, the last, where it knows the first, and leaves the fields that describe
        // the encoded bytes.
        let codings = (fields[.contentEncoding] ?? "").split(separator: ",").map { coding in
            coding.filter { $0 != " " && $0 != "\t" }
        }
        let isDecoded =
            configuration.decodesBodies && codings.first.map { ["gzip", "deflate"].contains($0.lowercased()) } == true
        if isDecoded {
            let remaining = codings.dropLast().joined(separator: ", ")
            fields[.contentEncoding] = remaining.isEmpty ? nil : remaining
            fields[.contentLength] = nil
        }
        let status = HTTPResponse.Status(
            code: Int(response.status.code), reasonPhrase: response.status.reasonPhrase)
        // Where there are no bytes the client misses the end of the coding.
        let hasBody = request.method != .head && ![204, 304].contains(status.code) && length != 0
        if !hasBody {
            // Only an answer that was read to its end leaves its connection to the next request. An error here says
            // nothing of the answer, which is whole: the client looks for a coding where there are no bytes.
            do { for try await _ in response.body {} } catch {}
        }
        let url = request.urlText
        let bytes = response.body.map { Data(buffer: $0, byteTransferStrategy: .noCopy) }
        let body = TransportBody(base: bytes, url: url, pass: pass)
        return TransportResponse(
            head: HTTPResponse(status: status, headerFields: fields),
            body: hasBody ? .stream(ByteStream(body, length: isDecoded ? nil : length)) : .empty)
    }

    /// Requests at a time to a host that speaks HTTP/2: what servers commonly allow (RFC 9113, section 6.5.2).
    private static let streamsPerHost = 100

    /// Fields that speak of one connection (RFC 9110, section 7.6.1) and mean nothing beyond it.
    private let connectionFields: Set<HTTPField.Name> = Set(
        ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "host"]
            .compactMap { HTTPField.Name($0) })
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}

extension HTTPClientRequest.Body {
    fileprivate init?(_ body: ResourceBody) {
        switch body {
        case .empty: return nil
        case .bytes(let data): self = .bytes(ByteBuffer(data: data))
        case .file(let slice):
            self = .stream(FileChunks(slice).map { ByteBuffer(data: $0) }, length: .known(Int64(slice.range.count)))
        case .stream(let stream):
            self = .stream(
                stream.map { ByteBuffer(data: $0) }, length: stream.length.map { .known($0) } ?? .unknown)
        }
    }
}

/// A slice of a file in pieces, so that an upload of any size takes little memory.
private struct FileChunks: AsyncSequence, Sendable {
    private static let size = 256 << 10
    let slice: FileSlice

    init(_ slice: FileSlice) {
        self.slice = slice
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(slice: slice)
    }

    struct Iterator: AsyncIteratorProtocol {
        let slice: FileSlice
        var offset = 0

        mutating func next() async throws -> Data? {
            let count = Swift.min(FileChunks.size, slice.range.count - offset)
            guard count > 0 else { return nil }
            defer { offset += count }
            return try slice.read(at: offset, count: count)
        }
    }
}
