// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading
internal import SystemSupport
public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation
    internal import Glibc
    internal import WebSyntax

    /// The WebKitGTK 2.50 engine (GTK 3 API).
    ///
    /// It needs a display, for example Xvfb, and a GLib main loop that runs Swift's main actor: create and use it
    /// inside ``GLibMainLoop/run(_:)``. An engine serves one container at a time, and can serve several in sequence.
    ///
    /// Isolation: the main actor.
    @MainActor
    public final class WebKitGTKEngine: WebEngineDriver, EngineNetworking, EngineCaching {
        public var networking: any EngineNetworking { self }
        public var caching: any EngineCaching { self }
        let configuration: Configuration
        let context: UnsafeMutablePointer<WebKitWebContext>
        let dataManager: UnsafeMutablePointer<WebKitWebsiteDataManager>
        private var schemes: [String: SchemeRegistration] = [:]
        private var views: [WeakView] = []
        private var lastViewID: UInt64 = 0
        private let proxies = ProxyKeeper()
        public let systemProxies: (any ProxyResolving)?
        private let systemConditions = GIOConditions()
        /// The network, power and memory of the device, as NetworkManager and the monitors of GIO report them. The
        /// first report arrives shortly after the engine is created.
        ///
        /// The connection to the system bus is shared with the app. The engine clears its flag `exit-on-close`, so that
        /// the process outlives the bus.
        public var conditions: (any HostConditioning)? { systemConditions }
        private let contentRules = ContentRuleStore()
        /// A Boolean value that indicates whether a view was created. Before the first view, an engine with storage in
        /// memory has no data.
        var hasViews: Bool { lastViewID > 0 }
        let networkBarrier: NetworkBarrier
        private let languages: UserLanguages
        private var signals: GObjectSignals?
        /// The downloads that have not ended.
        private var downloads: [WebKitGTKDownload] = []

        /// The cookies of all views. They persist if the storage is ``Storage/directory(path:)``. The store remains
        /// usable after the engine is released.
        public let cookies: any EngineCookieStore

        /// The reason why web processes run without a sandbox although ``Sandbox/whenAvailable`` is set; otherwise
        /// `nil`.
        public let sandboxFault: EngineError?

        /// Checks that a display is available. An app can call this before it prepares an engine.
        /// - Throws: `EngineError` with code `noDisplay`.
        public static func checkDisplay() throws {
            guard gtk_init_check(nil, nil) != 0 else {
                throw EngineError(.noDisplay, "no display to draw on: \(Self.displayFault); run under xvfb-run -a")
            }
        }

        private static var displayFault: String {
            let names = ["WAYLAND_DISPLAY", "DISPLAY"].compactMap { (name: String) in
                getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : "\(name) \($0)" }
            }
            guard !names.isEmpty else { return "neither WAYLAND_DISPLAY nor DISPLAY is set" }
            return "\(names.joined(separator: " and ")) cannot be opened"
        }

        /// Creates an engine.
        /// - Throws: `EngineError` with code `noMainLoop` outside a running main loop, `noDisplay` without a display,
        ///   `storage` if the data folder cannot be created, or `noSandbox` if the configuration requires a sandbox and
        ///   the system has none.
        public init(_ configuration: Configuration = Configuration()) throws {
            // Without the main loop, no call to the engine would ever complete.
            guard GLibMainLoop.isTurning else {
                throw EngineError(.noMainLoop, "no GLib main loop runs here; create the engine inside GLibMainLoop.run")
            }
            try Self.checkDisplay()
            let fault =
                configuration.sandbox == .off
                ? nil : SandboxProbe().fault(environment: ProcessInfo.processInfo.environment)
            if let fault, configuration.sandbox == .required { throw fault }
            sandboxFault = fault
            self.configuration = configuration
            languages = UserLanguages(configuration.languages)
            dataManager = try Self.makeDataManager(configuration.storage)
            context = webkit_web_context_new_with_website_data_manager(dataManager)
            // The engine ignores this setting after the first process has started.
            webkit_web_context_set_sandbox_enabled(context, configuration.sandbox == .off || fault != nil ? 0 : 1)
            languages.set(in: context)
            systemProxies = GIOProxyResolver.system(ProcessInfo.processInfo.environment)
            let cookies = WebKitGTKCookieStore(of: dataManager)
            if case .directory(let path) = configuration.storage { cookies.persist(in: path + "/data/cookies.sqlite") }
            self.cookies = cookies
            networkBarrier = NetworkBarrier {
                try await withLimit(.seconds(20), "the network process did not respond") {
                    try await cookies.waitForNetworkProcess()
                }
            }
            signals = GObjectSignals(of: context)
            connectDownloads()
            systemConditions.start()
        }

        /// Connects to the start of downloads. Without a handler, the engine saves files to the user's download folder.
        private func connectDownloads() {
            let started: @convention(c) (gpointer, UnsafeMutablePointer<WebKitDownload>, gpointer?) -> Void = {
                _, download, data in
                MainActor.assumeIsolated {
                    guard let engine: WebKitGTKEngine = target(data) else { return webkit_download_cancel(download) }
                    engine.begin(download)
                }
            }
            signals?.connect("download-started", unsafeBitCast(started, to: GCallback.self), to: self)
        }

        private func begin(_ download: UnsafeMutablePointer<WebKitDownload>) {
            let url =
                webkit_download_get_request(download).flatMap { webkit_uri_request_get_uri($0) }
                .map { String(cString: $0) } ?? ""
            guard let view = view(showing: webkit_download_get_web_view(download)), view.onDownload != nil else {
                return webkit_download_cancel(download)
            }
            let isGesture = view.isUserGesture(for: url)
            // Measured: the network process, which performs downloads, does not support the custom schemes.
            guard schemes[url.prefix { $0 != ":" }.asciiLowercased] == nil else {
                webkit_download_cancel(download)
                view.onDownload?(.named(url: url, isUserGesture: isGesture))
                return
            }
            let begun = WebKitGTKDownload(download, url: url, isUserGesture: isGesture, in: view) { [weak self] ended in
                self?.downloads.removeAll { $0 === ended }
            }
            downloads.append(begun)
            view.pendingDownloads.append(begun)
        }

        isolated deinit {
            systemConditions.stop()
            g_object_unref(context)
            g_object_unref(dataManager)
        }

        /// `WebKitGTK` and the version of the loaded library.
        public var name: String {
            "WebKitGTK \(webkit_get_major_version()).\(webkit_get_minor_version()).\(webkit_get_micro_version())"
        }

        /// The loopback proxy. Pages keep their true origins and need no bridges.
        public nonisolated static var standardMode: InterceptionMode { .loopbackProxy }

        /// Returns the traits of WebKitGTK 2.50, as measured.
        public func traits(in mode: InterceptionMode) -> EngineTraits {
            switch mode {
            case .plain, .loopbackProxy, .loopbackServer:
                // A request over loopback is an https request. Only the identity of the view is lost.
                return EngineTraits(
                    bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true,
                    caches: true, identifiesPage: false, acceptLanguage: nil)
            case .document:
                // The traits of a plain page, except for the requests that the container makes in place of the engine:
                // those for documents, and those for the resources that it holds.
                return EngineTraits(
                    bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: false,
                    caches: false, identifiesPage: true, acceptLanguage: languages.field)
            case .customScheme, .httpsTakeover:
                // Measured for custom schemes: bodies with a Blob cannot be read, cookies do not exist, redirects (3xx)
                // are not followed, no OPTIONS requests are sent, encoded bytes are not decoded, and `Accept-Language`
                // is missing. The engine permits no handler on https.
                return EngineTraits(
                    bodies: .plain, keepsCookies: false, followsRedirects: false, preflights: false,
                    decodes: false, caches: false, identifiesPage: true, acceptLanguage: languages.field)
            }
        }

        /// Registers a handler for a custom scheme. A later call replaces the handler for subsequent requests.
        /// - Throws: `EngineError` with code `schemeTaken` if the name is not a valid custom scheme, or if the scheme
        ///   was registered with a different security setting, which the engine cannot change.
        public func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) throws {
            guard Self.isFree(scheme.name) else {
                throw EngineError(.schemeTaken, "the engine reserves this scheme", at: scheme.name)
            }
            if let registration = schemes[scheme.name] {
                guard registration.isSecure == scheme.isSecure else {
                    throw EngineError(.schemeTaken, "the scheme has another security setting", at: scheme.name)
                }
                registration.handler = handler
                return
            }
            let registration = SchemeRegistration(engine: self, isSecure: scheme.isSecure, handler: handler)
            schemes[scheme.name] = registration
            webkit_web_context_register_uri_scheme(
                context, scheme.name,
                { request, data in
                    guard let request, let registration = object(data, as: SchemeRegistration.self) else { return }
                    MainActor.assumeIsolated { registration.start(request) }
                }, Unmanaged.passRetained(registration).toOpaque(),
                { data in data.map { Unmanaged<SchemeRegistration>.fromOpaque($0).release() } })
            let security = webkit_web_context_get_security_manager(context)
            if scheme.isSecure {
                webkit_security_manager_register_uri_scheme_as_secure(security, scheme.name)
            }
            webkit_security_manager_register_uri_scheme_as_cors_enabled(security, scheme.name)
        }

        /// Returns a Boolean value that indicates whether a name is a lower-case URL scheme (RFC 3986, section 3.1)
        /// that the engine does not reserve.
        private static func isFree(_ scheme: String) -> Bool {
            let reserved: Set = [
                "about", "blob", "data", "file", "ftp", "http", "https", "javascript", "resource", "ws", "wss",
            ]
            return URLScheme.isLowercase(scheme) && !reserved.contains(scheme)
        }

        /// Creates a view that has not loaded anything. The view may outlive the engine.
        /// - Throws: `EngineError` with code `noDisplay`.
        public func makeView() throws -> WebKitGTKView {
            try makeView(after: nil)
        }

        /// - Parameter predecessor: the view whose web process the new view reuses.
        private func makeView(after predecessor: WebKitGTKView?) throws -> WebKitGTKView {
            lastViewID += 1
            let view = try WebKitGTKView(
                id: ViewID(rawValue: lastViewID), after: predecessor, context: context, proxies: proxies,
                contentRules: contentRules, configuration
            ) { [weak self] view in
                guard let self else { throw EngineError(.processEnded, "the engine was released") }
                return try makeView(after: view)
            }
            views.removeAll { $0.view == nil }
            views.append(WeakView(view: view))
            return view
        }

        /// Sends the engine's own requests through a proxy; `nil` restores the system's settings. Requests of custom
        /// schemes do not use the proxy.
        ///
        /// For a proxy with credentials, prefer SOCKS5. It receives the credentials with each connection, uses changed
        /// credentials from the next connection on, and does not disclose them to servers. With wrong credentials, a
        /// load ends with code `cannotConnect`.
        ///
        /// Measured with an HTTP proxy (libsoup 3.2):
        /// - After the first challenge, libsoup sends the credentials preemptively as `Proxy-Authorization`, also
        ///   inside tunnels, to the servers behind them. It treats a server behind a tunnel that responds with 407 as
        ///   the proxy.
        /// - After a change of the proxy, libsoup sends the old credentials to the new proxy first, and reports
        ///   challenges in the name of the old proxy. It gives up if the realm differs.
        /// - With wrong credentials, a load ends after 20 attempts, or 100 if the proxy closes its connections, with
        ///   code `cannotConnect` or `loadFailed`.
        /// - After `loadFailed`, and after a load that is stopped during a challenge, libsoup may have cancelled the
        ///   authentication. It then does not request credentials again for the lifetime of the engine.
        public func setProxy(_ proxy: EngineProxy?) {
            proxies.use(proxy)
            guard let proxy else {
                webkit_website_data_manager_set_network_proxy_settings(
                    dataManager, WEBKIT_NETWORK_PROXY_MODE_DEFAULT, nil)
                return
            }
            let builder = g_strv_builder_new()
            for exception in proxy.exceptions { g_strv_builder_add(builder, exception) }
            let exceptions = g_strv_builder_end(builder)
            g_strv_builder_unref(builder)
            defer { g_strfreev(exceptions) }
            let settings = webkit_network_proxy_settings_new(
                proxy.settingsURL,
                UnsafeRawPointer(exceptions)?.assumingMemoryBound(to: UnsafePointer<gchar>?.self))
            webkit_website_data_manager_set_network_proxy_settings(
                dataManager, WEBKIT_NETWORK_PROXY_MODE_CUSTOM, settings)
            webkit_network_proxy_settings_free(settings)
        }

        /// The proxy that was set last.
        public var proxy: EngineProxy? { proxies.proxy }

        /// SOCKS5, because WebKitGTK sends its credentials to the proxy only.
        public var proxyKind: EngineProxy.Kind { .socks5 }

        /// `true`: later requests use the setting, and those in progress are cancelled.
        public var isProxyReliable: Bool { true }

        func view(showing widget: UnsafeMutablePointer<WebKitWebView>?) -> WebKitGTKView? {
            guard let widget else { return nil }
            return views.lazy.compactMap(\.view).first { $0.web == widget && !$0.isDiscarded }
        }

        private static func makeDataManager(
            _ storage: Storage
        ) throws -> UnsafeMutablePointer<WebKitWebsiteDataManager> {
            switch storage {
            case .ephemeral:
                return webkit_website_data_manager_new_ephemeral()
            case .directory(let path):
                // Without these folders, the engine continues without storage and reports no error.
                for folder in [path + "/data", path + "/cache"] {
                    guard g_mkdir_with_parents(folder, 0o700) == 0 else {
                        throw EngineError(
                            .storage, "cannot create the folder: \(SystemError.lastReason)", at: folder)
                    }
                }
                return containerkit_data_manager_new(path + "/data", path + "/cache")
            }
        }

        private struct WeakView {
            weak var view: WebKitGTKView?
        }
    }
#endif
