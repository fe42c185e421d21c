// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport
public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation
    internal import Glibc
    internal import WebSyntax

    /// WebKitGTK 2.50 (GTK 3 API), driven by the facade.
    ///
    /// Needs a display, of which Xvfb is one, and a GLib main loop under Swift's main actor: make and use it inside of
    /// ``GLibMainLoop/run(_:)``. An engine serves one container at a time, and several one after the other.
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
        private let contentRules = ContentRuleStore()
        /// Whether any view was made: without one an engine whose storage is in memory holds nothing.
        var hasViews: Bool { lastViewID > 0 }
        let networkBarrier: NetworkBarrier
        private let languages: UserLanguages
        private var signals: GObjectSignals?
        /// Those that have not ended.
        private var downloads: [WebKitGTKDownload] = []

        /// Cookies of all views; they last where ``Storage/directory(path:)`` is the storage. Usable after the engine is gone.
        public let cookies: any EngineCookieStore

        /// The reason why web processes run without a sandbox although ``Sandbox/whenAvailable`` asks for one; otherwise
        /// `nil`.
        public let sandboxFault: EngineError?

        /// Makes sure that there is a display, for those who have work to do before they make an engine.
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
            return names.isEmpty ? "none is set" : "\(names.joined(separator: " and ")) cannot be opened"
        }

        /// - Throws: `EngineError` with code `noMainLoop` outside of a loop that turns, `noDisplay` without a display, or
        ///   `storage` where the folder for the data cannot be made, or `noSandbox` where the configuration requires a
        ///   sandbox and this system has none.
        public init(_ configuration: Configuration = Configuration()) throws {
            // Without the loop nothing of the engine would ever answer.
            guard GLibMainLoop.isTurning else {
                throw EngineError(.noMainLoop, "no GLib main loop turns here; make the engine inside GLibMainLoop.run")
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
            // Before the first process starts: later the engine ignores it.
            webkit_web_context_set_sandbox_enabled(context, configuration.sandbox == .off || fault != nil ? 0 : 1)
            languages.set(in: context)
            let cookies = WebKitGTKCookieStore(of: dataManager)
            if case .directory(let path) = configuration.storage { cookies.persist(in: path + "/data/cookies.sqlite") }
            self.cookies = cookies
            networkBarrier = NetworkBarrier {
                try await withLimit(.seconds(20), "the network process does not answer") {
                    try await cookies.askNetworkProcess()
                }
            }
            signals = GObjectSignals(of: context)
            connectDownloads()
        }

        /// Left to itself, the engine writes what pages save into the user's folder for downloads.
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
            // Measured: its network process, where downloads are made, knows no schemes of the app's.
            guard schemes[url.prefix { $0 != ":" }.lowercased()] == nil else {
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
            g_object_unref(context)
            g_object_unref(dataManager)
        }

        /// `WebKitGTK` and the version of the library that runs.
        public var name: String {
            "WebKitGTK \(webkit_get_major_version()).\(webkit_get_minor_version()).\(webkit_get_micro_version())"
        }

        /// The loopback proxy: pages keep their true origins, and nothing of them is bridged.
        public nonisolated static var standardMode: InterceptionMode { .loopbackProxy }

        /// What WebKitGTK 2.50 does by itself, as it was measured.
        public func traits(in mode: InterceptionMode) -> EngineTraits {
            switch mode {
            case .plain, .loopbackProxy, .loopbackServer:
                // A request over loopback is one of https: only which view asks is lost.
                return EngineTraits(
                    bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true,
                    caches: true, identifiesPage: false, acceptLanguage: nil)
            case .customScheme:
                // Measured: bodies with a Blob cannot be asked for, cookies do not exist, 3xx is not followed,
                // no OPTIONS is sent, encoded bytes are shown as they are, no languages are said.
                return EngineTraits(
                    bodies: .plain, keepsCookies: false, followsRedirects: false, preflights: false,
                    decodes: false, caches: false, identifiesPage: true, acceptLanguage: languages.field)
            }
        }

        /// Routes a custom scheme to `handler`; again, for one that has a handler, replaces that for the requests to come.
        /// - Throws: `EngineError` with code `schemeTaken` for a name that is no scheme of an app's, or one that was
        ///   registered with another security before: the engine cannot forget that.
        public func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) throws {
            guard Self.isFree(scheme.name) else {
                throw EngineError(.schemeTaken, "the engine keeps this scheme for itself", at: scheme.name)
            }
            if let registration = schemes[scheme.name] {
                guard registration.isSecure == scheme.isSecure else {
                    throw EngineError(.schemeTaken, "the scheme is known with another security", at: scheme.name)
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

        /// Whether a name is a URL scheme (RFC 3986, section 3.1, in lower case) that the engine leaves to an app.
        private static func isFree(_ scheme: String) -> Bool {
            let reserved: Set = [
                "about", "blob", "data", "file", "ftp", "http", "https", "javascript", "resource", "ws", "wss",
            ]
            return URLScheme.isLowercase(scheme) && !reserved.contains(scheme)
        }

        /// Creates a view that has not loaded anything. It may outlive the engine.
        /// - Throws: `EngineError` with code `noDisplay`.
        public func makeView() throws -> WebKitGTKView {
            try makeView(after: nil)
        }

        /// - Parameter predecessor: the view whose web process the new one takes over.
        private func makeView(after predecessor: WebKitGTKView?) throws -> WebKitGTKView {
            lastViewID += 1
            let view = try WebKitGTKView(
                id: ViewID(rawValue: lastViewID), after: predecessor, context: context, proxies: proxies,
                contentRules: contentRules, configuration
            ) { [weak self] view in
                guard let self else { throw EngineError(.processEnded, "the engine is gone") }
                return try makeView(after: view)
            }
            views.removeAll { $0.view == nil }
            views.append(WeakView(view: view))
            return view
        }

        /// Sends what the engine loads itself through a proxy, or with `nil` as at first, by the system's settings. Custom
        /// schemes do not use it.
        ///
        /// With credentials, prefer SOCKS5: it gets them with each connection, takes others up with the next, tells nobody
        /// else, and ends a load with code `cannotConnect` where they are wrong.
        ///
        /// Measured with an HTTP proxy (libsoup 3.2): once it has asked, libsoup sends them ahead of being asked, as
        /// `Proxy-Authorization`, and also inside of tunnels, to the servers behind them. A server behind a tunnel that
        /// answers 407 is taken for the proxy. A proxy that takes the place of another is told the old ones first, asks
        /// in the name of the old one, and is given up where its realm is another. Wrong ones end a load after 20
        /// attempts, or 100 where the proxy closes its connections, with code `cannotConnect` or `loadFailed`; after the
        /// latter, and where a load is stopped while the proxy asks, libsoup may have cancelled the authentication, and
        /// asks no more as long as the engine lives.
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
                // The engine would go on without a place for its data, and say nothing.
                for folder in [path + "/data", path + "/cache"] {
                    guard g_mkdir_with_parents(folder, 0o700) == 0 else {
                        throw EngineError(
                            .storage, "cannot make the folder: \(SystemError.lastReason)", at: folder)
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
