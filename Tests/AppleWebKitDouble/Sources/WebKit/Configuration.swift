// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// webkit/wkwebviewconfiguration [WKWebViewConfiguration]
@MainActor
public class WKWebViewConfiguration: NSObject, NSCopying {
    private var controller: WKUserContentController?
    private var dataStore: WKWebsiteDataStore?
    private var pagePreferences: WKWebpagePreferences?
    private var viewPreferences: WKPreferences?
    private var handlers: [String: any WKURLSchemeHandler] = [:]
    /// The view whose page opens a window with this configuration. Copies keep it.
    weak var opener: WKWebView?

    // webkit/wkwebviewconfiguration, from NSObject
    public nonisolated override init() {
        MainActor.preconditionIsolated()
        super.init()
    }

    // webkit/wkwebviewconfiguration, from NSCopying. Believed: a copy shares controller, data store and preferences,
    // and has page preferences and handlers of its own. A device shows it by changes of a copy.
    public nonisolated func copy(with zone: NSZone? = nil) -> Any {
        MainActor.preconditionIsolated()
        return MainActor.assumeIsolated { copied() }
    }

    func copied() -> WKWebViewConfiguration {
        let copy = WKWebViewConfiguration()
        copy.controller = userContentController
        copy.dataStore = websiteDataStore
        copy.viewPreferences = preferences
        copy.pagePreferences = defaultWebpagePreferences.copied()
        copy.handlers = handlers
        copy.opener = opener
        copy.applicationNameForUserAgent = applicationNameForUserAgent
        return copy
    }

    // webkit/wkwebviewconfiguration/usercontentcontroller [WKWebViewConfiguration userContentController]
    public var userContentController: WKUserContentController {
        get { lazy(&controller) { WKUserContentController() } }
        set { controller = newValue }
    }
    // webkit/wkwebviewconfiguration/websitedatastore [WKWebViewConfiguration websiteDataStore]
    public var websiteDataStore: WKWebsiteDataStore {
        get { lazy(&dataStore) { .default() } }
        set { dataStore = newValue }
    }
    // webkit/wkwebviewconfiguration/preferences [WKWebViewConfiguration preferences]
    public var preferences: WKPreferences {
        get { lazy(&viewPreferences) { WKPreferences() } }
        set { viewPreferences = newValue }
    }
    // webkit/wkwebviewconfiguration/defaultwebpagepreferences [WKWebViewConfiguration defaultWebpagePreferences]
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public var defaultWebpagePreferences: WKWebpagePreferences! {
        get { lazy(&pagePreferences) { WKWebpagePreferences() } }
        set { pagePreferences = newValue?.copied() }
    }
    // webkit/wkwebviewconfiguration/applicationnameforuseragent [WKWebViewConfiguration applicationNameForUserAgent]
    public var applicationNameForUserAgent: String?

    // webkit/wkwebviewconfiguration/seturlschemehandler(_:forurlscheme:)
    // [WKWebViewConfiguration setURLSchemeHandler:forURLScheme:]
    public func setURLSchemeHandler(_ urlSchemeHandler: (any WKURLSchemeHandler)?, forURLScheme urlScheme: String) {
        guard !WKWebView.handlesURLScheme(urlScheme) else { misuse("'\(urlScheme)' is a URL scheme of WebKit itself") }
        guard let scheme = URLSchemes.canonical(urlScheme) else { misuse("'\(urlScheme)' is not a valid URL scheme") }
        guard handlers[scheme] == nil else { misuse("the URL scheme '\(scheme)' already has a handler") }
        handlers[scheme] = urlSchemeHandler
    }

    // webkit/wkwebviewconfiguration/urlschemehandler(forurlscheme:)
    // [WKWebViewConfiguration urlSchemeHandlerForURLScheme:]
    public func urlSchemeHandler(forURLScheme urlScheme: String) -> (any WKURLSchemeHandler)? {
        URLSchemes.canonical(urlScheme).flatMap { handlers[$0] }
    }

    private func lazy<Value>(_ value: inout Value?, _ make: () -> Value) -> Value {
        let made = value ?? make()
        value = made
        return made
    }
}

// webkit/wkpreferences [WKPreferences]
@MainActor
public class WKPreferences: NSObject {
    // webkit/wkpreferences/javascriptcanopenwindowsautomatically
    // [WKPreferences javaScriptCanOpenWindowsAutomatically]
    //
    // The documented default is false on iOS and true on macOS.
    public var javaScriptCanOpenWindowsAutomatically = false
}

// webkit/wkwebpagepreferences [WKWebpagePreferences]
@MainActor
public class WKWebpagePreferences: NSObject {
    // webkit/wkwebpagepreferences/allowscontentjavascript [WKWebpagePreferences allowsContentJavaScript]
    public var allowsContentJavaScript = true

    func copied() -> WKWebpagePreferences {
        let copy = WKWebpagePreferences()
        copy.allowsContentJavaScript = allowsContentJavaScript
        return copy
    }
}

enum URLSchemes {
    /// The schemes that WebKit loads itself. Believed, from `LegacySchemeRegistry`: a device shows it by
    /// `handlesURLScheme` of each name.
    static let native: Set<String> = [
        "about", "applewebdata", "blob", "data", "file", "ftp", "http", "https", "javascript", "webkit-fake-url", "ws",
        "wss",
    ]

    /// Returns a scheme in lower case; `nil` if it is not one (RFC 3986, section 3.1).
    static func canonical(_ scheme: String) -> String? {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let lower = scheme.lowercased()
        guard let first = lower.utf8.first, letters.contains(first) else { return nil }
        let isValid = lower.utf8.allSatisfy {
            letters.contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
        }
        return isValid ? lower : nil
    }
}
