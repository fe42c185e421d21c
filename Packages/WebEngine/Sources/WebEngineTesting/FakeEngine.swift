// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import ResourceLoading
public import WebEngine

/// An engine without a web: it notes what it is asked for, and a test says what its pages do.
///
/// It loads nothing by itself. ``load(_:)`` does with a view what an engine would do with the URL that it was to load;
/// ``request(_:_:_:from:isMainDocument:)`` asks for what a page would ask for, through the schemes that the container
/// answers. No script runs and nothing is painted: what needs that needs a real engine.
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
    /// What the engine does by itself in every mode: nothing, but it names the page.
    public var traits = EngineTraits(
        bodies: .none, keepsCookies: false, followsRedirects: false, preflights: false, decodes: false,
        caches: false, identifiesPage: true, acceptLanguage: nil)
    /// What it does in these modes instead; none at first.
    public var traitsByMode: [InterceptionMode: EngineTraits] = [:]
    /// The scheme that the engine keeps for itself; none at first.
    public var takenScheme: String?
    /// The proxy that was set last.
    public private(set) var proxy: EngineProxy?
    /// What is trusted, by host.
    public private(set) var trusted: [String: Set<EngineCertificate>] = [:]
    /// What was to be forgotten, by call: the URLs that it lies under.
    public private(set) var forgotten: [[String]] = []
    /// The origins that were looked through for that, by call.
    public private(set) var searched: [[String]] = []
    /// How often the HTTP cache was cleared.
    public private(set) var httpCacheClears = 0
    /// Why the HTTP cache cannot be cleared; it can at first.
    public var clearError: EngineError?
    /// Why nothing can be forgotten; it can at first.
    public var forgetError: EngineError?
    /// Whether forgetting takes for ever, until it is cancelled.
    public var hangs = false
    /// Takes the end of each call that forgets; the call waits until it is resumed.
    public var forgetting: ((CheckedContinuation<Void, Never>) -> Void)?
    /// The schemes that were registered, in that order.
    public private(set) var schemes: [CustomScheme] = []
    /// The views that were made, in that order; those that have ended, too.
    public private(set) var views: [FakeView] = []
    /// The names of message handlers that its views take none of; none at first.
    public var refusedHandlers: Set<String> = []
    /// Is called before a view is made.
    public var onMakeView: (() -> Void)?
    private var handlers: [String: SchemeHandler] = [:]

    /// An engine that has no views yet.
    public init() {}

    public func traits(in mode: InterceptionMode) -> EngineTraits { traitsByMode[mode] ?? traits }

    public func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) throws {
        guard scheme.name != takenScheme else { throw EngineError(.schemeTaken, "taken", at: scheme.name) }
        schemes.append(scheme)
        handlers[scheme.name] = handler
    }

    public func makeView() throws -> FakeView {
        onMakeView?()
        let view = FakeView(id: ViewID(rawValue: UInt64(views.count + 1)))
        view.refusedHandlers = refusedHandlers
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

    public func forgetFiles(
        under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?
    ) async throws {
        forgotten.append(urls)
        searched.append(origins)
        if forgetting != nil { await withCheckedContinuation { forgetting?($0) } }
        if hangs { for await _ in AsyncStream<Void>.makeStream().stream {} }
        try Task.checkCancellation()
        if let forgetError { throw forgetError }
    }

    /// Does with a view what an engine does with the URL that it was to load last: says that it started, asks the
    /// container for the document where its scheme is one that the container answers, and says that the document came
    /// and that all is there, or that it failed. Nothing of the document is read.
    /// - Returns: what the document's request heard; `nil` where nothing was to be loaded, or the container is not asked.
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

    /// Asks for a URL as a page of `view` would, and waits for the end of the answer.
    /// - Parameters:
    ///   - url: the URL as the engine names it, with the scheme that the container answers.
    ///   - method: the method of the request; GET by default.
    ///   - fields: the header fields of the request; none by default.
    ///   - view: the view whose page asks; `nil`, the default, if the engine does not name one.
    ///   - isMainDocument: whether this is the document that the view is navigating to; `false` by default.
    @discardableResult
    public func request(
        _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], from view: FakeView? = nil,
        isMainDocument: Bool = false
    ) async -> FakeSink {
        let sink = send(url, method, fields, from: view, isMainDocument: isMainDocument)
        await sink.end()
        return sink
    }

    /// Asks for a URL as a page of `view` would, and waits for nothing.
    /// - Parameters:
    ///   - url: the URL as the engine names it, with the scheme that the container answers.
    ///   - method: the method of the request; GET by default.
    ///   - fields: the header fields of the request; none by default.
    ///   - fragment: the fragment of the URL, without its `#`; `nil`, the default, if there is none.
    ///   - view: the view whose page asks; `nil`, the default, if the engine does not name one.
    ///   - isMainDocument: whether this is the document that the view is navigating to; `false` by default.
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
