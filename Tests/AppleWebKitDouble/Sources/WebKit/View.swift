// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_exported public import Foundation
@_exported public import FoundationNetworking

// Scripts/check-darwin compiles the double with UIKit or AppKit; on Linux it has a view and pictures of its own.
#if canImport(UIKit)
    @_exported public import UIKit

    // webkit/wkwebview, the superclass
    public typealias PlatformView = UIView
    // webkit/wkwebview/takesnapshot(with:completionhandler:), the picture
    public typealias PlatformImage = UIImage
#elseif canImport(AppKit)
    @_exported public import AppKit

    // webkit/wkwebview, the superclass
    public typealias PlatformView = NSView
    // webkit/wkwebview/takesnapshot(with:completionhandler:), the picture
    public typealias PlatformImage = NSImage
#else
    /// Stands for UIView and NSView.
    // webkit/wkwebview, the superclass
    @MainActor
    public class PlatformView: NSObject {
        // webkit/wkwebview, from UIView and NSView
        public var bounds: CGRect

        init(frame: CGRect) {
            bounds = CGRect(x: 0, y: 0, width: frame.width, height: frame.height)
        }
    }
#endif

// webkit/wkwebview [WKWebView]
@MainActor
public class WKWebView: PlatformView {
    static let blank: URL = {
        guard let url = URL(string: "about:blank") else { misuse("about:blank is not a URL") }
        return url
    }()
    private let ownConfiguration: WKWebViewConfiguration
    @_spi(Driver) public let page = PageDriver()

