// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import WebViewPool

/// An engine without a web: it notes what it is asked for, and lets a test send requests through its schemes.
@MainActor
final class FakeEngine: WebEngine {
    let name = "Fake 1.0"
    let jar = FakeCookies()
    var cookies: any EngineCookieStore { jar }
    /// What the engine does by itself: nothing, but it names the page.
    var traits = EngineTraits(
        bodies: .none, keepsCookies: false, followsRedirects: false, preflights: false, decodes: false,
        caches: false, identifiesPage: true)
    /// The scheme that the engine keeps for itself.
    var takenScheme: String?
    /// The proxy that was set last.
    private(set) var proxy: EngineProxy?
    /// What is trusted, by host.
    private(set) var trusted: [String: Set<EngineCertificate>] = [:]
    /// What was to be forgotten, by call: the URLs, and the origins that were looked through.
    private(set) var forgotten: [[String]] = []
    private(set) var searched: [[String]] = []
    private(set) var httpCacheClears = 0
    /// Why nothing is forgotten.
    var forgetError: EngineError?
    /// Whether it takes for ever, until it is cancelled.
    var hangs = false
    /// Takes the end of each call, which waits for it.
    var forgetting: ((CheckedContinuation<Void, Never>) -> Void)?
    private(set) var schemes: [CustomScheme] = []
    private(set) var views: [FakeView] = []
    private var handlers: [String: SchemeHandler] = [:]

    func traits(in mode: InterceptionMode) -> EngineTraits { traits }

    func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) throws {
        guard scheme.name != takenScheme else { throw EngineError(.schemeTaken, "taken", at: scheme.name) }
        schemes.append(scheme)
        handlers[scheme.name] = handler
    }

    /// Is called when a view is made.
    var onMakeView: (() -> Void)?

    func makeView() throws -> FakeView {
        onMakeView?()
        let view = FakeView(id: ViewID(rawValue: UInt64(views.count + 1)))
        views.append(view)
        return view
    }

    /// Tells when a view is discarded.
    func endings(of view: FakeView) -> AsyncStream<Void> {
        AsyncStream { ending in view.onDiscard = { ending.finish() } }
    }

    func setProxy(_ proxy: EngineProxy?) { self.proxy = proxy }

    func trust(_ certificate: EngineCertificate, for host: String) async throws {
        trusted[host, default: []].insert(certificate)
    }

    /// Why the HTTP cache is not cleared.
    var clearError: EngineError?

    func clearHTTPCache() async throws {
        if let clearError { throw clearError }
        httpCacheClears += 1
    }

    func forgetFiles(under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?) async throws {
        forgotten.append(urls)
        searched.append(origins)
        if forgetting != nil { await withCheckedContinuation { forgetting?($0) } }
        if hangs { for await _ in AsyncStream<Void>.makeStream().stream {} }
        try Task.checkCancellation()
        if let forgetError { throw forgetError }
    }

    /// Sends a request as a page of `view` would, and returns what it heard.
    @discardableResult
    func send(
        _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], from view: FakeView? = nil,
        isMainDocument: Bool = false
    ) -> (sink: FakeSink, delivery: SchemeTaskDelivery?) {
        let sink = FakeSink()
        guard let head = HTTPRequest(method: method, urlText: url, headerFields: fields) else { return (sink, nil) }
        let request = EngineRequest(head: head, view: view?.id, isMainDocument: isMainDocument)
        let delivery = handlers[head.scheme ?? ""]?(request, sink)
        if let delivery { view?.carry(delivery) }
        return (sink, delivery)
    }
}

@MainActor
final class FakeView: EngineView {
    let id: ViewID
    var onSignal: (@MainActor (ViewSignal) -> Void)?
    var isAlive = true
    var onDiscard: (() -> Void)?
    private(set) var loads: [String] = []
    private(set) var resets = 0
    /// What was added, and who answers dialogs that begin so.
    private(set) var scripts: [UserScript] = []
    var onQuestion: (@MainActor (EngineQuestion) -> Void)?
    private(set) var prompts: (prefix: String, answer: @MainActor (String) -> String)?
    private var deliveries: [SchemeTaskDelivery] = []
    /// What a prompt for the app begins with.

    init(id: ViewID) {
        self.id = id
    }

    /// Is called after each load was asked for.
    var onLoad: (() -> Void)?

    func load(_ url: String) {
        loads.append(url)
        onLoad?()
    }

    private(set) var userAgent = UserAgent.engine

    func setUserAgent(_ agent: UserAgent) { userAgent = agent }

    /// Takes a request of the page, which goes when the page goes.
    func carry(_ delivery: SchemeTaskDelivery) { deliveries.append(delivery) }

