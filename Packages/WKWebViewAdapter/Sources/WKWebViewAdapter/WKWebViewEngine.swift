// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    public import ResourceLoading
    public import WebEngine
    internal import WebKit
    internal import WebSyntax

    /// The WebKit of Apple's systems, by the public API of WKWebView on iOS 17 and macOS 14.
    ///
    /// An engine serves one container at a time, and can serve several in sequence. A view may outlive its engine; its
    /// requests for custom schemes then fail.
    ///
    /// Isolation: the main actor.
    @MainActor
    public final class WKWebViewEngine: WebEngineDriver {
        let dataStore: WKWebsiteDataStore
        let networks: WKWebViewNetworking
        private let caches: WKWebViewCaching
        private let contentRules = ContentRuleStore()
        private let ownUserAgent = OwnUserAgent()
        private let allowsHTTPSTakeover: Bool
        private var schemes: [String: (isSecure: Bool, handler: SchemeHandler)] = [:]
        private var views: [WeakView] = []
        private var lastViewID: UInt64 = 0

        private let pathConditions = PathConditions()
        /// The network, power and memory of the device, as `NWPathMonitor`, `ProcessInfo` and Dispatch report them. The
        /// first report of the network arrives shortly after the engine is created.
        public var conditions: (any HostConditioning)? { pathConditions }
        /// The cookies of all views.
        public let cookies: any EngineCookieStore
        /// The proxy and the trusted certificates of the engine.
        public var networking: any EngineNetworking { networks }
        /// The HTTP cache, service workers and `caches` of the engine.
        public var caching: any EngineCaching { caches }

        /// Creates an engine.
        /// - Parameters:
        ///   - storage: the location of cookies, caches and page data; in memory by default.
        ///   - allowsHTTPSTakeover: a Boolean value that indicates whether the mode `httpsTakeover` is permitted;
        ///     `false` by default. It also needs the package trait `HTTPSTakeover`, and App Review may reject it.
        public init(storage: Storage = .ephemeral, allowsHTTPSTakeover: Bool = false) {
            self.allowsHTTPSTakeover = allowsHTTPSTakeover
            dataStore = storage.makeStore()
            networks = WKWebViewNetworking(dataStore)
            caches = WKWebViewCaching(dataStore)
            cookies = WKWebViewCookieStore(dataStore.httpCookieStore, isEphemeral: !dataStore.isPersistent)
        }

        /// `WKWebView` and the version of the operating system, to which the version of WebKit belongs.
        public var name: String {
            let version = ProcessInfo.processInfo.operatingSystemVersion
            return "WKWebView \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        }

        /// Document mode, because proxies need a proof at run time and an exception of App Transport Security.
        public nonisolated static var standardMode: InterceptionMode { .document }

        /// Returns the traits of WKWebView. The reasons are those of traits(in:acceptLanguage:).
        public func traits(in mode: InterceptionMode) -> EngineTraits {
            Self.traits(in: mode, acceptLanguage: Self.acceptLanguage(of: Locale.preferredLanguages))
        }

        /// Registers a handler for a custom scheme in the configurations of later views. A later call replaces the
        /// handler for subsequent requests of all views.
        ///
        /// WebKit has no insecure custom schemes: it treats the URLs of each handled scheme as potentially trustworthy
        /// (WebKit bug 223423), so that `CustomScheme.isSecure` has no effect on pages.
        ///
        /// A handler of `https` gets the https requests of all views that are created later.
        /// - Throws: `EngineError` with code `schemeTaken` if the name is not a scheme in lower case (RFC 3986, section
        ///   3.1), if WebKit handles the scheme itself, or if it was registered with a different security setting. For
        ///   `https` also if the trait or the flag of the takeover is missing.
        public func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) throws {
            guard WebSyntax.URLScheme.isLowercase(scheme.name) else {
                throw EngineError(.schemeTaken, "the name is not a URL scheme in lower case", at: scheme.name)
            }
            // WKWebViewConfiguration raises an exception for such a scheme.
            if scheme.name == HTTPSTakeover.scheme {
                try HTTPSTakeover.check(isAllowed: allowsHTTPSTakeover)
            } else if WKWebView.handlesURLScheme(scheme.name) {
                throw EngineError(.schemeTaken, "the engine reserves this scheme", at: scheme.name)
            }
            if let registered = schemes[scheme.name], registered.isSecure != scheme.isSecure {
                throw EngineError(.schemeTaken, "the scheme has another security setting", at: scheme.name)
            }
            schemes[scheme.name] = (scheme.isSecure, handler)
        }

        /// Creates a view that has not loaded anything. It has no window; see WKWebViewView/webView.
        public func makeView() throws -> WKWebViewView {
            let configuration = WKWebViewConfiguration()
            configuration.websiteDataStore = dataStore
            for name in schemes.keys {
                HTTPSTakeover.set(SchemeTaskRouter(name, of: self), for: name, in: configuration)
            }
            lastViewID += 1
            let web = WKWebView(frame: .zero, configuration: configuration)
            let parts = WKWebViewView.Shared(
                contentRules: contentRules, ownUserAgent: ownUserAgent, networking: networks)
            let view = WKWebViewView(id: ViewID(rawValue: lastViewID), web, parts) { [weak self] in
                guard let self else { throw EngineError(.processEnded, "the engine was released") }
                return try makeView()
            }
            views.removeAll { $0.view == nil }
            views.append(WeakView(view: view))
            return view
        }

        /// Returns the current handler of a scheme; `nil` if there is none.
        func handler(of scheme: String) -> SchemeHandler? { schemes[scheme]?.handler }

        /// Returns the view of a web view; `nil` after its end.
        func view(of web: WKWebView) -> WKWebViewView? {
            openViews.first { $0.webView === web }
        }

        /// The views that have not been released, in the order of their creation.
        var openViews: [WKWebViewView] { views.compactMap(\.view) }

        private struct WeakView {
            weak var view: WKWebViewView?
        }
    }
#endif
