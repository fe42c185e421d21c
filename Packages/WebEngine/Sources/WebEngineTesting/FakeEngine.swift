// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading
public import WebEngine
internal import WebSyntax

/// An engine that loads nothing by itself. It records calls, and a test controls its pages.
///
/// ``load(_:)`` reports the signals that an engine sends for the last URL that the container loaded in a view.
/// ``request(_:_:_:from:isMainDocument:)`` sends the request of a page to the scheme handlers of the container. No
/// script runs and nothing is rendered; tests of scripts and rendering need a real engine.
///
/// Isolation: the main actor.
@MainActor
public final class FakeEngine: WebEngineDriver, EngineNetworking, EngineCaching {
    public nonisolated static let standardMode = InterceptionMode.customScheme
    public var networking: any EngineNetworking { self }
    public var caching: any EngineCaching { self }
    public let name = "Fake 1.0"
    /// The engine's cookies.
    public let jar = FakeCookies()
    public var cookies: any EngineCookieStore { jar }
    /// The conditions of the device; `nil` initially.
    public var conditions: (any HostConditioning)?
    /// The traits of the engine in every mode: it performs no step itself, but identifies the page.
    public var traits = EngineTraits(
        bodies: .none, keepsCookies: false, followsRedirects: false, preflights: false, decodes: false,
        caches: false, identifiesPage: true, acceptLanguage: nil)
    /// The traits in specific modes, in place of ``traits``; empty initially.
    public var traitsByMode: [InterceptionMode: EngineTraits] = [:]
    /// The scheme that ``register(_:handler:)`` rejects; `nil` initially.
    public var takenScheme: String?
    /// A Boolean value that indicates whether ``register(_:handler:)`` permits `https`; `false` initially.
    public var permitsHTTPSHandler = false
    /// The proxy that was set last.
    public private(set) var proxy: EngineProxy?
    /// The protocol of a loopback proxy; SOCKS5 initially.
    public var proxyKind = EngineProxy.Kind.socks5
    /// A Boolean value that indicates whether the proxy needs no proof; `true` initially.
    public var isProxyReliable = true
    /// The proxies of the system; `nil` initially.
    public var systemProxies: (any ProxyResolving)?
    /// The trusted certificates by host.
    public private(set) var trusted: [String: Set<EngineCertificate>] = [:]
    /// The URLs of each ``removeFiles(under:at:lastGiven:)`` call.
    public private(set) var removedFiles: [[String]] = []
    /// The origins of each ``removeFiles(under:at:lastGiven:)`` call.
    public private(set) var searched: [[String]] = []
    /// The number of ``clearHTTPCache()`` calls that succeeded.
    public private(set) var httpCacheClears = 0
    /// The error of ``clearHTTPCache()``; `nil` initially.
    public var clearError: EngineError?
    /// The error of ``removeFiles(under:at:lastGiven:)``; `nil` initially.
    public var removeFilesError: EngineError?
    /// A Boolean value that indicates whether ``removeFiles(under:at:lastGiven:)`` waits until it is cancelled.
    public var hangs = false
    /// A closure that receives the continuation of each ``removeFiles(under:at:lastGiven:)`` call. The call waits until
    /// the continuation is resumed.
    public var onRemoveFiles: ((CheckedContinuation<Void, Never>) -> Void)?
    /// The registered schemes, in order.
    public private(set) var schemes: [CustomScheme] = []
    /// The created views in order, including ended views.
    public private(set) var views: [FakeView] = []
    /// The names of message handlers that new views reject; empty initially.
    public var refusedHandlers: Set<String> = []
    /// A Boolean value that indicates whether new views send any body; `false` initially.
    public var sendsBodies = false
    /// A closure that is called before a view is created.
    public var onMakeView: (() -> Void)?
    /// A closure that receives each view and the URL of each load of the container in it. A view that was made while
    /// the closure was `nil` does not call it.
    public var onLoad: ((FakeView, String) -> Void)?
    private var handlers: [String: SchemeHandler] = [:]

    /// Creates an engine without views.
    public init() {}

    public func traits(in mode: InterceptionMode) -> EngineTraits { traitsByMode[mode] ?? traits }

    /// The schemes that the engine reserves.
    private var reservedSchemes: Set<String> {
        let schemes: Set<String> = ["about", "blob", "data", "file", "http", "https", "javascript", "ws", "wss"]
        return permitsHTTPSHandler ? schemes.subtracting(["https"]) : schemes
    }

