// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    public import WebEngine
    public import WebKit

    /// A view of a WKWebViewEngine.
    ///
    /// The view ends with discard(), with ``reset()`` or with the release of its last reference. After the end,
    /// throwing calls throw `EngineError` with code `processEnded`, and other calls do nothing.
    ///
    /// Isolation: the main actor.
    @MainActor
    public final class WKWebViewView: EngineView, ViewLoading, ViewPosting, ViewScripting, ViewDocuments {
        /// The parts of an engine that its views use.
        struct Shared {
            let contentRules: ContentRuleStore
            let ownUserAgent: OwnUserAgent
            let networking: WKWebViewNetworking
        }

        /// The number of the view in its engine, counted from 1.
        public let id: ViewID
        /// The web view, which the app adds to a window; `nil` after the end. Its delegates, and the scripts and
        /// handlers of its configuration, belong to this object.
        public private(set) var webView: WKWebView?
        /// A closure that receives signals in order; `nil` initially, and after ``warmUp()`` and discard().
        public var onSignal: (@MainActor (ViewSignal) -> Void)?
        /// A Boolean value that indicates whether neither the web process nor the view has ended. Once it is `false` it
        /// remains `false`, even if a later load starts a new process.
        public internal(set) var isAlive = true
        /// A Boolean value that indicates whether the view was discarded.
        public var hasEnded: Bool { webView == nil }

        public var loading: any ViewLoading { self }
        public var posting: any ViewPosting { self }
        public var scripting: any ViewScripting { self }
        public var documents: (any ViewDocuments)? { self }
        /// The dialogs, windows, camera and microphone requests, and unknown schemes of pages.
        public var prompts: (any ViewPrompts)? { enginePrompts }
        public var downloads: (any ViewDownloads)? { engineDownloads }
        /// `nil`, because no public API ends a web process or reports the visibility. The end of a process is a signal.
        public var recovery: (any ViewRecovery)? { nil }
        public var snapshots: (any ViewSnapshots)? { self }

        let shared: Shared
        /// A closure that creates the view for the next page.
        let makeSuccessor: @MainActor () throws -> WKWebViewView
        private let delegate = ViewDelegate()
        let enginePrompts: WKWebViewPrompts
        let engineDownloads: WKWebViewDownloads
        let scriptCalls = ScriptCalls()
        var location = ViewLocation()
        /// The decisions on navigations that wait, by number.
        var decisions: [Int: PolicyDecision] = [:]
        var lastDecision = 0
        /// The documents that the app gives to the view.
        var given = GivenDocuments()
        /// The methods of the current document and of the navigation in progress.
        var methods = DocumentMethods()
        /// The user agent of the app, until the engine's own is known; otherwise `nil`.
        var pendingUserAgent: UserAgent?
        /// The task that prepares a load of the app.
        var loadTask: Task<Void, Never>?
        /// The URL of the page that the error page replaces; `nil` if none is shown.
        var errorPageURL: String?
        /// A Boolean value that indicates whether the view has a web process; `false` from the end of a process until
        /// the next load.
        var hasProcess = true
        /// The scripts of the app, without that of a given document.
        var userScripts: [WKUserScript] = []
        var messageHandlers: [MessageHandler] = []
        let messageBudget = MessageHandler.Budget()
        /// The applied content rules, and the number of their call.
        var contentRules: (number: Int, list: WKContentRuleList)?
        /// The number of calls that set content rules.
        var lastRules = 0
        var formWait: (@MainActor (_ url: String) -> (@MainActor () async -> Void)?)?

        init(
            id: ViewID, _ web: WKWebView, _ shared: Shared,
            makeSuccessor: @escaping @MainActor () throws -> WKWebViewView
        ) {
            (self.id, webView, self.shared, self.makeSuccessor) = (id, web, shared, makeSuccessor)
            let isHandled: @MainActor (String) -> Bool = { [weak web] scheme in
                web?.configuration.urlSchemeHandler(forURLScheme: scheme) != nil
            }
            let prompts = WKWebViewPrompts(isHandled: isHandled)
            enginePrompts = prompts
            engineDownloads = WKWebViewDownloads(
                isHandled: isHandled, isUserGesture: { [weak prompts] in prompts?.isUserGesture(for: $0) ?? false },
                answer: { [networking = shared.networking] in networking.answer(to: $0) })
            prompts.onClose = { [weak self] in self?.windowDidClose() }
            delegate.view = self
            web.navigationDelegate = delegate
            web.uiDelegate = delegate
        }

        // The decisions, replies and handlers end by their own release.
        deinit { loadTask?.cancel() }

        /// Ends the view, its page, its pending calls and its message replies. If the app still shows the web view, it
        /// is blank. Further calls do nothing.
        public func discard() {
            guard let web = webView else { return }
            webView = nil
            isAlive = false
            onSignal = nil
            loadTask?.cancel()
            cancelDecisions()
            given = GivenDocuments()
            formWait = nil
            enginePrompts.end()
            engineDownloads.end()
            for handler in messageHandlers { handler.stop("the view has ended") }
            messageHandlers = []
            let controller = web.configuration.userContentController
            controller.removeAllUserScripts()
            if let contentRules { controller.remove(contentRules.list) }
            scriptCalls.endAll(with: .viewEnded)
            web.navigationDelegate = nil
            web.uiDelegate = nil
            web.loadHTMLString("", baseURL: nil)
        }

        /// Ends the view after a script has closed its window.
        private func windowDidClose() {
            let send = onSignal
            discard()
            send?(.processEnded(reason: "the window was closed"))
        }

        /// Returns the web view.
        /// - Throws: `EngineError` with code `processEnded` after the end of the view or of its process.
        func requireLife() throws -> WKWebView {
            guard let webView, hasProcess else { throw EngineError.viewEnded }
            return webView
        }

        func send(_ signal: ViewSignal) { onSignal?(signal) }

        /// The URL of the document or of the navigation in progress, as WebKit reports it.
        var engineURL: String { webView?.url?.absoluteString ?? ViewLocation.blank }
    }

    /// The engine's own user agent, which only a page reports.
    @MainActor
    final class OwnUserAgent {
        /// The text; `nil` until a view has read it.
        var text: String?
    }

    /// The request methods of documents.
    struct DocumentMethods {
        /// A Boolean value that indicates whether the current document was requested with a method other than GET.
        private(set) var isPosted = false
        /// The navigation that WebKit performs, without the fragment.
        private var requested: (url: Substring, isPost: Bool)?

        mutating func request(_ url: String, method: String?) {
            requested = (ViewLocation.withoutFragment(url), (method ?? "GET") != "GET")
        }

        mutating func commit() {
            isPosted = requested?.isPost ?? false
            requested = nil
        }

        mutating func end() { requested = nil }

        /// Returns a Boolean value that indicates whether the navigation to a URL has a method other than GET.
        func isPosting(to url: String) -> Bool {
            requested.map { $0.isPost && $0.url == ViewLocation.withoutFragment(url) } ?? false
        }
    }
#endif
