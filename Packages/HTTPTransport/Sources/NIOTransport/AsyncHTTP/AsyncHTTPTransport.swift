// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
internal import AsyncSupport
internal import Foundation
public import HTTPTransport
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
@_spi(Facade) public import ResourceLoading
@_spi(Facade) public import WebSyntax

/// A transport that uses AsyncHTTPClient; the default on Linux.
///
/// It keeps connections open between requests. ``shutDown()`` closes them; releasing the last reference closes them
/// too. Bodies keep their content codings; ``/HTTPTransport/DecodingTransport`` removes them. If a certificate of
/// ``Configuration/authorities`` cannot be read, each request fails with code `tls`.
public final class AsyncHTTPTransport: HTTPTransporting {
    /// A closure that starts the tunnel for a resolver, with a time limit for each connection. Without a resolver the
    /// tunnel is for `localhost`.
    typealias TunnelStart = @Sendable ((any AddressResolving)?, Duration) async throws -> AddressTunnel

    static let group = MultiThreadedEventLoopGroup.singleton
    private let configuration: Configuration
    /// The TLS settings, or the error of a certificate authority that cannot be read. All requests fail with this
    /// error.
    private let tls: Result<HostAuthorities, ResourceError>
    private let startTunnel: TunnelStart
    private let queue: HostQueue
    /// The budget for bytes of streamed request bodies that stay in memory for another attempt.
    private let bodyBudget = ByteBudget(limit: 32 << 20)
    private let clients: Mutex<Clients>

    /// Creates a transport. Transports do not share connections.
    public convenience init(_ configuration: Configuration = Configuration()) {
        self.init(configuration) { try await AddressTunnel.start($0, timeout: $1) }
    }

    init(_ configuration: Configuration, startTunnel: @escaping TunnelStart) {
        self.configuration = configuration
        self.startTunnel = startTunnel
        queue = HostQueue(limit: configuration.connectionsPerHost, longestWait: configuration.lineTimeout)
        tls = Result { () throws(ResourceError) in try HostAuthorities(configuration.authorities) }
        let usual: Startup<AsyncHTTPClients>.Phase =
            switch tls {
            case .success(let tls): .ready(AsyncHTTPClients(configuration, trusting: tls, tunnel: nil))
            case .failure: .idle
            }
        clients = Mutex(Clients(usual: usual, addresses: configuration.addresses))
    }

    deinit {
        for phase in clients.withLock({ $0.end() }) {
            switch phase {
            case .idle, .ended: break
            // If the cancelled start still succeeds, its result is released.
            case .starting(let task): task.cancel()
            case .ready(let clients): clients.abandon()
            }
        }
    }

    public var capabilities: TransportCapabilities {
        let capabilities: TransportCapabilities = [
            .backPressure, .proxy, .separateCookies, .http2, .refusesAtOnce, .streamingUploads, .ownAuthorities,
            .connectTimeout, .repeatsUnprocessed, .keepAlive, .bypassesSessions,
        ]
        // A proxy of the configuration resolves all names.
        return configuration.proxy == nil ? capabilities.union(.ownAddresses) : capabilities
    }

    public var authorities: [CertificateAuthority] { configuration.authorities }

    public func useSystemProxies(_ proxies: SystemProxies) {
        guard configuration.proxy == nil else { return }
        clients.withLock { $0.proxies = proxies }
    }

    public func useAddresses(_ addresses: any AddressResolving) {
        guard configuration.proxy == nil, configuration.addresses == nil else { return }
        clients.withLock { $0.use(addresses) }
    }

