// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import Foundation
public import HTTPTypes
public import WebEngine

/// A view of a ``FakeEngine``. It records calls, and a test controls its signals.
@MainActor
public final class FakeView: EngineView, ViewLoading, ViewPosting, ViewScripting, ViewPrompts, ViewDownloads,
    ViewRecovery, ViewSnapshots, ViewDocuments
{
    public var loading: any ViewLoading { self }
    public var posting: any ViewPosting { self }
    public var scripting: any ViewScripting { self }
    public var prompts: (any ViewPrompts)? { self }
    public var downloads: (any ViewDownloads)? { self }
    public var recovery: (any ViewRecovery)? { self }
    public var snapshots: (any ViewSnapshots)? { self }
    public var documents: (any ViewDocuments)? { self }
    public let id: ViewID
    public var onSignal: (@MainActor (ViewSignal) -> Void)?
    public var onPrompt: (@MainActor (EnginePrompt) -> Void)?
    public var onDownload: (@MainActor (ViewDownload) -> Void)?
    /// The media types that the engine cannot display; empty initially.
    public var undisplayableTypes: Set<String> = []
    /// The URLs, in the engine's form, whose navigations a user gesture causes; empty initially.
    public var touched: Set<String> = []
    /// A Boolean value that indicates whether the web process is running; see ``crash(reason:)``.
    public var isAlive = true
    /// The URLs of ``load(_:)`` calls since the last reset.
    public private(set) var loads: [String] = []
    /// The URLs of ``reload(_:)`` calls.
    public private(set) var reloads: [String] = []
    /// The HTML of ``showErrorPage(_:for:)`` calls.
    public private(set) var errorPages: [String] = []
    /// The number of ``dropPendingDownloads()`` calls.
    public private(set) var pendingDrops = 0
    /// The number of ``endProcess()`` calls.
    public private(set) var processEnds = 0
    public private(set) var hasEnded = false
    /// The token of the last load.
    public private(set) var lastLoad: LoadToken?
    /// A Boolean value that indicates whether the view is visible; `nil` initially.
    public var isVisible: Bool?
    /// The names of the message handlers with pending replies; empty initially.
    public var pendingHandlers: Set<String> = []
    /// A Boolean value that indicates whether the document was requested with a method other than GET.
    public var isPosted = false
    /// The URLs for which ``isPosting(to:)`` returns true; empty initially.
    public var posts: Set<String> = []
    /// A Boolean value that indicates whether the engine sends any body; `false` initially.
    public var sendsBodies = false
    /// The ``post(_:fields:to:)`` calls since the last reset.
    public private(set) var sentPosts: [(url: String, fields: HTTPFields, body: Data)] = []
    /// The sources of ``precompile(_:)`` calls.
    public private(set) var precompiledSources: [String] = []
    /// The function bodies of ``evaluate(_:in:)`` calls, in order.
    public private(set) var evaluatedScripts: [String] = []
    /// A closure that receives each function body before its result is returned.
    public var onEvaluate: (@MainActor (String) -> Void)?
    /// The number of ``reset()`` calls.
    public private(set) var resets = 0
    /// The scripts that were added since the last reset.
    public private(set) var scripts: [UserScript] = []
    /// The content rules that were set, in order.
    public private(set) var contentRules: [String] = []
    /// A closure that is awaited before content rules are set. An error that it throws rejects the rules.
    public var onContentRules: (@MainActor (String) async throws -> Void)?
    /// The message handlers by name.
    public private(set) var handlers: [String: @MainActor (ScriptMessage) async throws -> String] = [:]
    /// The names of message handlers that the view rejects; empty initially.
    public var refusedHandlers: Set<String> = []
    /// The user agent that was set last.
    public private(set) var userAgent = UserAgent.engine
    /// A closure that returns the result of a script as JSON; `null` initially.
    public var evaluation: @MainActor () async throws -> String = { "null" }
    /// The result of ``snapshot()``, which throws an error if this property is `nil`, as initially.
    public var picture: PageSnapshot?
    /// A closure that is called after each ``load(_:)`` and ``post(_:fields:to:)``.
    public var onLoad: (() -> Void)?
    /// The closure that is asked for the documents of navigations; `nil` initially.
    public private(set) var onNavigation: (@MainActor (EngineNavigation) async throws(EngineError) -> EngineDocument?)?
    private var promptAnswer: (prefix: String, answer: @MainActor (String) -> String)?
    private var requests: [FakeSink] = []
    private let endings = Broadcast<Void>(capacity: 1)

    /// The prefix of the prompts that the app answers; `nil` if there is none.
    public var promptPrefix: String? { promptAnswer?.prefix }

    /// Creates a view that does not belong to an engine.
    public init(id: ViewID) {
        self.id = id
    }

    // MARK: Actions of a page

    /// Calls `window.prompt` as the page's script does, with the prefix of ``promptPrefix`` before the text.
    /// - Returns: the answer for the page; `null` if the app answers no prompts.
    public func prompt(_ text: String) -> String {
        guard let promptAnswer else { return "null" }
        return promptAnswer.answer(promptAnswer.prefix + text)
    }

    /// Sends a prompt of the page to ``onPrompt`` and waits for its answer.
    /// - Returns: the answer; the safe answer if ``onPrompt`` is `nil`.
    public func requestDecision(_ subject: EnginePrompt.Subject) async -> EnginePrompt.Answer {
        await withCheckedContinuation { continuation in
            let prompt = EnginePrompt(subject) { continuation.resume(returning: $0) }
            onPrompt?(prompt)
        }
    }

    /// Ends the web process, as a crash does.
    public func crash(reason: String = "killed") {
        isAlive = false
        stopLoading()
        onSignal?(.processEnded(reason: reason))
    }

    /// Returns a stream that ends when the view is discarded.
    public func discards() -> AsyncStream<Void> {
        endings.subscribe()
    }

    /// Adds a request that ``stopLoading()`` cancels.
    func carry(_ request: FakeSink) { requests.append(request) }

    // MARK: Calls of the container

    public func load(_ url: String) {
        guard !hasEnded else { return }
        loads.append(url)
        lastLoad = LoadToken(of: url, after: lastLoad)
        onLoad?()
    }

    public func endProcess() { processEnds += 1 }

    public func reload(_ url: String) {
        guard !hasEnded else { return }
        reloads.append(url)
        lastLoad = LoadToken(of: url, after: lastLoad)
    }

    public func showErrorPage(_ html: String, for url: String) {
        guard !hasEnded else { return }
        errorPages.append(html)
        lastLoad = LoadToken(of: url, after: lastLoad)
    }

    public func stopLoading() {
        for request in requests { request.drop() }
        requests.removeAll()
    }

    public func answerNavigations(
        _ answer: @escaping @MainActor (EngineNavigation) async throws(EngineError) -> EngineDocument?
    ) { onNavigation = answer }

    public func setUserAgent(_ agent: UserAgent) { userAgent = agent }

    public func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String {
        try requireLife()
        evaluatedScripts.append(functionBody)
        onEvaluate?(functionBody)
        return try await evaluation()
    }

    public func precompile(_ sources: [String]) async throws {
        try requireLife()
        precompiledSources += sources
    }

    public func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?) {}

    public func canShow(_ mediaType: String) -> Bool { !undisplayableTypes.contains(mediaType) }

    public func dropPendingDownloads() { pendingDrops += 1 }

    public func isUserGesture(for url: String) -> Bool { touched.contains(url) }

    public func isPosting(to url: String) -> Bool { posts.contains(url) }

    public func post(_ body: Data, fields: HTTPFields, to url: String) {
        guard !hasEnded else { return }
        sentPosts.append((url, fields, body))
        lastLoad = LoadToken(of: url, after: lastLoad)
        onLoad?()
    }

    public func snapshot() async throws -> PageSnapshot {
        try requireLife()
        guard let picture else { throw EngineError(.snapshot, "no picture is set") }
        return picture
    }

    public func add(_ script: UserScript) { scripts.append(script) }

    public func setContentRules(_ json: String) async throws {
        try requireLife()
        try await onContentRules?(json)
        contentRules.append(json)
    }

    public func answerPrompts(startingWith prefix: String, _ answer: @escaping @MainActor (String) -> String) {
        promptAnswer = (prefix, answer)
    }

    public func setMessageHandler(
        named name: String, in world: ScriptWorld,
        _ handler: @escaping @MainActor (ScriptMessage) async throws -> String
    ) throws {
        try requireLife()
        guard !name.isEmpty, !refusedHandlers.contains(name) else {
            throw EngineError(.handlerTaken, "rejected", at: name)
        }
        handlers[name] = handler
    }

    private func requireLife() throws {
        if hasEnded { throw EngineError(.processEnded, "the view has ended") }
    }

    // MARK: Calls of the pool

    public func warmUp() async throws { try requireLife() }

    public func reset() async throws -> FakeView {
        stopLoading()
        loads.removeAll()
        sentPosts.removeAll()
        userAgent = .engine
        scripts.removeAll()
        resets += 1
        return self
    }

    public func residualState() async throws -> Set<ResidualState> { [] }

    public func discard() {
        stopLoading()
        isAlive = false
        hasEnded = true
        endings.finish()
    }
}