    // webkit/wkwebview/init(frame:configuration:) [WKWebView initWithFrame:configuration:]
    //
    // The view copies the configuration, as documented: later handlers have no effect.
    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        ownConfiguration = configuration.copied()
        super.init(frame: frame)
        page.view = self
    }

    #if canImport(UIKit) || canImport(AppKit)
        // webkit/wkwebview/init(coder:)
        public required init?(coder: NSCoder) { nil }
    #endif

    // webkit/wkwebview, from NSObject: believed, a released view stops its tasks and calls their handlers with the view
    // that ends. A device shows it by the release of a view with a task.
    isolated deinit { page.close(self) }

    // webkit/wkwebview/configuration [WKWebView configuration]
    public var configuration: WKWebViewConfiguration { ownConfiguration.copied() }
    // webkit/wkwebview/navigationdelegate [WKWebView navigationDelegate]
    public weak var navigationDelegate: (any WKNavigationDelegate)?
    // webkit/wkwebview/uidelegate [WKWebView UIDelegate]
    public weak var uiDelegate: (any WKUIDelegate)?
    // webkit/wkwebview/backforwardlist [WKWebView backForwardList]
    public var backForwardList: WKBackForwardList { page.list }
    // webkit/wkwebview/customuseragent [WKWebView customUserAgent]
    public var customUserAgent: String?
    // webkit/wkwebview/pagezoom [WKWebView pageZoom]
    public var pageZoom: CGFloat = 1
    // webkit/wkwebview/cameracapturestate [WKWebView cameraCaptureState]
    public var cameraCaptureState: WKMediaCaptureState { page.camera }
    // webkit/wkwebview/microphonecapturestate [WKWebView microphoneCaptureState]
    public var microphoneCaptureState: WKMediaCaptureState { page.microphone }

    // webkit/wkwebview/handlesurlscheme(_:) [WKWebView handlesURLScheme:]
    public static func handlesURLScheme(_ urlScheme: String) -> Bool {
        !hidesNativeSchemes && URLSchemes.native.contains(urlScheme.lowercased())
    }
    /// The switch that stands for an exchange of `handlesURLScheme` by the Objective-C runtime.
    @_spi(Driver) public static var hidesNativeSchemes = false
    /// A Boolean value that indicates whether the exchange fails, as in a WebKit without the method.
    @_spi(Driver) public static var refusesTakeover = false

    // webkit/wkwebview/url [WKWebView URL]
    //
    // Believed: the URL of a load of the app from its request on, otherwise of a provisional navigation, otherwise of
    // the document; `nil` after the end of the process. A device shows it by reads in the delegate's methods.
    public var url: URL? { page.activeURL }
    // webkit/wkwebview/title [WKWebView title]
    public var title: String? { page.title }
    // webkit/wkwebview/isloading [WKWebView isLoading]
    public var isLoading: Bool { page.navigation != nil }
    // webkit/wkwebview/estimatedprogress [WKWebView estimatedProgress]
    public var estimatedProgress: Double { page.progress }
    // webkit/wkwebview/cangoback [WKWebView canGoBack]
    public var canGoBack: Bool { page.list.backItem != nil }
    // webkit/wkwebview/cangoforward [WKWebView canGoForward]
    public var canGoForward: Bool { page.list.forwardItem != nil }

    // webkit/wkwebview/load(_:)-5siv6 [WKWebView loadRequest:]
    @discardableResult
    public func load(_ request: URLRequest) -> WKNavigation? { page.request(request, .other, .new) }

    // webkit/wkwebview/loadhtmlstring(_:baseurl:) [WKWebView loadHTMLString:baseURL:]
    //
    // Believed: the document has no entry in the back-forward list, and no base URL means about:blank. A device shows
    // it by the list after such a load.
    @discardableResult
    public func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? {
        let url = baseURL ?? Self.blank
        return page.request(URLRequest(url: url), .other, .none, (Self.html(at: url, string), Data(string.utf8)))
    }

    // webkit/wkwebview/loadsimulatedrequest(_:response:responsedata:)
    // [WKWebView loadSimulatedRequest:response:responseData:]
    //
    // "As if the data were the response to the request": believed, the list gets an entry, and a handler of the scheme
    // is not asked. A device shows it by the list and by the handler.
    @discardableResult
    public func loadSimulatedRequest(_ request: URLRequest, response: URLResponse, responseData data: Data)
        -> WKNavigation
    {
        page.request(request, .other, .new, (response, data))
    }

    // webkit/wkwebview/loadsimulatedrequest(_:responsehtml:) [WKWebView loadSimulatedRequest:responseHTMLString:]
    @discardableResult
    public func loadSimulatedRequest(_ request: URLRequest, responseHTML string: String) -> WKNavigation {
        let response = Self.html(at: request.url ?? Self.blank, string)
        return loadSimulatedRequest(request, response: response, responseData: Data(string.utf8))
    }

    private static func html(at url: URL, _ text: String) -> URLResponse {
        URLResponse(url: url, mimeType: "text/html", expectedContentLength: text.utf8.count, textEncodingName: "utf-8")
    }

    // webkit/wkwebview/go(to:) [WKWebView goToBackForwardListItem:]
    @discardableResult
    public func go(to item: WKBackForwardListItem) -> WKNavigation? {
        guard let index = page.list.items.firstIndex(where: { $0 === item }) else { return nil }
        return page.request(URLRequest(url: item.url), .backForward, .item(index))
    }
    // webkit/wkwebview/goback() [WKWebView goBack]
    @discardableResult
    public func goBack() -> WKNavigation? { page.list.backItem.flatMap { go(to: $0) } }
    // webkit/wkwebview/goforward() [WKWebView goForward]
    @discardableResult
    public func goForward() -> WKNavigation? { page.list.forwardItem.flatMap { go(to: $0) } }
    // webkit/wkwebview/reload() [WKWebView reload]
    //
    // Believed: `nil` without a document, and after the end of the process the current item of the list is loaded. A
    // device shows it by a reload after the end.
    @discardableResult
    public func reload() -> WKNavigation? {
        (page.documentURL ?? page.list.currentItem?.url).map { page.request(URLRequest(url: $0), .reload, .same) }
    }
    // webkit/wkwebview/reloadfromorigin() [WKWebView reloadFromOrigin]
    @discardableResult
    public func reloadFromOrigin() -> WKNavigation? { reload() }
    // webkit/wkwebview/stoploading() [WKWebView stopLoading]
    //
    // Believed: later, a load fails with `URLError.cancelled`, and tasks of the document are stopped. A device shows it
    // by a stop before and after the commit.
    public func stopLoading() {
        Task { page.stopLoading() }
    }

    // webkit/wkwebview/callasyncjavascript(_:arguments:in:contentworld:)
    // [WKWebView callAsyncJavaScript:arguments:inFrame:inContentWorld:completionHandler:]
    //
    // `undefined` is `nil`, `null` is NSNull.
    public func callAsyncJavaScript(
        _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
        contentWorld: WKContentWorld
    ) async throws -> Any? {
        try await page.call(
            PageScript(functionBody: functionBody, arguments: arguments, frame: frame, world: contentWorld))
    }
    // webkit/wkwebview/callasyncjavascript(_:arguments:in:in:completionhandler:)
    // [WKWebView callAsyncJavaScript:arguments:inFrame:inContentWorld:completionHandler:]
    public func callAsyncJavaScript(
        _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
        in contentWorld: WKContentWorld, completionHandler: (@MainActor (Result<Any, any Error>) -> Void)? = nil
    ) {
        let script = PageScript(functionBody: functionBody, arguments: arguments, frame: frame, world: contentWorld)
        Task { [page] in
            do {
                let value = try await page.call(script)
                completionHandler?(.success(value as Any))
            } catch {
                completionHandler?(.failure(error))
            }
        }
    }
}

