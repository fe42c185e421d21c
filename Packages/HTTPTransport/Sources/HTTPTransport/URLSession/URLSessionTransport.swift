// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
public import HTTPTypes
public import ResourceLoading
public import WebSyntax

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A transport that uses URLSession; the default on Apple's systems, where it uses the system's proxies and App
/// Transport Security.
///
/// ``useSystemProxies(_:)`` has no effect: on Apple's systems the session applies the settings itself. On Linux it uses
/// the environment variables of libcurl, such as `https_proxy`.
///
/// ``useAddresses(_:)`` needs ``Configuration/startTunnel`` and has an effect on Apple's systems only. It applies to
/// https requests, but not to background transfers and prefetches, and not while the system has a proxy. If a
/// connection through the tunnel fails, the system makes one with its own resolver. The first request waits for a proof
/// that connections pass the tunnel, at most 4 s. Without it ``Configuration/onTunnelFailure`` is called, and the
/// system resolves all host names.
///
/// Bodies are always decoded. The transport has no cookie store, no cache and no credentials. ``shutDown()`` closes its
/// connections; releasing the last reference closes them too.
public final class URLSessionTransport: HTTPTransporting {
    private let configuration: Configuration
    private let session: URLSession
    private let delegate = SessionDelegate()
    private let queue: HostQueue
    private let tunnels: TunnelSessions?
    private let isEnded = Mutex(false)

    /// Creates a transport. Transports do not share connections.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        configuration.encryptedResolver?.apply()
        queue = HostQueue(limit: configuration.connectionsPerHost, longestWait: configuration.lineTimeout)
        #if canImport(Darwin)
            tunnels = configuration.startTunnel.map {
                TunnelSessions(.apple(configuration), onFailure: configuration.onTunnelFailure, startTunnel: $0)
            }
        #else
            tunnels = nil
        #endif
        session = URLSession(configuration: Self.settings(configuration), delegate: delegate, delegateQueue: nil)
    }

    /// Returns the settings of a session.
    static func settings(_ configuration: Configuration) -> URLSessionConfiguration {
        let settings = URLSessionConfiguration.ephemeral
        settings.urlCache = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.httpCookieAcceptPolicy = .never
        settings.urlCredentialStorage = nil
        settings.httpMaximumConnectionsPerHost = configuration.connectionsPerHost
        // `SessionExchange` enforces the limits, because a session has one limit for all requests, including event
        // streams.
        settings.timeoutIntervalForRequest = 7 * 86_400
        settings.timeoutIntervalForResource = 7 * 86_400
        return settings
    }

    deinit {
        session.invalidateAndCancel()
        tunnels?.shutDown()
    }

    public var capabilities: TransportCapabilities {
        #if canImport(FoundationNetworking)
            [.decodes, .refusesAtOnce, .bypassesSessions]
        #else
            let always: TransportCapabilities = [.decodes, .refusesAtOnce, .bypassesSessions, .http2]
            return tunnels == nil ? always : always.union(.ownAddresses)
        #endif
    }

    public func useAddresses(_ addresses: any AddressResolving) { tunnels?.use(addresses) }

    /// Closes all connections. Requests in progress fail.
    public func shutDown() {
        isEnded.withLock { $0 = true }
        session.invalidateAndCancel()
        tunnels?.shutDown()
    }

    public func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        try await send(request, body: body, report: nil, isBackground: false)
    }

    public func send(
        _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
    ) async throws -> TransportResponse {
        try await send(request, body: body, report: progress, isBackground: false)
    }

    /// The form of this transport for background transfers and prefetches.
    ///
    /// On Apple's systems it uses no network in Low Data Mode. Except for prefetches it uses no expensive network, such
    /// as a mobile network or a personal hotspot. The requests then fail with code `offline`, also if the network
    /// changes during a response.
    public var forBackgroundTransfers: any HTTPTransporting { BackgroundForm(transport: self) }

    private func send(
        _ request: HTTPRequest, body: ResourceBody, report: (@Sendable (UploadProgress) -> Void)?, isBackground: Bool
    ) async throws -> TransportResponse {
        let url = request.urlText
        let parsed = try request.sentURL()
        guard parsed.host() != nil, parsed.port != 0 else {
            throw ResourceError(.invalidRequest, "the URL is invalid, or its port is 0", at: url)
        }
        let upload = try await SessionUpload.make(body, at: url)
        let tunnel = await tunnels?.session(for: parsed, isBackground: isBackground)
        let pass = try await queue.enter("\(request.scheme ?? "")://\(request.authority ?? "")")
        var outgoing = URLRequest(url: parsed)
        outgoing.httpMethod = request.method.rawValue
        outgoing.httpShouldHandleCookies = false
        outgoing.timeoutInterval = 7 * 86_400
        if isBackground { outgoing.refuseSparedNetworks() }
        for field in request.headerFields.sentOnConnection() where !Self.own.contains(field.name) {
            outgoing.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        // A part of an encoded body cannot be decoded.
        if request.headerFields[.range] != nil { outgoing.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        let exchange = SessionExchange(url: url, configuration, progress: report)
        try start(outgoing, upload, exchange, tunnel, at: url)
        let answer = try await exchange.head()
        try exchange.check(status: answer.statusCode, at: url)
        let head = SessionHead.head(answer)
        let length = head.headerFields[.contentLength].flatMap(Int64.init)
        let isEmpty = request.method == .head || [204, 304].contains(head.status.code) || length == 0
        let content = ExchangeBody(exchange, pass, keeping: upload)
        if isEmpty {
            do { for try await _ in content {} } catch {}
        }
        return TransportResponse(head: head, body: isEmpty ? .empty : .stream(ByteStream(content, length: length)))
    }

    private func start(
        _ request: URLRequest, _ upload: SessionUpload, _ exchange: SessionExchange, _ tunnel: TunnelSession?,
        at url: String
    ) throws {
        let session = tunnel?.session ?? session
        // An invalidated session traps if a task is created.
        let (task, hasBody): (URLSessionTask, Bool) = try isEnded.withLock { isEnded in
            guard !isEnded else {
                throw ResourceError(
                    .cannotConnect, TransportFailure(.connect, "the transport was shut down"), at: url)
            }
            return switch upload.source {
            case .none: (session.dataTask(with: request), false)
            case .bytes(let data): (session.uploadTask(with: request, from: data), !data.isEmpty)
            case .file(let file): (session.uploadTask(with: request, fromFile: file), true)
            }
        }
        (tunnel?.delegate ?? delegate).add(exchange, for: task)
        exchange.start(task, hasBody: hasBody)
    }

    /// The fields that the session sets itself.
    private static let own: Set<HTTPField.Name> = Set(
        ["host", "content-length", "accept-encoding"].compactMap { HTTPField.Name($0) })
}

extension URLSessionTransport {
    /// The transport for background transfers.
    private struct BackgroundForm: HTTPTransporting {
        let transport: URLSessionTransport

        var capabilities: TransportCapabilities { transport.capabilities }

        func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
            try await transport.send(request, body: body, report: nil, isBackground: true)
        }

        func send(
            _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
        ) async throws -> TransportResponse {
            try await transport.send(request, body: body, report: progress, isBackground: true)
        }
    }
}

extension URLRequest {
    /// Refuses networks in Low Data Mode, and expensive networks except for prefetches. Foundation on Linux knows
    /// neither.
    fileprivate mutating func refuseSparedNetworks() {
        #if canImport(Darwin)
            allowsConstrainedNetworkAccess = false
            allowsExpensiveNetworkAccess = BackgroundTransfer.allowsExpensiveNetworks
        #endif
    }
}
