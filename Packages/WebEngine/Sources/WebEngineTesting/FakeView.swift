// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import WebEngine

/// A view of a ``FakeEngine``: it notes what it is told, and says what a test has it say.
@MainActor
public final class FakeView: EngineView, ViewLoading, ViewScripting, ViewPrompts, ViewDownloads, ViewRecovery,
    ViewSnapshots
{
    public var loading: any ViewLoading { self }
    public var scripting: any ViewScripting { self }
    public var prompts: (any ViewPrompts)? { self }
    public var downloads: (any ViewDownloads)? { self }
    public var recovery: (any ViewRecovery)? { self }
    public var snapshots: (any ViewSnapshots)? { self }
    public let id: ViewID
    public var onSignal: (@MainActor (ViewSignal) -> Void)?
    public var onPrompt: (@MainActor (EnginePrompt) -> Void)?
    public var onDownload: (@MainActor (ViewDownload) -> Void)?
    /// Media types that the engine does not show; none at first.
    public var unshown: Set<String> = []
    /// The URLs, as the engine names them, that somebody touches the page for; none at first.
    public var touched: Set<String> = []
    /// Whether its process lives; see ``crash(reason:)``.
    public var isAlive = true
    /// The URLs that it was to load since it was checked out, as the engine names them.
    public private(set) var loads: [String] = []
    /// The URLs that were to be loaded anew.
    public private(set) var reloads: [String] = []
    /// The pages that were shown in place of a document.
    public private(set) var errorPages: [String] = []
    /// How often the downloads without an answer were to be ended.
    public private(set) var pendingDrops = 0
    /// How often its process was to be ended.
    public private(set) var processEnds = 0
    public private(set) var hasEnded = false
    /// What it was asked for last, with its number.
    public private(set) var lastLoad: LoadToken?
    /// Whether it is in sight; unknown at first.
    public var isVisible: Bool?
    /// The names of handlers that owe the document an answer; none at first.
    public var pendingHandlers: Set<String> = []
    /// Whether its document was asked for with a body.
    public var isPosted = false
    /// Where documents on their way are asked for by POST; nowhere at first.
    public var posts: Set<String> = []
    /// The scripts that it was to run ahead.
    public private(set) var precompiledSources: [String] = []
    /// The function bodies that were evaluated, in that order.
    public private(set) var evaluatedScripts: [String] = []
    /// Is called with each of them before its result is returned.
    public var onEvaluate: (@MainActor (String) -> Void)?
    /// How often it was cleaned.
    public private(set) var resets = 0
    /// The scripts that were added since it was checked out.
    public private(set) var scripts: [UserScript] = []
    /// The content rules that it was given, newest last.
    public private(set) var contentRules: [String] = []
    /// Is awaited before content rules apply; what it throws refuses them.
    public var onContentRules: (@MainActor (String) async throws -> Void)?
    /// Who answers messages, by their names.
    public private(set) var handlers: [String: @MainActor (ScriptMessage) async throws -> String] = [:]
    /// The names of handlers that it takes none of; none at first.
    public var refusedHandlers: Set<String> = []
    public private(set) var userAgent = UserAgent.engine
    /// What scripts return, as JSON; `null` at first.
    public var evaluation: @MainActor () async throws -> String = { "null" }
    /// What the page looks like; `nil`, at first, where it cannot be seen.
    public var picture: PageSnapshot?
    /// Is called after each load was asked for.
    public var onLoad: (() -> Void)?
    private var promptAnswer: (prefix: String, answer: @MainActor (String) -> String)?
    private var requests: [FakeSink] = []
    private let endings = Broadcast<Void>(capacity: 1)

    /// What dialogs begin with that the app answers by itself; `nil` where it answers none.
    public var promptPrefix: String? { promptAnswer?.prefix }

    /// A view beside those that an engine makes.
    public init(id: ViewID) {
        self.id = id
    }

    // MARK: What a test has the page do

    /// Has the page's script ask the app by `prompt`, with a text behind the prefix that the app answers.
    /// - Returns: what the page gets; `null` where nobody answers.
    public func prompt(_ text: String) -> String {
        guard let promptAnswer else { return "null" }
        return promptAnswer.answer(promptAnswer.prefix + text)
    }

    /// Has the page ask something of the app.
    /// - Returns: what the page gets, once that is decided; the safe answer where nobody listens.
    public func ask(_ subject: EnginePrompt.Subject) async -> EnginePrompt.Answer {
        await withCheckedContinuation { continuation in
            let prompt = EnginePrompt(subject) { continuation.resume(returning: $0) }
            onPrompt?(prompt)
        }
    }

    /// Has the view's web process end by itself.
    public func crash(reason: String = "killed") {
        isAlive = false
        stopLoading()
        onSignal?(.processEnded(reason: reason))
    }

    /// One element, or the end, when the view is discarded.
    public func discards() -> AsyncStream<Void> {
        endings.subscribe()
    }

    /// Takes a request of the page, which goes when the page goes.
    func carry(_ request: FakeSink) { requests.append(request) }

    // MARK: What the container does

    public func load(_ url: String) {
        loads.append(url)
        lastLoad = LoadToken(of: url, after: lastLoad)
        onLoad?()
    }

    public func endProcess() { processEnds += 1 }

    public func reload(_ url: String) {
        reloads.append(url)
        lastLoad = LoadToken(of: url, after: lastLoad)
    }

    public func showErrorPage(_ html: String, for url: String) {
        errorPages.append(html)
        lastLoad = LoadToken(of: url, after: lastLoad)
    }

    public func stopLoading() {
        for request in requests { request.drop() }
        requests.removeAll()
    }

    public func setUserAgent(_ agent: UserAgent) { userAgent = agent }

    public func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String {
        evaluatedScripts.append(functionBody)
        onEvaluate?(functionBody)
        return try await evaluation()
    }

    public func precompile(_ sources: [String]) async throws { precompiledSources += sources }

    public func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?) {}

    public func canShow(_ mediaType: String) -> Bool { !unshown.contains(mediaType) }

    public func dropPendingDownloads() { pendingDrops += 1 }

    public func isUserGesture(for url: String) -> Bool { touched.contains(url) }

    public func isPosting(to url: String) -> Bool { posts.contains(url) }

    public func snapshot() async throws -> PageSnapshot {
        guard let picture else { throw EngineError(.snapshot, "nothing to see") }
        return picture
    }

    public func add(_ script: UserScript) { scripts.append(script) }

    public func setContentRules(_ json: String) async throws {
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
        guard !refusedHandlers.contains(name) else { throw EngineError(.handlerTaken, "not in this view", at: name) }
        handlers[name] = handler
    }

    // MARK: What the pool does

    public func warmUp() async throws {}

    public func reset() async throws -> FakeView {
        stopLoading()
        loads.removeAll()
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