    /// Closes all connections. Requests in progress fail.
    public func shutDown() async throws {
        var failure: (any Error)?
        for phase in clients.withLock({ $0.end() }) {
            do {
                switch phase {
                case .idle, .ended: break
                case .starting(let task):
                    task.cancel()
                    if case .success(let clients) = await task.result { try await clients.shutDown() }
                case .ready(let clients): try await clients.shutDown()
                }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
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
        if case .failure(let error) = tls {
            throw ResourceError(error.code, error.message, at: request.urlText, cause: error.cause)
        }
        if let proxy = configuration.proxy, OwnListeners.contains(proxy) {
            throw ResourceError(.blocked, "the proxy is the app's own listener", at: request.urlText)
        }
        let parsed = try request.sentRoot()
        var host = "\(request.scheme ?? "")://\(request.authority ?? "")"
        var repetition = Repetition(of: request.method)
        if queue.isShared(host) != false, !request.fitsHTTP2 {
            repetition.needsHTTP1 = true
            // These connections have a queue of their own, because the limit differs from that of HTTP/2.
            host += " HTTP/1.1"
        }
        let deadline = configuration.lineTimeout.map { ContinuousClock.now + $0 }
        let body = RepeatableBody(body, sentTo: request.urlText, budget: bodyBudget)
        let highest = Mutex<Int64>(0)
        let progress = report.map { report in
            { @Sendable (progress: UploadProgress) in
                // Progress does not go back when a body is sent again.
                let isNew = highest.withLock { highest in
                    defer { highest = max(highest, progress.sent) }
                    return progress.sent > highest
                }
                if isNew { report(progress) }
            }
        }
        // A look-up of proxies that hangs must not keep other requests from the host.
        let kind = await kind(for: parsed, of: request)
        while true {
            let pass = try await queue.enter(host)
            do {
                return try await send(request, to: parsed, of: kind, body: body, progress: progress, pass, repetition)
            } catch {
                // The client may retain the exchange, and therefore the pass, for some time.
                defer { pass.release() }
                // No connection became free, because the host accepts fewer concurrent requests than expected: its
                // protocol has changed, or it has a limit of its own.
                guard Self.hadNoConnection(error), deadline.map({ ContinuousClock.now < $0 }) ?? true,
                    queue.recordFull(host)
                else {
                    body.cancel()
                    throw error
                }
            }
        }
    }

    /// Sends a request that has a pass for its host, and sends it again if ``Repetition`` allows it.
    /// - Parameters:
    ///   - parsed: The URL of the request without path and query, which ``RequestSpellingHandler`` sends.
    ///   - kind: The kind of the clients.
    private func send(
        _ request: HTTPRequest, to parsed: URL, of kind: Clients.Kind, body: RepeatableBody,
        progress: (@Sendable (UploadProgress) -> Void)?, _ pass: HostQueue.Pass, _ repetition: Repetition
    ) async throws -> TransportResponse {
        let url = request.urlText
        let clients = try await readyClients(for: url, of: kind)
        var repetition = repetition
        var connection = repetition.first(isShared: pass.isShared)
        while true {
            do {
                let client = clients.client(for: connection)
                return try await attempt(request, to: parsed, body: body, progress: progress, pass, client, of: clients)
            } catch let error as ResourceError {
                if let failure = error.cause as? TransportFailure, !Task.isCancelled, body.isWhole,
                    let step = repetition.next(after: failure, isShared: pass.isShared)
                {
                    if step.delay > .zero { try await Task.sleep(for: step.delay) }
                    connection = step.connection
                    continue
                }
                guard error.transportPhase == .connect, let known = clients.tunnelFailure(of: parsed) else {
                    throw error
                }
                let failure = ResourceError(transport: known, at: url)
                throw ResourceError(failure.code, failure.message, at: url, cause: failure.cause)
            }
        }
    }

    /// Sends a request once.
    private func attempt(
        _ request: HTTPRequest, to parsed: URL, body: RepeatableBody,
        progress: (@Sendable (UploadProgress) -> Void)?, _ pass: HostQueue.Pass, _ client: HTTPClient,
        of clients: AsyncHTTPClients
    ) async throws -> TransportResponse {
        let url = request.urlText
        let limits = Exchange.Limits(
            request: configuration.writeTimeout, head: configuration.readTimeout, probe: configuration.pingInterval
        ) { [configuration] head in
            // `send` waits for the end of a response without a body before it returns the head.
            guard Self.hasBody(head, to: request) else {
                return min(configuration.readTimeout ?? Self.endLimit, Self.endLimit)
            }
            return Self.isEventStream(head) ? configuration.eventStreamTimeout : configuration.readTimeout
        }
        let events = Exchange.Events(
            progress: progress, began: { pass.begin() }, suspects: { [weak clients] in clients?.probe(silentFor: $0) })
        let exchange = Exchange(url: url, limits: limits, total: body.length, events: events)
        let outgoing: HTTPClient.Request
        do {
            outgoing = try HTTPClient.Request(
                url: parsed, method: HTTPMethod(rawValue: request.method.rawValue), headers: headers(for: request),
                body: Self.content(body, of: exchange),
                tlsConfiguration: (parsed.host()?.asciiLowercased).flatMap(clients.authorities.settings))
        } catch {
            throw ResourceError(transport: error, at: url)
        }
        exchange.start(outgoing, by: client)
        let head = try await exchange.head()
        body.stopRecording()
        try exchange.check(status: Int(head.status.code), at: url)
        if head.version.major == 2 { pass.recordShared() } else { pass.recordSingle() }
        return await Self.response(head, of: exchange, to: request, pass, keeping: clients)
    }

    /// Returns the kind of the clients for the host of a URL.
    private func kind(for url: URL, of request: HTTPRequest) async -> Clients.Kind {
        let isSecure = request.scheme == "https"
        guard configuration.proxy == nil, let text = url.host(percentEncoded: false) else { return .usual }
        let host = HostPort(host: text, port: url.port ?? (isSecure ? 443 : 80))
        let (proxies, addresses) = clients.withLock { ($0.proxies, $0.addresses) }
        if let proxies {
            let routes = await proxies.routes(to: host, isSecure: isSecure)
            if routes != [.direct] { return .proxied(routes) }
        }
        if HostSyntax.isLocalhost(host.host[...].utf8) { return .localhost }
        return addresses?.isUsed(for: host) == true ? .resolved : .usual
    }

    private func readyClients(for url: String, of kind: Clients.Kind) async throws -> AsyncHTTPClients {
        let (phase, number) = clients.withLock { clients in
            // Cancelling the first request does not cancel the start, because other requests wait for it too. The start
            // has a time limit.
            let addresses = clients.addresses
            clients.begin(kind) { start($0, of: kind, addresses) }
            return (clients[kind].phase, clients[kind].number)
        }
        switch phase {
        case .ready(let clients): return clients
        case .idle, .ended: throw ResourceError(transport: HTTPClientError.alreadyShutdown, at: url)
        case .starting(let task):
            let result = await task.result
            clients.withLock { $0.finish(number, result, of: kind) }
            do {
                return try result.get()
            } catch {
                throw ResourceError(
                    .cannotConnect,
                    TransportFailure(.connect, "the CONNECT proxy could not be started", underlying: error), at: url)
            }
        }
    }

    private func start(
        _ number: Int, of kind: Clients.Kind, _ addresses: (any AddressResolving)?
    ) -> Task<AsyncHTTPClients, any Error> {
        Task { [configuration, tls, startTunnel, weak self] in
            let tls = try tls.get()
            // The client's limit is for the connection through the tunnel. The tunnel fails before that, so that its
            // error is known.
            let limit = configuration.connectTimeout * 7 / 8
            let tunnel =
                switch kind {
                case .usual, .localhost: try await startTunnel(nil, limit)
                case .resolved: try await startTunnel(addresses, limit)
                case .proxied(let routes): try await AddressTunnel.start(addresses, over: routes, timeout: limit)
                }
            // Requests in progress keep their clients and their connections through the tunnel.
            tunnel.whenClosed { [weak self] in self?.clients.withLock { $0.lose(number, of: kind) } }
            return AsyncHTTPClients(configuration, trusting: tls, tunnel: tunnel)
        }
    }

    private static func hadNoConnection(_ error: any Error) -> Bool {
        let underlying = ((error as? ResourceError)?.cause as? TransportFailure)?.underlying
        return underlying as? HTTPClientError == .getConnectionFromPoolTimeout
    }

    private func headers(for request: HTTPRequest) -> HTTPHeaders {
        let fields = request.headerFields.sentOnConnection().lazy.filter { $0.name != Self.host }
        return RequestSpellingHandler.headers(
            target: request.sentTarget,
            announcesEmptyBody: [.post, .put].contains(request.method) || request.headerFields[.contentLength] == "0",
            fields.map { ($0.name.rawName, $0.value) })
    }

    private static func content(_ body: RepeatableBody, of exchange: Exchange) -> HTTPClient.Body? {
        body.chunks.map { chunks in
            .stream(contentLength: body.length) { exchange.upload(chunks, to: $0) }
        }
    }

    private static func response(
        _ head: HTTPResponseHead, of exchange: Exchange, to request: HTTPRequest, _ pass: HostQueue.Pass,
        keeping clients: AsyncHTTPClients
    ) async -> TransportResponse {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, lenientValue: value.utf8)) }
        }
        fields = fields.withoutConnectionFields()
        let length = fields[.contentLength].flatMap(Int64.init)
        let status = HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase)
        let hasBody = hasBody(head, to: request)
        let body = ExchangeBody(exchange, pass, keeping: clients)
        if !hasBody {
            // The client reuses a connection only after the response has been read to its end. An error while reading
            // is ignored, because the response has no body that it could truncate.
            do { for try await _ in body {} } catch {}
        }
        return TransportResponse(
            head: HTTPResponse(status: status, headerFields: fields),
            body: hasBody ? .stream(ByteStream(body, length: length)) : .empty)
    }

    /// The longest wait for the end of a response without a body.
    private static let endLimit = Duration.seconds(5)

    private static func hasBody(_ head: HTTPResponseHead, to request: HTTPRequest) -> Bool {
        request.method != .head && ![204, 304].contains(head.status.code)
            && head.headers.first(name: "content-length").flatMap { Int64($0) } != 0
    }

    private static func isEventStream(_ head: HTTPResponseHead) -> Bool {
        let type = head.headers.first(name: "content-type") ?? ""
        return MediaType.essence(of: type) == "text/event-stream"
    }

    private static let host = HTTPField.Name("host")
}

