// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CAllocationCount
internal import ContainerKit
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebViewPool

/// An engine without pages. It sends requests and records the time of the response head.
@MainActor
final class SilentEngine: WebEngineDriver, EngineNetworking, EngineCaching {
    nonisolated static let standardMode = InterceptionMode.customScheme
    var networking: any EngineNetworking { self }
    var caching: any EngineCaching { self }
    let name = "none"
    let cookies: any EngineCookieStore = NoCookies()
    let conditions: (any HostConditioning)? = nil
    private let view = SilentView()
    private var handlers: [String: SchemeHandler] = [:]

    /// Returns the traits of WebKitGTK in custom-scheme mode.
    func traits(in mode: InterceptionMode) -> EngineTraits {
        EngineTraits(
            bodies: .none, keepsCookies: false, followsRedirects: false, preflights: false, decodes: false,
            caches: false, identifiesPage: true, acceptLanguage: nil)
    }

    func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) { handlers[scheme.name] = handler }
    func makeView() -> SilentView { view }
    let proxy: EngineProxy? = nil
    let proxyKind = EngineProxy.Kind.socks5
    let isProxyReliable = true
    let systemProxies: (any ProxyResolving)? = nil
    func setProxy(_ proxy: EngineProxy?) {}
    func trust(_ certificate: EngineCertificate, for host: String) async throws {}
    func clearHTTPCache() async throws {}
    func removeFiles(under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?) async throws {}

    /// The cost of one request.
    struct Cost {
        /// The time until the response head.
        var time: Duration
        /// The number of allocated memory blocks until the response head.
        var allocations: Int
        /// The time until the handler has returned, with the events of an immediate response. The next request starts
        /// after that.
        var whole: Duration
    }

    /// Sends the request of a page and returns its cost.
    func head(answering head: HTTPRequest) async throws -> Cost {
        guard let handler = handlers[head.scheme ?? ""] else {
            throw ResourceError(.invalidRequest, "not a scheme of the container", at: head.urlText)
        }
        return try await withCheckedThrowingContinuation { done in
            let request = EngineRequest(head: head, view: view.id, isMainDocument: false)
            let sink = HeadSink(done)
            sink.begin()
            _ = handler(request, sink)
            sink.handlerReturned()
        }
    }
}

/// A sink that waits for the response head and the handler's return.
@MainActor
private final class HeadSink: SchemeTaskSink {
    private let done: CheckedContinuation<SilentEngine.Cost, any Error>
    private var start = (time: ContinuousClock.now, allocations: 0)
    private var cost: SilentEngine.Cost?
    private var hasReturned = false

    init(_ done: CheckedContinuation<SilentEngine.Cost, any Error>) {
        self.done = done
    }

    func begin() {
        start = (.now, allocation_count())
    }

    func handlerReturned() {
        hasReturned = true
        endIfBoth()
    }

    private func end() {
        let allocations = allocation_count() - start.allocations
        cost = SilentEngine.Cost(time: .now - start.time, allocations: allocations, whole: .zero)
        endIfBoth()
    }

    private func endIfBoth() {
        guard hasReturned, var cost else { return }
        cost.whole = .now - start.time
        done.resume(returning: cost)
    }

    func receive(_ head: HTTPResponse, length: Int64?) { end() }
    func receive(_ head: HTTPResponse, whole body: WholeBody) { end() }
    func receive(_ data: Data) async throws {}
    func finish() {}
    func fail(_ error: ResourceError) { done.resume(throwing: error) }
}

@MainActor
final class SilentView: EngineView, ViewLoading, ViewPosting, ViewScripting {
    var loading: any ViewLoading { self }
    var posting: any ViewPosting { self }
    var scripting: any ViewScripting { self }
    let prompts: (any ViewPrompts)? = nil
    let downloads: (any ViewDownloads)? = nil
    let recovery: (any ViewRecovery)? = nil
    let snapshots: (any ViewSnapshots)? = nil
    let documents: (any ViewDocuments)? = nil
    let hasEnded = false
    let lastLoad: LoadToken? = nil
    let isPosted = false
    let sendsBodies = false
    let pendingHandlers: Set<String> = []
    let id = ViewID(rawValue: 1)
    var onSignal: (@MainActor (ViewSignal) -> Void)?
    let isAlive = true

    func load(_ url: String) {}
    func stopLoading() {}
    func reload(_ url: String) {}
    func showErrorPage(_ html: String, for url: String) {}
    func isPosting(to url: String) -> Bool { false }
    func post(_ body: Data, fields: HTTPFields, to url: String) {}
    func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String { "null" }
    func setUserAgent(_ agent: UserAgent) {}
    func add(_ script: UserScript) {}
    func warmUp() async throws {}
    func reset() async throws -> SilentView { self }
    func residualState() async throws -> Set<ResidualState> { [] }
    func discard() {}
    func precompile(_ sources: [String]) async throws {}
    func setContentRules(_ json: String) async throws {}
    func answerPrompts(startingWith prefix: String, _ answer: @escaping @MainActor (String) -> String) {}
    func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?) {}
    func setMessageHandler(
        named name: String, in world: ScriptWorld,
        _ handler: @escaping @MainActor (ScriptMessage) async throws -> String
    ) {}
}

@MainActor
private final class NoCookies: EngineCookieStore {
    func all() async throws -> [EngineCookie] { [] }
    func set(_ cookie: EngineCookie) async throws {}
    func remove(name: String, domain: String, path: String) async throws {}
    let losses = 0
    func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}