    public func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) throws {
        let isFree =
            URLScheme.isLowercase(scheme.name) && !reservedSchemes.contains(scheme.name)
            && !schemes.contains { $0.name == scheme.name && $0.isSecure != scheme.isSecure }
        guard isFree, scheme.name != takenScheme else { throw EngineError(.schemeTaken, "taken", at: scheme.name) }
        schemes.append(scheme)
        handlers[scheme.name] = handler
    }

    public func makeView() throws -> FakeView {
        onMakeView?()
        let view = FakeView(id: ViewID(rawValue: UInt64(views.count + 1)))
        view.refusedHandlers = refusedHandlers
        view.sendsBodies = sendsBodies
        if onLoad != nil {
            view.onLoad = { [weak self, weak view] in
                if let view, let url = view.lastLoad?.url { self?.onLoad?(view, url) }
            }
        }
        views.append(view)
        return view
    }

    public func setProxy(_ proxy: EngineProxy?) { self.proxy = proxy }

    public func trust(_ certificate: EngineCertificate, for host: String) async throws {
        trusted[host, default: []].insert(certificate)
    }

    public func clearHTTPCache() async throws {
        if let clearError { throw clearError }
        httpCacheClears += 1
    }

    public func removeFiles(
        under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?
    ) async throws {
        removedFiles.append(urls)
        searched.append(origins)
        if onRemoveFiles != nil { await withCheckedContinuation { onRemoveFiles?($0) } }
        if hangs { for await _ in AsyncStream<Void>.makeStream().stream {} }
        try Task.checkCancellation()
        if let removeFilesError { throw removeFilesError }
    }

    /// Reports the signals that an engine sends for the last URL that the container loaded in a view.
    ///
    /// The signals are started; then committed, or failed if the document's request failed; then finished. If a scheme
    /// handler is registered for the URL, the handler receives the document's request. The content of the document is
    /// ignored.
    /// - Returns: the sink of the document's request; `nil` if the view has no load or no handler is registered for the
    ///   scheme.
    @discardableResult
    public func load(_ view: FakeView) async -> FakeSink? {
        guard let url = view.loads.last else { return nil }
        view.onSignal?(.started(url: url))
        var sink: FakeSink?
        if let scheme = HTTPRequest(urlText: url)?.scheme, handlers[scheme] != nil {
            sink = await request(url, from: view, isMainDocument: true)
        }
        if let error = sink?.error {
            view.onSignal?(.failed(url: url, error: EngineError(.loadFailed, "\(error)", at: url)))
        } else {
            view.onSignal?(.committed(url: url))
        }
        view.onSignal?(.finished(url: url))
        return sink
    }

    /// Sends the request of a page and waits for the end of the response.
    /// - Parameters:
    ///   - url: the URL in the engine's form, with a registered scheme.
    ///   - method: the method of the request; GET by default.
    ///   - fields: the header fields of the request; none by default.
    ///   - view: the view whose page sends the request; `nil`, the default, if the engine does not report it.
    ///   - isMainDocument: a Boolean value that indicates whether the request is for the document of a navigation;
    ///     `false` by default.
    @discardableResult
    public func request(
        _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], from view: FakeView? = nil,
        isMainDocument: Bool = false
    ) async -> FakeSink {
        let sink = send(url, method, fields, from: view, isMainDocument: isMainDocument)
        await sink.end()
        return sink
    }

    /// Sends the request of a page and returns immediately.
    /// - Parameters:
    ///   - url: the URL in the engine's form, with a registered scheme.
    ///   - method: the method of the request; GET by default.
    ///   - fields: the header fields of the request; none by default.
    ///   - fragment: the fragment of the URL, without its `#`; `nil`, the default, if there is none.
    ///   - view: the view whose page sends the request; `nil`, the default, if the engine does not report it.
    ///   - isMainDocument: a Boolean value that indicates whether the request is for the document of a navigation;
    ///     `false` by default.
    @discardableResult
    public func send(
        _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], fragment: String? = nil,
        from view: FakeView? = nil, isMainDocument: Bool = false
    ) -> FakeSink {
        let sink = FakeSink()
        guard let head = HTTPRequest(method: method, urlText: url, headerFields: fields),
            let handler = handlers[head.scheme ?? ""]
        else {
            sink.drop()
            return sink
        }
        let request = EngineRequest(head: head, fragment: fragment, view: view?.id, isMainDocument: isMainDocument)
        sink.delivery = handler(request, sink)
        if !sink.hasEnded { view?.carry(sink) }
        return sink
    }
}