extension AsyncHTTPTransport {
    /// The clients of a transport. Those with a tunnel are created by their first request, and again if the tunnel's
    /// listener is lost.
    private struct Clients {
        enum Kind: Hashable {
            /// The clients without a tunnel: the system resolves the names, or the proxy of the configuration.
            case usual
            /// The clients for `localhost` and the names below it. The system could send these names to a DNS server
            /// (RFC 6761, section 6.3); the tunnel does not.
            case localhost
            /// The clients for hosts whose names a resolver other than the system's resolves.
            case resolved
            /// The clients for hosts behind proxies of the system. A change of the proxies has other clients, so that
            /// no connection of the earlier proxies is used again.
            case proxied([ProxyRoute])

            fileprivate var isProxied: Bool { if case .proxied = self { true } else { false } }
        }

        /// The maximum number of lists of proxies in use. A script of the network may name others for each host.
        private static let maxProxied = 8
        private var startups: [Kind: Startup<AsyncHTTPClients>]
        /// The lists of proxies in use, least recently used first.
        private var proxied: [Kind] = []
        /// The number of the latest start of all kinds, so that removed clients never have the number of later ones.
        private var lastStart = 0
        private var isOver = false
        var proxies: SystemProxies?
        /// The resolver of host names; `nil` for the system's.
        private(set) var addresses: (any AddressResolving)?

