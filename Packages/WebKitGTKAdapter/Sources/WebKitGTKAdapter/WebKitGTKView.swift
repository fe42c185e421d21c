// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    public import ContainerKit
    internal import FoundationEssentials

    /// One view of WebKitGTK, in a web process of its own.
    ///
    /// Isolation: the main actor.
    @MainActor
    public final class WebKitGTKView: EngineView {
        public let id: ViewID
        public var onSignal: (@MainActor (ViewSignal) -> Void)?
        public internal(set) var isAlive = true

        let web: UnsafeMutablePointer<WebKitWebView>
        /// The URL that the view is on its way to; `nil` once the document has begun to arrive.
        var navigatingTo: String?
        private let window: UnsafeMutablePointer<GtkWidget>
        private var signals: GObjectSignals?
        private var messageHandlers: [ScriptMessageHandler] = []

        /// How long a blank page may take to load.
        private static let warmUpLimit = Duration.seconds(20)

        init(
            id: ViewID, context: UnsafeMutablePointer<WebKitWebContext>, _ configuration: WebKitGTKEngine.Configuration
        ) throws {
            guard let widget = webkit_web_view_new_with_context(context),
                let window = configuration.presentation == .offscreen
                    ? gtk_offscreen_window_new() : gtk_window_new(GTK_WINDOW_TOPLEVEL)
            else { throw EngineError(.noDisplay, "the engine cannot create a view") }
            self.id = id
            self.window = window
            web = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: WebKitWebView.self)
            gtk_window_set_default_size(
                UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self),
                gint(configuration.viewSize.width),
                gint(configuration.viewSize.height))
            webkit_settings_set_hardware_acceleration_policy(
                webkit_web_view_get_settings(web),
                configuration.usesHardwareAcceleration
                    ? WEBKIT_HARDWARE_ACCELERATION_POLICY_ALWAYS : WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER)
            gtk_container_add(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkContainer.self), widget)
            gtk_widget_show_all(window)
            let signals = GObjectSignals(of: web, to: self)
            connectLoadSignals(signals)
            self.signals = signals
        }

        isolated deinit {
            discard()
        }

        public func load(_ url: String) {
            navigatingTo = url
            webkit_web_view_load_uri(web, url)
        }

        public func stopLoading() {
            webkit_web_view_stop_loading(web)
        }

        public func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String {
            guard isAlive else { throw EngineError(.processEnded, "the view is gone") }
            return try await GLibAsync.call { callback, data in
                webkit_web_view_call_async_javascript_function(
                    web, functionBody, -1, nil, world.name, nil, nil, callback, data)
            } finish: { [web] result in
                var error: UnsafeMutablePointer<GError>?
                guard let value = webkit_web_view_call_async_javascript_function_finish(web, result, &error) else {
                    throw EngineError(.script, message(of: error))
                }
                defer { g_object_unref(value) }
                return json(of: value)
            }
        }

        public func snapshot() async throws -> PageSnapshot {
            guard isAlive else { throw EngineError(.processEnded, "the view is gone") }
            return try await GLibAsync.call { callback, data in
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

        public func add(_ script: UserScript) {
            let frames =
                script.inAllFrames ? WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES : WEBKIT_USER_CONTENT_INJECT_TOP_FRAME
            let time =
                script.time == .documentStart
                ? WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START : WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_END
            let userScript =
                script.world.name.map {
                    webkit_user_script_new_for_world(script.source, frames, time, $0, nil, nil)
                } ?? webkit_user_script_new(script.source, frames, time, nil, nil)
            webkit_user_content_manager_add_script(contentManager, userScript)
            webkit_user_script_unref(userScript)
        }

        public func setMessageHandler(
            named name: String, in world: ScriptWorld,
            _ handler: @escaping @MainActor (ScriptMessage) async throws -> String
        ) {
            messageHandlers.removeAll { $0.name == name && $0.world == world }
            messageHandlers.append(ScriptMessageHandler(of: self, name: name, world: world, answer: handler))
        }

        public func warmUp() async throws {
            defer { onSignal = nil }
            try await withLimit(Self.warmUpLimit) { [self] in
                let (signals, continuation) = AsyncStream.makeStream(of: ViewSignal.self)
                onSignal = { continuation.yield($0) }
                load("about:blank")
                for await signal in signals {
                    switch signal {
                    case .finished: return
                    case .failed(_, let error): throw error
                    case .processEnded(let reason): throw EngineError(.processEnded, reason)
                    case .started, .committed, .resource: continue
                    }
                }
            }
        }

        /// Always throws: this engine keeps sessionStorage with the view, and a reset that is proven to leave
        /// nothing behind is not there yet. A used view is ended instead.
        public func reset() async throws {
            throw EngineError(.script, "a used view is not lent again")
        }

        public func discard() {
            guard signals != nil else { return }
            isAlive = false
            onSignal = nil
            signals = nil
            messageHandlers.removeAll()
            gtk_widget_destroy(window)
        }

        /// Whether `url` is the document that this view is on its way to.
        func isNavigating(to url: String) -> Bool {
            navigatingTo.map { $0.prefix { $0 != "#" } == url.prefix { $0 != "#" } } ?? false
        }

        var contentManager: UnsafeMutablePointer<WebKitUserContentManager> {
            webkit_web_view_get_user_content_manager(web)
        }

        var documentURL: String {
            webkit_web_view_get_uri(web).map { String(cString: $0) } ?? ""
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
        return take(jsc_value_to_json(value, 0)) ?? "null"
    }
#endif