    func stopLoading() {
        for delivery in deliveries { delivery.stop() }
        deliveries.removeAll()
    }

    /// What scripts return.
    var evaluation: @MainActor () async throws -> String = { "null" }
    func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String { try await evaluation() }
    func add(_ script: UserScript) { scripts.append(script) }

    func answerPrompts(startingWith prefix: String, _ answer: @escaping @MainActor (String) -> String) {
        prompts = (prefix, answer)
    }

    /// Has the page's script ask what begins with the prefix.
    func prompt(_ text: String) -> String {
        guard let prompts else { return "null" }
        return prompts.answer(prompts.prefix + text)
    }

    func warmUp() async throws {}

    func reset() async throws -> FakeView {
        stopLoading()
        loads.removeAll()
        userAgent = .engine
        scripts.removeAll()
        resets += 1
        return self
    }

    func remains() async throws -> Set<ViewRemain> { [] }

    func discard() {
        stopLoading()
        isAlive = false
        onDiscard?()
    }

    /// What the page looks like; `nil` where it cannot be seen.
    var picture: PageSnapshot?
    private(set) var reloads: [String] = []
    private(set) var errorPages: [String] = []
    private(set) var handlers: [String: @MainActor (ScriptMessage) async throws -> String] = [:]

    func reload(_ url: String) { reloads.append(url) }
    func showErrorPage(_ html: String, for url: String) { errorPages.append(html) }

    func snapshot() async throws -> PageSnapshot {
        guard let picture else { throw EngineError(.snapshot, "nothing to see") }
        return picture
    }

    func setMessageHandler(
        named name: String, in world: ScriptWorld,
        _ handler: @escaping @MainActor (ScriptMessage) async throws -> String
    ) {
        handlers[name] = handler
    }
}

/// Hears the answer to one request.
@MainActor
final class FakeSink: SchemeTaskSink {
    private(set) var status: Int?
    private(set) var body = Data()
    private(set) var fields: HTTPFields = [:]
    private(set) var error: ResourceError?

    func receive(_ head: HTTPResponse, length: Int64?) {
        status = head.status.code
        fields = head.headerFields
    }

    func receive(_ data: Data) async throws { body += data }
    func finish() {}
    func fail(_ error: ResourceError) { self.error = error }

    func receive(_ head: HTTPResponse, whole body: WholeBody) {
        receive(head, length: nil)
        switch body {
        case .bytes(let data): self.body = data
        case .file(let slice): self.body = (try? slice.read()) ?? Data()
        }
    }
}

/// Keeps what it is given.
@MainActor
final class FakeCookies: EngineCookieStore {
    private(set) var cookies: [EngineCookie] = []
    /// What setting one throws.
    var failure: EngineError?
    /// The name of one that cannot be removed.
    var stubborn: String?
    /// What removing one throws.
    var removalFailure: EngineError?
    /// How many are lost before one is kept.
    var refusals = 0
    /// Whether it answers never, until it is cancelled.
    var hangs = false
    /// Cookies that are never set, until that is cancelled.
    var hangingNames: Set<String> = []
    private(set) var losses = 0
    /// What was changed from outside.
    private(set) var writes = 0
    private var signals: [AsyncStream<Void>.Continuation] = []

    func all() async throws -> [EngineCookie] {
        try await waitIfHanging()
        return cookies
    }

    func set(_ cookie: EngineCookie) async throws {
        try await waitIfHanging(for: cookie.name)
        writes += 1
        if let failure { throw failure }
        guard refusals == 0 else {
            refusals -= 1
            return
        }
        cookies.removeAll { $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path }
        cookies.append(cookie)
        tell()
    }

    func remove(name: String, domain: String, path: String) async throws {
        try await waitIfHanging()
        writes += 1
        if let removalFailure { throw removalFailure }
        if name == stubborn { throw EngineError(.cookie, "it stays", at: name) }
        cookies.removeAll { $0.name == name && $0.domain == domain && $0.path == path }
        tell()
    }

    func changes() -> AsyncStream<Void> {
        let (stream, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        signals.append(signal)
        return stream
    }

    private func tell() {
        for signal in signals { signal.yield() }
    }

    /// Has a cookie that somebody else has set, and says nothing of it.
    func put(_ cookie: EngineCookie) { cookies.append(cookie) }

    /// Loses all by itself, as where the process ends that has them.
    func lose() {
        cookies = []
        losses += 1
    }

    private func waitIfHanging(for name: String? = nil) async throws {
        let hangs = hangs || name.map { hangingNames.contains($0) } ?? false
        if hangs { for await _ in AsyncStream<Void>.makeStream().stream {} }
        try Task.checkCancellation()
    }
}