        init(usual: Startup<AsyncHTTPClients>.Phase, addresses: (any AddressResolving)?) {
            startups = [.usual: Startup(usual)]
            self.addresses = addresses
        }

        /// Uses another resolver, and removes the clients of the earlier one. Requests in progress retain their
        /// clients.
        mutating func use(_ addresses: any AddressResolving) {
            self.addresses = addresses
            for kind in proxied + [.resolved] { startups[kind] = nil }
            proxied = []
        }

        subscript(kind: Kind) -> Startup<AsyncHTTPClients> {
            startups[kind] ?? Startup(isOver ? .ended : .idle)
        }

        /// Starts the clients of a kind if they are not started. Removes the proxied clients that were used least
        /// recently if there are too many. Requests in progress retain their clients.
        mutating func begin(_ kind: Kind, _ start: (Int) -> Task<AsyncHTTPClients, any Error>) {
            if kind.isProxied {
                proxied.removeAll { $0 == kind }
                if proxied.count >= Self.maxProxied { startups[proxied.removeFirst()] = nil }
                proxied.append(kind)
            }
            var startup = self[kind]
            startup.begin(after: lastStart, start)
            lastStart = max(lastStart, startup.number)
            startups[kind] = startup
        }

        /// Records the result of a start, unless the clients were removed.
        mutating func finish(_ number: Int, _ result: Result<AsyncHTTPClients, any Error>, of kind: Kind) {
            startups[kind]?.finish(number, result)
        }

        /// Records that the tunnel of clients was lost, unless the clients were removed.
        mutating func lose(_ number: Int, of kind: Kind) {
            startups[kind]?.lose(number)
        }

        mutating func end() -> [Startup<AsyncHTTPClients>.Phase] {
            isOver = true
            return startups.keys.compactMap { startups[$0]?.end() }
        }
    }
}
