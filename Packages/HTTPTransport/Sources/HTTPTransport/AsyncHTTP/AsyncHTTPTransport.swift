// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
public import ResourceLoading
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The network by way of AsyncHTTPClient; the default on Linux.
///
/// Keeps connections open between requests. ``shutDown()`` ends them, and so does the last reference when it goes.
/// Bytes come as they were sent: ``DecodingTransport`` removes content codings.
public final class AsyncHTTPTransport: HTTPTransporting {
    private enum State {
        /// The tunnel for the host app's addresses is not there before the first request.
        case idle
        case starting(Task<AsyncHTTPClients, any Error>)
        case ready(AsyncHTTPClients)
        case ended
    }

    static let group = MultiThreadedEventLoopGroup.singleton
    private let configuration: Configuration
    private let queue: HostQueue
    private let state: Mutex<State>

    /// A transport of its own: connections are not shared with another one.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        queue = HostQueue(
            limit: configuration.connectionsPerHost, longestLine: configuration.longestLine,
            longestWait: configuration.lineTimeout)
        let needsTunnel = configuration.addresses != nil && configuration.proxy == nil
        state = Mutex(needsTunnel ? .idle : .ready(AsyncHTTPClients(configuration, tunnel: nil)))
    }

    deinit {
        if case .ready(let clients) = state.withLock({ $0 }) { clients.abandon() }
    }

    public var capabilities: TransportCapabilities {
        [
            .backPressure, .proxy, .separateCookies, .http2, .refusesAtOnce, .ownAddresses, .promptUploads,
            .ownAuthorities, .connectTimeout,
        ]
    }

    /// Closes all connections; requests under way fail.
    public func shutDown() async throws {
        let before = state.withLock { state in
            defer { state = .ended }
            return state
        }
        switch before {
        case .idle, .ended: break
        case .starting(let task): try await task.value.shutDown()
        case .ready(let clients): try await clients.shutDown()
        }
    }

    public func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        try await send(request, body: body, report: nil)
    }

    public func send(
        _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
    ) async throws -> TransportResponse {
        try await send(request, body: body, report: progress)
    }

    private func send(
        _ request: HTTPRequest, body: ResourceBody, report: (@Sendable (UploadProgress) -> Void)?
    ) async throws -> TransportResponse {
        let url = request.urlText
        let parsed = try request.sentURL()
        let host = "\(request.scheme ?? "")://\(request.authority ?? "")"
        let pass = try await queue.enter(host)
        let clients = try await clients(for: url)

        func exchange(by client: HTTPClient) async throws -> TransportResponse {
            let limits = Exchange.Limits(request: configuration.writeTimeout, head: configuration.readTimeout) {
                [configuration] head in
                Self.isEventStream(head) ? configuration.eventStreamTimeout : configuration.readTimeout
            }
            let exchange = Exchange(url: url, limits: limits, total: body.length, progress: report)
            let outgoing: HTTPClient.Request
            do {
                outgoing = try HTTPClient.Request(
                    url: parsed, method: HTTPMethod(rawValue: request.method.rawValue), headers: headers(for: request),
                    body: Self.content(body, of: exchange))
            } catch {
                throw ResourceError(transport: error, at: url)
            }
            exchange.start(outgoing, by: client)
            let head = try await exchange.head()
            try exchange.check(status: Int(head.status.code), at: url)
            if head.version.major == 2 { queue.raiseLimit(of: host, to: Self.streamsPerHost) }
            return await Self.response(head, of: exchange, to: request, pass)
        }

        do {
            do {
                return try await exchange(by: clients.pooled)
            } catch let error as ResourceError where Self.mayRepeat(request, body, after: error) {
                // The peer may have closed an idle connection just when it was used again (RFC 9112, section 9.3.1).
                return try await exchange(by: clients.fresh)
            }
        } catch let error as ResourceError {
            guard error.transportPhase == .connect, let known = clients.tunnelFailure(of: parsed) else { throw error }
            let failure = ResourceError(transport: known, at: url)
            throw ResourceError(failure.code, failure.message, at: url, cause: failure.cause)
        }
    }

    private func clients(for url: String) async throws -> AsyncHTTPClients {
        let task: Task<AsyncHTTPClients, any Error>
        let current: State = state.withLock { state in
            guard case .idle = state, let addresses = configuration.addresses else { return state }
            // Not cancelled with the request that happens to come first: the others wait for it too. It ends by itself.
            state = .starting(
                Task { [configuration] in
                    let tunnel = try await AddressTunnel.start(addresses, timeout: configuration.connectTimeout)
                    return AsyncHTTPClients(configuration, tunnel: tunnel)
                })
            return state
        }
        switch current {
        case .ready(let clients): return clients
        case .starting(let starting): task = starting
        case .idle, .ended: throw ResourceError(transport: HTTPClientError.alreadyShutdown, at: url)
        }
        let result = await task.result
        state.withLock { state in
            guard case .starting = state else { return }
            if case .success(let clients) = result { state = .ready(clients) } else { state = .idle }
        }
        do {
            return try result.get()
        } catch {
            throw ResourceError(
                .cannotConnect,
                TransportFailure(.connect, "the way through the app itself is closed", underlying: error),
                at: url)
        }
    }

    private static func mayRepeat(_ request: HTTPRequest, _ body: ResourceBody, after error: ResourceError) -> Bool {
        // Safe and idempotent methods (RFC 9110, section 9.2.2). A body may be gone.
        guard case .empty = body, (error.cause as? TransportFailure)?.isUnanswered == true, !Task.isCancelled else {
            return false
        }
        return [.get, .head, .options, .trace, .put, .delete].contains(request.method)
    }

    private func headers(for request: HTTPRequest) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for field in ConnectionFields.removed(from: request.headerFields) where field.name != Self.host {
            headers.add(name: field.name.canonicalName, value: field.value)
        }
        return headers
    }

    private static func content(_ body: ResourceBody, of exchange: Exchange) -> HTTPClient.Body? {
        BodyChunks(body).map { chunks in
            .stream(contentLength: body.length) { exchange.upload(chunks, to: $0) }
        }
    }

    private static func response(
        _ head: HTTPResponseHead, of exchange: Exchange, to request: HTTPRequest, _ pass: HostQueue.Pass
    ) async -> TransportResponse {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        fields = ConnectionFields.removed(from: fields)
        let length = fields[.contentLength].flatMap(Int64.init)
        let status = HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase)
        let hasBody = request.method != .head && ![204, 304].contains(status.code) && length != 0
        let body = AnswerBody(exchange, pass)
        if !hasBody {
            // Only an answer that was read to its end leaves its connection to the next request. An error here says
            // nothing of the answer, which is whole.
            // One that came before the request was out ends the connection: the client waits for nothing more.
            if exchange.isEarly { exchange.giveUp() } else { do { for try await _ in body {} } catch {} }
        }
        return TransportResponse(
            head: HTTPResponse(status: status, headerFields: fields),
            body: hasBody ? .stream(ByteStream(body, length: length)) : .empty)
    }

    private static func isEventStream(_ head: HTTPResponseHead) -> Bool {
        let type = head.headers.first(name: "content-type") ?? ""
        return type.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace } == "text/event-stream"
    }

    /// Requests at a time to a host that speaks HTTP/2: what servers commonly allow (RFC 9113, section 6.5.2).
    private static let streamsPerHost = 100

    private static let host = HTTPField.Name("host")
}
