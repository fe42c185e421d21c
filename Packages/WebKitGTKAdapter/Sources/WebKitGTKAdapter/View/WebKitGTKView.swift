// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation

    /// One view of WebKitGTK, in a web process of its own.
    ///
    /// It ends with ``discard()``, with its last reference, with ``reset()``, or when its window is closed, which is
    /// told as `ViewSignal.processEnded`. After that, calls that can throw throw `EngineError` with code
    /// `processEnded`, and the others do nothing. Isolation: the main actor.
    @MainActor
    public final class WebKitGTKView: EngineView, ViewLoading, ViewScripting, ViewPrompts, ViewDownloads, ViewRecovery,
        ViewSnapshots
    {
        public var loading: any ViewLoading { self }
        public var scripting: any ViewScripting { self }
        public var prompts: (any ViewPrompts)? { self }
        public var downloads: (any ViewDownloads)? { self }
        public var recovery: (any ViewRecovery)? { self }
        public var snapshots: (any ViewSnapshots)? { self }
        /// Counts up from one while the engine lives.
        public let id: ViewID
        /// Hears what happens, in order; `nil` by default, and again after ``warmUp()`` and ``discard()``. URLs are those of
        /// the documents, custom schemes included; the one of `started` is the page's own where the page took the way.
        public var onSignal: (@MainActor (ViewSignal) -> Void)?
        /// False once the web process, the window or the view ended; never true again, also where another load has
        /// brought a new process.
        public internal(set) var isAlive = true

        /// A reference of this object's own, so that it stays valid whoever destroys the widget.
        let web: UnsafeMutablePointer<WebKitWebView>
        var location = ViewLocation()
        /// The calls whose answer is the page's: they end with it.
        let scriptCalls = PendingCalls()
        /// The calls whose answer is the view's.
        let viewCalls = PendingCalls()
        private(set) var isDiscarded = false
        /// False while the web process has ended and no load has begun since.
        var hasProcess = true
        /// What the document that is there, and the one on its way, was asked for with.
        var asking = DocumentAsking()
        /// Counts the documents that this view showed.
        private var pageNumber = 0
        /// Whether the window is on the screen, and no icon; see ``isVisible``.
        var visibility = WindowVisibility()
        /// A reference of this object's own.
        private let window: UnsafeMutablePointer<GtkWidget>
        private let messageLimit: Int
        let proxies: ProxyKeeper
        let contentRules: ContentRuleStore
        /// The identifier of the content rules that the view has.
        var contentRuleID: String?
        /// How often in a row a proxy has refused what this view told it.
        var proxyRetries = 0
        var promptResponder: PromptResponder?
        /// The wait of navigations by forms; see ``holdForms(_:)``.
        var formWait: FormWait?
        /// Hears what the page asks; `nil` by default, and again after ``discard()``.
        public var onPrompt: (@MainActor (EnginePrompt) -> Void)?
        /// Hears what the page saves; `nil` by default, and again after ``discard()``.
        public var onDownload: (@MainActor (ViewDownload) -> Void)?
        /// Those of which nobody has heard yet.
        var pendingDownloads: [WebKitGTKDownload] = []
        /// The navigation that was asked for last, of the page or a frame.
        var lastNavigation: (url: String, isUserGesture: Bool)?
        /// The questions that have no answer yet.
        var openPrompts: [OpenPrompt] = []
        private var signals: [GObjectSignals] = []
        private(set) var messageHandlers: [ScriptMessageHandler] = []

        /// Makes the view that takes this one's place.
        let makeSuccessor: @MainActor (WebKitGTKView) throws -> WebKitGTKView
        /// What the engine said of the view before anyone changed something.
        let origin: ViewOrigin
        /// How many scripts run in each page.
        private(set) var scriptCount = 0
        /// Whether the web process is of no use any more, and ends with the view.
        var endsProcess = false

        /// How long a blank page may take to load in a new process.
        private static let warmUpLimit = Duration.seconds(20)

        /// - Parameters:
        ///   - predecessor: whose web process it takes over; `nil` for a process of its own.
        ///   - makeSuccessor: makes the view that takes this one's place.
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
            connectPolicy(loadSignals)
            connectEnginePrompts(loadSignals)
            connectForms(loadSignals)
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

        /// Starts to load a URL. Signals of the load before it, if one was under way, are not passed on any more.
        ///
        /// A URL that the engine refuses without an error, for its port, fails with code `blocked`.
        public func load(_ url: String) {
            guard !isDiscarded else { return }
            // A page that stands still would hold the next one up.
            endEnginePrompts()
            location.ask(for: url)
            proxyRetries = 0
            hasProcess = true
            webkit_web_view_load_uri(web, url)
        }

        /// Shows an empty document of an origin, without asking anyone for it.
        /// - Parameter origin: the URL of its root.
        func loadBlank(at origin: String) {
            guard !isDiscarded else { return }
            location.ask(for: origin)
            webkit_web_view_load_html(web, "<!doctype html>", origin)
        }

        /// Stops what is loading; a navigation without a document ends as `failed`, with code `loadFailed`.
        public func stopLoading() {
            guard !isDiscarded else { return }
            webkit_web_view_stop_loading(web)
            // The engine says nothing of a load that it had not begun with.
            if let url = location.giveUp() {
                onSignal?(.failed(url: url, error: EngineError(.loadFailed, "the load was stopped", at: url)))
            }
        }

        /// Runs the body of an asynchronous function in the page's document, with its promises awaited.
        /// - Returns: its result as JSON, `null` for `undefined`.
        /// - Throws: `EngineError` with code `script` where it throws or its result has no JSON form, `pageGone` as soon as
        ///   another document takes the place of the page's, `processEnded` where the view ends.
        public func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String {
            try requireLife()
            do {
                return try await result(of: functionBody, in: world)
            } catch is UnsupportedResult {
                // The engine says this too of a script whose process ended, before it tells of that.
                do {
                    _ = try await result(of: "return 1", in: world)
                } catch is UnsupportedResult {
                    throw Self.viewGone
                }
                throw EngineError(.script, "the result has no JSON form")
            }
        }

        /// A script's result cannot be sent.
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

        /// Runs scripts in the blank page that the view shows, in a world that no page has: the web process keeps what it has
        /// read of them, for scripts of the same text.
        /// - Throws: `EngineError` with code `processEnded`, or `timedOut` after 5 seconds.
        public func precompile(_ sources: [String]) async throws {
            try await withLimit(Self.resetLimit, "the web process does not end a script") { [self] in
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

        /// A picture of the visible part, in pixels of the view's size.
        /// - Throws: `EngineError` with code `snapshot`, `pageGone` where that is why, or `processEnded`.
        public func snapshot() async throws -> PageSnapshot {
            try requireLife()
            let pageNumber = pageNumber
            do {
                return try await picture()
            } catch let error as EngineError where error.code == .snapshot && pageNumber != self.pageNumber {
                throw Self.pageGone
            }
        }

        /// Returns once the page's process has taken in all that was sent to it before: messages to it, bodies among them,
        /// go one after the other, and this is one that it answers. Costs a round trip, and runs nothing in the page.
        func waitForPendingMessages() async throws {
            try requireLife()
            try await GLibAsync.call(among: viewCalls) { callback, data in
                webkit_web_view_can_execute_editing_command(web, "Copy", nil, callback, data)
            } finish: { [web] result in
                // Whether there is something to copy does not matter.
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

        /// What the view calls itself from the next load on. A view's settings are its own.
        public func setUserAgent(_ agent: UserAgent) {
            guard !isDiscarded else { return }
            webkit_settings_set_user_agent(webkit_web_view_get_settings(web), agent.text(of: origin.userAgent))
        }

        /// Adds a script that runs in each page from the next load on. It stays as long as the view.
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

        /// Answers `webkit.messageHandlers.<name>.postMessage(…)` in pages from the next load on, and in the one that is there.
        ///
        /// At most ``WebKitGTKEngine/Configuration-swift.struct/messageLimit`` messages wait for `handler`; the promise of
        /// one beyond that is rejected.
        /// - Throws: `EngineError` with code `handlerTaken` for an empty name, and where another world has a handler of
        ///   this name: the engine does not say which of them posted.
        public func setMessageHandler(
            named name: String, in world: ScriptWorld,
            _ handler: @escaping @MainActor (ScriptMessage) async throws -> String
        ) throws {
            try requireLife()
            guard !messageHandlers.contains(where: { $0.name == name && $0.world != world }) else {
                throw EngineError(.handlerTaken, "another script world has a handler of this name", at: name)
            }
            if let index = messageHandlers.firstIndex(where: { $0.name == name }) {
                messageHandlers.remove(at: index).stop("the handler was replaced")
            }
            messageHandlers.append(
                try ScriptMessageHandler(of: self, name: name, world: world, limit: messageLimit, answer: handler))
        }

        /// The names of the handlers that have messages of the view's document without an answer.
        public var pendingHandlers: Set<String> { Set(messageHandlers.filter(\.hasPendingReply).map(\.name)) }

        /// Loads a blank page and has it drawn, so that the next one opens in a process that runs and has nothing else to do.
        /// It is no page to go back to.
        /// - Throws: `EngineError`; code `timedOut` after 20 seconds.
        public func warmUp() async throws {
            try await warmUp(within: Self.warmUpLimit)
        }

        /// The engine says that the blank page is there some 20 ms before it is drawn: a page that is opened meanwhile waits
        /// for that.
        func warmUp(within limit: Duration) async throws {
            try await withLimit(limit, Self.noBlankPage) { [self] in
                try await showBlank()
                _ = try await evaluate(Self.drawing, in: .page)
            }
        }

        static let noBlankPage = "the web process shows no blank page"

        /// Returns when two frames were drawn, the second of them with what had changed before the first; after a quarter
        /// of a second where none is, as in a window that the system does not show.
        private static let drawing = """
            await new Promise(done => {
                requestAnimationFrame(() => requestAnimationFrame(done));
                setTimeout(done, 250);
            });
            """

        /// Loads a blank page. Give it a limit.
        func showBlank() async throws {
            try requireLife()
            defer { onSignal = nil }
            let (signals, continuation) = AsyncStream.makeStream(of: ViewSignal.self)
            onSignal = { continuation.yield($0) }
            location.ask(for: "about:blank")
            // Loaded from here, it has no place in the history, unlike `about:blank`.
            webkit_web_view_load_html(web, "<!doctype html>", nil)
            for await signal in signals {
                switch signal {
                case .finished: return
                case .failed(_, let error): throw error
                case .processEnded(let reason): throw EngineError(.processEnded, reason)
                case .started, .committed, .resource, .frameLoaded, .visibilityChanged: continue
                }
            }
            try Task.checkCancellation()
        }

        /// Ends the view: its page, the calls that wait for it and the answers to its messages. Again, it does nothing.
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
            for handler in messageHandlers { handler.stop("the view is gone") }
            messageHandlers.removeAll()
            endCalls()
            containerkit_view_leave_nothing(web)
            gtk_widget_destroy(window)
        }

        /// Ends the calls that wait for a page or a process that is gone.
        func endCalls() {
            scriptCalls.endAll(with: Self.viewGone)
            viewCalls.endAll(with: Self.viewGone)
        }

        /// Another document took the place of the one before.
        func documentChanged() {
            pageNumber += 1
            scriptCalls.endAll(with: Self.pageGone)
            for handler in messageHandlers { handler.documentChanged() }
        }

        static let pageGone = EngineError(.pageGone, "another page took the page's place")
        private static let viewGone = EngineError(.processEnded, "the view is gone")

        func requireLife() throws {
            guard !isDiscarded, hasProcess else { throw Self.viewGone }
        }

        var contentManager: UnsafeMutablePointer<WebKitUserContentManager> {
            webkit_web_view_get_user_content_manager(web)
        }

        /// The view's URL as the engine says, which may be one that it is still on its way to.
        var engineURL: String {
            webkit_web_view_get_uri(web).map { String(cString: $0) } ?? ""
        }

        /// The URL of the resource that the document came from, or the one on its way; a blank page has none.
        var mainResourceURL: String? {
            webkit_web_view_get_main_resource(web).flatMap { webkit_web_resource_get_uri($0) }
                .map { String(cString: $0) }
        }
    }

    extension ScriptWorld {
        /// The engine's name of a world; the page's own has none.
        var name: String? {
            switch self {
            case .page: nil
            case .isolated(let name): name
            }
        }
    }

    /// A value of JavaScript as JSON; `null` where it has no JSON form.
    func json(of value: UnsafeMutablePointer<JSCValue>?) -> String {
        guard let value, jsc_value_is_undefined(value) == 0 else { return "null" }
        return consume(jsc_value_to_json(value, 0)) ?? "null"
    }
#endif
