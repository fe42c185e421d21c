// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation

    /// A WebKitGTK view with its own web process.
    ///
    /// The view ends with ``discard()``, with ``reset()``, with the release of its last reference, or when its window
    /// is closed. `ViewSignal.processEnded` reports the closing. After the end, throwing calls throw `EngineError` with
    /// code `processEnded`, and other calls do nothing.
    ///
    /// Isolation: the main actor.
    @MainActor
    public final class WebKitGTKView: EngineView, ViewLoading, ViewPosting, ViewScripting, ViewPrompts, ViewDownloads,
        ViewRecovery, ViewSnapshots, ViewDocuments
    {
        public var loading: any ViewLoading { self }
        public var scripting: any ViewScripting { self }
        public var prompts: (any ViewPrompts)? { self }
        public var downloads: (any ViewDownloads)? { self }
        public var recovery: (any ViewRecovery)? { self }
        public var snapshots: (any ViewSnapshots)? { self }
        public var documents: (any ViewDocuments)? { self }
        /// The number of the view in its engine, counted from 1.
        public let id: ViewID
        /// A closure that receives signals in order; `nil` initially, and after ``warmUp()`` and ``discard()``.
        ///
        /// URLs are in the engine's form. In `started`, the URL is that of the current page if the page started the
        /// navigation.
        public var onSignal: (@MainActor (ViewSignal) -> Void)?
        /// A Boolean value that indicates whether none of the web process, the window and the view has ended. Once it
        /// is `false` it remains `false`, even if a later load starts a new process.
        public internal(set) var isAlive = true

        /// The widget. This object has its own reference, so that the pointer remains valid after the widget is
        /// destroyed.
        let web: UnsafeMutablePointer<WebKitWebView>
        var location = ViewLocation()
        /// The calls whose results depend on the page. They end with the page.
        let scriptCalls = PendingCalls()
        /// The calls whose results depend on the view only.
        let viewCalls = PendingCalls()
        private(set) var isDiscarded = false
        /// A Boolean value that indicates whether the view has a web process; `false` from the end of a process until
        /// the next load.
        var hasProcess = true
        /// The request methods of the current document and of the navigation in progress.
        var requestState = DocumentRequestState()
        /// The number of documents that this view has shown.
        private var pageNumber = 0
        /// The visibility of the window; see ``isVisible``.
        var visibility = WindowVisibility()
        /// The window. This object has its own reference.
        private let window: UnsafeMutablePointer<GtkWidget>
        private let messageLimit: Int
        let proxies: ProxyKeeper
        let contentRules: ContentRuleStore
        /// The identifier of the view's content rules; `nil` if it has none.
        var contentRuleID: String?
        /// The number of consecutive refusals of this view's credentials by a proxy.
        var proxyRetries = 0
        var promptResponder: PromptResponder?
        /// The documents that the app gives to the view; see ``answerNavigations(_:)``.
        var given = GivenDocuments()
        /// The form that loads a URL by POST, until it is submitted; `nil` if there is none.
        var postForm: PostForm?
        /// The closure that delays form navigations; see ``holdForms(_:)``.
        var formWait: FormWait?
        /// A closure that receives the prompts of pages; `nil` initially and after ``discard()``.
        public var onPrompt: (@MainActor (EnginePrompt) -> Void)?
        /// A closure that receives the downloads of pages; `nil` initially and after ``discard()``.
        public var onDownload: (@MainActor (ViewDownload) -> Void)?
        /// The downloads that ``onDownload`` has not received yet.
        var pendingDownloads: [WebKitGTKDownload] = []
        /// The last requested navigation, of the page or a frame.
        var lastNavigation: (url: String, isUserGesture: Bool)?
        /// The prompts without an answer.
        var openPrompts: [OpenPrompt] = []
        private var signals: [GObjectSignals] = []
        private(set) var messageHandlers: [ScriptMessageHandler] = []

        /// A closure that creates the successor of this view in a reset.
        let makeSuccessor: @MainActor (WebKitGTKView) throws -> WebKitGTKView
        /// The initial state of the view in the engine.
        let origin: ViewOrigin
        /// The number of scripts that run in each page.
        private(set) var scriptCount = 0
        /// A Boolean value that indicates whether the web process is unusable and ends with the view.
        var endsProcess = false

        /// The time limit for a blank page to load in a new process.
        private static let warmUpLimit = Duration.seconds(20)

        /// Creates a view.
        /// - Parameters:
        ///   - predecessor: the view whose web process the new view reuses; `nil` for a new process.
        ///   - makeSuccessor: a closure that creates the successor of a view.
        init(
            id: ViewID, after predecessor: WebKitGTKView?, context: UnsafeMutablePointer<WebKitWebContext>,
            proxies: ProxyKeeper, contentRules: ContentRuleStore, _ configuration: WebKitGTKEngine.Configuration,
            makeSuccessor: @escaping @MainActor (WebKitGTKView) throws -> WebKitGTKView
        ) throws {
            let policy =
                configuration.usesHardwareAcceleration
                ? WEBKIT_HARDWARE_ACCELERATION_POLICY_ALWAYS : WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER
            guard let widget = containerkit_view_new(context, predecessor?.web, policy),
                let window = !configuration.showsWindows
                    ? gtk_offscreen_window_new() : gtk_window_new(GTK_WINDOW_TOPLEVEL)
            else { throw EngineError(.noDisplay, "the engine cannot create a view") }
            self.id = id
            self.window = g_object_ref(window).assumingMemoryBound(to: GtkWidget.self)
            web = g_object_ref_sink(widget).assumingMemoryBound(to: WebKitWebView.self)
            messageLimit = configuration.messageLimit
            self.proxies = proxies
            self.contentRules = contentRules
            self.makeSuccessor = makeSuccessor
            gtk_window_set_default_size(
                UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self),
                gint(configuration.viewSize.width),
                gint(configuration.viewSize.height))
            gtk_container_add(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkContainer.self), widget)
            gtk_widget_show_all(window)
            origin = ViewOrigin(of: web, after: predecessor?.origin)
            let loadSignals = GObjectSignals(of: web)
            connectLoadSignals(loadSignals)
            connectAuthentication(loadSignals)
            connectPrompts(loadSignals)
            connectEnginePrompts(loadSignals)
            let windowSignals = GObjectSignals(of: window)
            connectWindowSignals(windowSignals)
            connectVisibilitySignals(loadSignals, windowSignals)
            signals = [loadSignals, windowSignals]
        }

        isolated deinit {
            discard()
            g_object_unref(web)
            g_object_unref(window)
        }

        /// Starts to load a URL. An earlier load in progress sends no more signals.
        ///
        /// If the engine refuses a URL without an error because of its port, the load fails with code `blocked`.
        public func load(_ url: String) {
            guard !isDiscarded else { return }
            // A page that waits for a prompt would block the next page.
            endEnginePrompts()
            cancelDocuments()
            location.recordLoad(for: url)
            proxyRetries = 0
            hasProcess = true
            if !loadDocument(at: url) { webkit_web_view_load_uri(web, url) }
        }

        /// Shows an empty document of an origin without a request.
        /// - Parameter origin: the root URL of the origin.
        func loadBlank(at origin: String) {
            guard !isDiscarded else { return }
            location.recordLoad(for: origin)
            webkit_web_view_load_html(web, "<!doctype html>", origin)
        }

        /// Stops the load in progress. A load of ``load(_:)`` that has not committed ends as `failed` with code
        /// `loadFailed`, all others as `stopped`.
        public func stopLoading() {
            guard !isDiscarded else { return }
            let form = postForm
            cancelDocuments()
            // The form may have been submitted already.
            postForm = form.map { PostForm(stopped: $0) }
            webkit_web_view_stop_loading(web)
            // The engine reports nothing for a load that it has not begun.
            if let url = location.cancelLoad() {
                onSignal?(.failed(url: url, error: EngineError(.loadFailed, "the load was stopped", at: url)))
            }
        }

        /// Runs the body of an asynchronous function in the page's document and awaits its promises.
        /// - Returns: the result as JSON; `null` for `undefined`.
        /// - Throws: `EngineError` with code `script` if the script throws or its result has no JSON form, `pageGone`
        ///   if another document replaces the page's document, or `processEnded` if the view ends.
        public func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String {
            try requireLife()
            do {
                return try await result(of: functionBody, in: world)
            } catch is UnsupportedResult {
                // The engine also reports this error for a script whose process ended, before it reports the end of the
                // process.
                do {
                    _ = try await result(of: "return 1", in: world)
                } catch is UnsupportedResult {
                    throw Self.viewEnded
                }
                throw EngineError(.script, "the result has no JSON form")
            }
        }

        /// An error for a script whose result cannot be serialized.
        private struct UnsupportedResult: Error {}

        private func result(of functionBody: String, in world: ScriptWorld) async throws -> String {
            try await GLibAsync.call(among: scriptCalls) { callback, data in
                webkit_web_view_call_async_javascript_function(
                    web, functionBody, -1, nil, world.name, nil, nil, callback, data)
            } finish: { [web] result in
                var error: UnsafeMutablePointer<GError>?
                guard let value = webkit_web_view_call_async_javascript_function_finish(web, result, &error) else {
                    if let error, error.pointee.domain == webkit_javascript_error_quark(),
                        error.pointee.code == gint(WEBKIT_JAVASCRIPT_ERROR_INVALID_RESULT.rawValue)
                    {
                        g_error_free(error)
                        throw UnsupportedResult()
                    }
                    throw EngineError(.script, message(of: error))
                }
                defer { g_object_unref(value) }
                return json(of: value)
            }
        }

        /// Runs scripts in the view's blank page, in a world that no page uses. The web process caches the parsed code
        /// for scripts with the same text.
        /// - Throws: `EngineError` with code `processEnded`, or `timedOut` after 5 seconds.
        public func precompile(_ sources: [String]) async throws {
            try await withLimit(Self.resetLimit, "a script did not end in the web process") { [self] in
                for source in sources { try await precompile(source) }
            }
        }

        private func precompile(_ source: String) async throws {
            try requireLife()
            try await GLibAsync.call(among: scriptCalls) { callback, data in
                webkit_web_view_evaluate_javascript(
                    web, source, -1, "containerkit-rehearsal", nil, nil, callback, data)
            } finish: { [web] result in
                let value = webkit_web_view_evaluate_javascript_finish(web, result, nil)
                if let value { g_object_unref(value) }
            }
        }

        /// Returns a picture of the visible part of the page, in pixels of the view's size.
        /// - Throws: `EngineError` with code `snapshot`, `pageGone` if the page was replaced meanwhile, or
        ///   `processEnded`.
        public func snapshot() async throws -> PageSnapshot {
            try requireLife()
            let pageNumber = pageNumber
            do {
                return try await picture()
            } catch let error as EngineError where error.code == .snapshot && pageNumber != self.pageNumber {
                throw Self.pageGone
            }
        }

        /// Returns when the web process has handled all earlier messages, including body data.
        ///
        /// The process handles messages in order, and this call sends a message that requires a reply. The call costs a
        /// round trip and runs no code of the page.
        func waitForPendingMessages() async throws {
            try requireLife()
            try await GLibAsync.call(among: viewCalls) { callback, data in
                webkit_web_view_can_execute_editing_command(web, "Copy", nil, callback, data)
            } finish: { [web] result in
                // The value of the reply is irrelevant.
                _ = webkit_web_view_can_execute_editing_command_finish(web, result, nil)
            }
        }

        private func picture() async throws -> PageSnapshot {
            try await GLibAsync.call(among: viewCalls) { callback, data in
                webkit_web_view_get_snapshot(
                    web, WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, nil, callback, data)
            } finish: { [web] result in
                var error: UnsafeMutablePointer<GError>?
                guard let surface = webkit_web_view_get_snapshot_finish(web, result, &error) else {
                    throw EngineError(.snapshot, message(of: error))
                }
                defer { cairo_surface_destroy(surface) }
                return try PageSnapshot(surface)
            }
        }

        /// Sets the user agent from the next load on. The settings belong to this view only.
        public func setUserAgent(_ agent: UserAgent) {
            guard !isDiscarded else { return }
            webkit_settings_set_user_agent(webkit_web_view_get_settings(web), agent.text(of: origin.userAgent))
        }

        /// Adds a script that runs in each page from the next load on, for the lifetime of the view.
        public func add(_ script: UserScript) {
            guard !isDiscarded else { return }
            let frames =
                script.inAllFrames ? WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES : WEBKIT_USER_CONTENT_INJECT_TOP_FRAME
            let time =
                script.time == .documentStart
                ? WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START : WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_END
            let places = script.places.isEmpty ? nil : g_strv_builder_new()
            for place in script.places { g_strv_builder_add(places, place) }
            let list = places.map { g_strv_builder_end($0) } ?? nil
            defer {
                if let places { g_strv_builder_unref(places) }
                g_strfreev(list)
            }
            let patterns = UnsafeRawPointer(list)?.assumingMemoryBound(to: UnsafePointer<gchar>?.self)
            let userScript =
                script.world.name.map {
                    webkit_user_script_new_for_world(script.source, frames, time, $0, patterns, nil)
                } ?? webkit_user_script_new(script.source, frames, time, patterns, nil)
            webkit_user_content_manager_add_script(contentManager, userScript)
            scriptCount += 1
            webkit_user_script_unref(userScript)
        }

        /// Sets the handler of `webkit.messageHandlers.<name>.postMessage(…)`, in the current page and in later pages.
        ///
        /// At most ``WebKitGTKEngine/Configuration-swift.struct/messageLimit`` messages wait for `handler`. The
        /// promises of further messages are rejected.
        /// - Throws: `EngineError` with code `handlerTaken` if the name is empty, or if another world has a handler
        ///   with this name, because the engine does not report the world of a message.
        public func setMessageHandler(
            named name: String, in world: ScriptWorld,
            _ handler: @escaping @MainActor (ScriptMessage) async throws -> String
        ) throws {
            try requireLife()
            guard !messageHandlers.contains(where: { $0.name == name && $0.world != world }) else {
                throw EngineError(.handlerTaken, "another script world has a handler with this name", at: name)
            }
            if let index = messageHandlers.firstIndex(where: { $0.name == name }) {
                messageHandlers.remove(at: index).stop("the handler was replaced")
            }
            messageHandlers.append(
                try ScriptMessageHandler(of: self, name: name, world: world, limit: messageLimit, answer: handler))
        }

        /// The names of the handlers with pending replies to the current document.
        public var pendingHandlers: Set<String> { Set(messageHandlers.filter(\.hasPendingReply).map(\.name)) }

        /// Loads and draws a blank page, so that the next page opens in a running, idle process. The blank page has no
        /// history entry.
        /// - Throws: `EngineError`, with code `timedOut` after 20 seconds.
        public func warmUp() async throws {
            try await warmUp(within: Self.warmUpLimit)
        }

        /// Loads and draws a blank page within a limit. The engine reports the end of the load about 20 ms before the
        /// page is drawn, and a page that opens before the drawing would wait for it.
        func warmUp(within limit: Duration) async throws {
            try await withLimit(limit, Self.noBlankPage) { [self] in
                try await showBlank()
                _ = try await evaluate(Self.drawing, in: .page)
            }
        }

        static let noBlankPage = "the web process did not show a blank page"

        /// A script that waits for two animation frames, so that all changes before the first are drawn. Without
        /// frames, as in a hidden window, it ends after 250 ms.
        private static let drawing = """
            await new Promise(done => {
                requestAnimationFrame(() => requestAnimationFrame(done));
                setTimeout(done, 250);
            });
            """

        /// Loads a blank page. The caller sets a time limit.
        func showBlank() async throws {
            try requireLife()
            defer { onSignal = nil }
            let (signals, continuation) = AsyncStream.makeStream(of: ViewSignal.self)
            onSignal = { continuation.yield($0) }
            cancelDocuments()
            location.recordLoad(for: "about:blank")
            // Unlike `about:blank`, a page that is loaded from a string has no history entry.
            webkit_web_view_load_html(web, "<!doctype html>", nil)
            for await signal in signals {
                switch signal {
                case .finished: return
                case .failed(_, let error): throw error
                case .processEnded(let reason): throw EngineError(.processEnded, reason)
                case .started, .committed, .stopped, .resource, .frameLoaded, .visibilityChanged: continue
                }
            }
            try Task.checkCancellation()
        }

        /// Ends the view, its page, its pending calls and its message replies. Further calls do nothing.
        public func discard() {
            guard !isDiscarded else { return }
            isDiscarded = true
            isAlive = false
            onSignal = nil
            for signals in signals { signals.disconnect() }
            signals.removeAll()
            endEnginePrompts()
            onPrompt = nil
            onDownload = nil
            dropPendingDownloads()
            if endsProcess { webkit_web_view_terminate_web_process(web) }
            promptResponder = nil
            formWait = nil
            endDocuments()
            for handler in messageHandlers { handler.stop("the view has ended") }
            messageHandlers.removeAll()
            endCalls()
            containerkit_view_leave_nothing(web)
            gtk_widget_destroy(window)
        }

        /// Ends the pending calls of a page or process that has ended.
        func endCalls() {
            scriptCalls.endAll(with: Self.viewEnded)
            viewCalls.endAll(with: Self.viewEnded)
        }

        /// Handles the replacement of the document by another document.
        func documentChanged() {
            pageNumber += 1
            scriptCalls.endAll(with: Self.pageGone)
            for handler in messageHandlers { handler.documentChanged() }
        }

        static let pageGone = EngineError(.pageGone, "another page replaced the page")
        static let viewEnded = EngineError(.processEnded, "the view has ended")

        func requireLife() throws {
            guard !isDiscarded, hasProcess else { throw Self.viewEnded }
        }

        var contentManager: UnsafeMutablePointer<WebKitUserContentManager> {
            webkit_web_view_get_user_content_manager(web)
        }

        /// The view's URL in the engine, which may be the URL of a navigation in progress.
        var engineURL: String {
            webkit_web_view_get_uri(web).map { String(cString: $0) } ?? ""
        }

        /// The URL of the main resource of the current document or of the navigation in progress; `nil` for a blank
        /// page.
        var mainResourceURL: String? {
            webkit_web_view_get_main_resource(web).flatMap { webkit_web_resource_get_uri($0) }
                .map { String(cString: $0) }
        }
    }

    extension ScriptWorld {
        /// The engine's name of the world; `nil` for the page's own.
        var name: String? {
            switch self {
            case .page: nil
            case .isolated(let name): name
            }
        }
    }

    /// Returns a JavaScript value as JSON; `null` if it has no JSON form.
    func json(of value: UnsafeMutablePointer<JSCValue>?) -> String {
        guard let value, jsc_value_is_undefined(value) == 0 else { return "null" }
        return consume(jsc_value_to_json(value, 0)) ?? "null"
    }
#endif