// webkit/wkbackforwardlist [WKBackForwardList]
@MainActor
public class WKBackForwardList: NSObject {
    private(set) var items: [WKBackForwardListItem] = []
    private var index = -1

    // webkit/wkbackforwardlist/currentitem [WKBackForwardList currentItem]
    public var currentItem: WKBackForwardListItem? { item(at: 0) }
    // webkit/wkbackforwardlist/backitem [WKBackForwardList backItem]
    public var backItem: WKBackForwardListItem? { item(at: -1) }
    // webkit/wkbackforwardlist/forwarditem [WKBackForwardList forwardItem]
    public var forwardItem: WKBackForwardListItem? { item(at: 1) }
    // webkit/wkbackforwardlist/item(at:) [WKBackForwardList itemAtIndex:]
    public func item(at index: Int) -> WKBackForwardListItem? {
        items.indices.contains(self.index + index) ? items[self.index + index] : nil
    }
    // webkit/wkbackforwardlist/backlist [WKBackForwardList backList]
    public var backList: [WKBackForwardListItem] { Array(items.prefix(max(index, 0))) }
    // webkit/wkbackforwardlist/forwardlist [WKBackForwardList forwardList]
    public var forwardList: [WKBackForwardListItem] { Array(items.dropFirst(index + 1)) }

    /// Adds an item after the current one, in place of the items that follow it.
    func add(_ url: URL) {
        items.removeLast(items.count - index - 1)
        items.append(WKBackForwardListItem(url))
        index += 1
    }

    func move(to index: Int) { self.index = index }
}

// webkit/wkbackforwardlistitem [WKBackForwardListItem]
@MainActor
public class WKBackForwardListItem: NSObject {
    // webkit/wkbackforwardlistitem/url [WKBackForwardListItem URL]
    public let url: URL
    // webkit/wkbackforwardlistitem/title [WKBackForwardListItem title]
    public internal(set) var title: String?
    // webkit/wkbackforwardlistitem/initialurl [WKBackForwardListItem initialURL]
    public let initialURL: URL

    init(_ url: URL) { (self.url, initialURL) = (url, url) }
}

// webkit/wkerror [WKErrorDomain]
public struct WKError: Error, CustomNSError {
    // webkit/wkerror/code [WKErrorCode]
    public enum Code: Int, Sendable {
        case unknown = 1  // [WKErrorUnknown = 1]
        case webContentProcessTerminated = 2  // [WKErrorWebContentProcessTerminated = 2]
        case webViewInvalidated = 3  // [WKErrorWebViewInvalidated = 3]
        case javaScriptExceptionOccurred = 4  // [WKErrorJavaScriptExceptionOccurred = 4]
        case javaScriptResultTypeIsUnsupported = 5  // [WKErrorJavaScriptResultTypeIsUnsupported = 5]
        case contentRuleListStoreCompileFailed = 6  // [WKErrorContentRuleListStoreCompileFailed = 6]
        case javaScriptInvalidFrameTarget = 12  // [WKErrorJavaScriptInvalidFrameTarget = 12]
    }
    // webkit/wkerror/errordomain [WKErrorDomain]
    public static var errorDomain: String { "WKErrorDomain" }
    // webkit/wkerror/code-swift.property
    public let code: Code
    // webkit/wkerror, from CustomNSError
    public var errorCode: Int { code.rawValue }
    // webkit/wkerror, from CustomNSError
    public var errorUserInfo: [String: Any] { message.map { ["WKJavaScriptExceptionMessage": $0] } ?? [:] }
    private let message: String?

    /// - Parameter exception: the text of a JavaScript exception. Believed: its key in the user info is not public.
    @_spi(Driver) public init(_ code: Code, exception: String? = nil) { (self.code, message) = (code, exception) }
}
