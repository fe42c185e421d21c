// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// webkit/wknavigation [WKNavigation]
@MainActor
public class WKNavigation: NSObject {}

// webkit/wknavigationdelegate [WKNavigationDelegate]
//
// All requirements are optional on the real system. Here those that an adapter uses are required, so that a misspelt
// method does not compile.
@MainActor
public protocol WKNavigationDelegate: NSObjectProtocol {
    // webkit/wknavigationdelegate/webview(_:decidepolicyfor:decisionhandler:)-2ni62
    // [WKNavigationDelegate webView:decidePolicyForNavigationAction:decisionHandler:]
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void)
    // webkit/wknavigationdelegate/webview(_:decidepolicyfor:decisionhandler:)-19mn2
    // [WKNavigationDelegate webView:decidePolicyForNavigationResponse:decisionHandler:]
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void)
    // webkit/wknavigationdelegate/webview(_:didstartprovisionalnavigation:)
    // [WKNavigationDelegate webView:didStartProvisionalNavigation:]
    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!)
    // webkit/wknavigationdelegate/webview(_:didreceiveserverredirectforprovisionalnavigation:)
    // [WKNavigationDelegate webView:didReceiveServerRedirectForProvisionalNavigation:]
    func webView(_ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!)
    // webkit/wknavigationdelegate/webview(_:didfailprovisionalnavigation:witherror:)
    // [WKNavigationDelegate webView:didFailProvisionalNavigation:withError:]
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error)
    // webkit/wknavigationdelegate/webview(_:didcommit:) [WKNavigationDelegate webView:didCommitNavigation:]
    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!)
    // webkit/wknavigationdelegate/webview(_:didfinish:) [WKNavigationDelegate webView:didFinishNavigation:]
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!)
    // webkit/wknavigationdelegate/webview(_:didfail:witherror:)
    // [WKNavigationDelegate webView:didFailNavigation:withError:]
    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error)
    // webkit/wknavigationdelegate/webview(_:didreceive:completionhandler:)
    // [WKNavigationDelegate webView:didReceiveAuthenticationChallenge:completionHandler:]
    func webView(
        _ webView: WKWebView, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @MainActor @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    // webkit/wknavigationdelegate/webviewwebcontentprocessdidterminate(_:)
    // [WKNavigationDelegate webViewWebContentProcessDidTerminate:]
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
    // webkit/wknavigationdelegate/webview(_:navigationaction:didbecome:)
    // [WKNavigationDelegate webView:navigationAction:didBecomeDownload:]
    func webView(_ webView: WKWebView, navigationAction: WKNavigationAction, didBecome download: WKDownload)
    // webkit/wknavigationdelegate/webview(_:navigationresponse:didbecome:)
    // [WKNavigationDelegate webView:navigationResponse:didBecomeDownload:]
    func webView(_ webView: WKWebView, navigationResponse: WKNavigationResponse, didBecome download: WKDownload)
}

// webkit/wknavigationactionpolicy [WKNavigationActionPolicy]
public enum WKNavigationActionPolicy: Int, Sendable {
    case cancel = 0  // [WKNavigationActionPolicyCancel = 0]
    case allow = 1  // [WKNavigationActionPolicyAllow = 1]
    case download = 2  // [WKNavigationActionPolicyDownload = 2]
}

// webkit/wknavigationresponsepolicy [WKNavigationResponsePolicy]
public enum WKNavigationResponsePolicy: Int, Sendable {
    case cancel = 0  // [WKNavigationResponsePolicyCancel = 0]
    case allow = 1  // [WKNavigationResponsePolicyAllow = 1]
    case download = 2  // [WKNavigationResponsePolicyDownload = 2]
}

// webkit/wknavigationtype [WKNavigationType]
public enum WKNavigationType: Int, Sendable {
    case linkActivated = 0  // [WKNavigationTypeLinkActivated = 0]
    case formSubmitted = 1  // [WKNavigationTypeFormSubmitted = 1]
    case backForward = 2  // [WKNavigationTypeBackForward = 2]
    case reload = 3  // [WKNavigationTypeReload = 3]
    case formResubmitted = 4  // [WKNavigationTypeFormResubmitted = 4]
    case other = -1  // [WKNavigationTypeOther = -1]
}

// webkit/wknavigationaction [WKNavigationAction]
@MainActor
public class WKNavigationAction: NSObject {
    // webkit/wknavigationaction/sourceframe [WKNavigationAction sourceFrame]
    public let sourceFrame: WKFrameInfo
    // webkit/wknavigationaction/targetframe [WKNavigationAction targetFrame]
    public let targetFrame: WKFrameInfo?
    // webkit/wknavigationaction/navigationtype [WKNavigationAction navigationType]
    public let navigationType: WKNavigationType
    // webkit/wknavigationaction/request [WKNavigationAction request]
    public let request: URLRequest
    // webkit/wknavigationaction/shouldperformdownload [WKNavigationAction shouldPerformDownload]
    public let shouldPerformDownload: Bool

    init(
        _ request: URLRequest, _ type: WKNavigationType, from source: WKFrameInfo, in target: WKFrameInfo?,
        isDownload: Bool
    ) {
        (self.request, navigationType, sourceFrame, targetFrame) = (request, type, source, target)
        shouldPerformDownload = isDownload
    }
}

// webkit/wknavigationresponse [WKNavigationResponse]
@MainActor
public class WKNavigationResponse: NSObject {
    // webkit/wknavigationresponse/isformainframe [WKNavigationResponse isForMainFrame]
    public let isForMainFrame: Bool
    // webkit/wknavigationresponse/response [WKNavigationResponse response]
    public let response: URLResponse
    // webkit/wknavigationresponse/canshowmimetype [WKNavigationResponse canShowMIMEType]
    public let canShowMIMEType: Bool

    init(_ response: URLResponse, isForMainFrame: Bool, canShow: Bool) {
        (self.response, self.isForMainFrame, canShowMIMEType) = (response, isForMainFrame, canShow)
    }
}

// webkit/wkframeinfo [WKFrameInfo]
@MainActor
public class WKFrameInfo: NSObject {
    // webkit/wkframeinfo/ismainframe [WKFrameInfo isMainFrame]
    public let isMainFrame: Bool
    // webkit/wkframeinfo/request [WKFrameInfo request]
    public let request: URLRequest
    // webkit/wkframeinfo/securityorigin [WKFrameInfo securityOrigin]
    public let securityOrigin: WKSecurityOrigin
    // webkit/wkframeinfo/webview [WKFrameInfo webView]
    public private(set) weak var webView: WKWebView?

    init(_ url: URL?, isMainFrame: Bool, in view: WKWebView?) {
        self.isMainFrame = isMainFrame
        request = URLRequest(url: url ?? WKWebView.blank)
        securityOrigin = WKSecurityOrigin(url)
        webView = view
    }
}

// webkit/wksecurityorigin [WKSecurityOrigin]
@MainActor
public class WKSecurityOrigin: NSObject {
    // webkit/wksecurityorigin/protocol [WKSecurityOrigin protocol]
    public let `protocol`: String
    // webkit/wksecurityorigin/host [WKSecurityOrigin host]
    public let host: String
    // webkit/wksecurityorigin/port [WKSecurityOrigin port]
    //
    // The documented value for the default port is 0.
    public let port: Int

    /// Believed: the parts of an opaque origin are empty. A device shows it by a sandboxed frame.
    init(_ url: URL?) {
        let isOpaque = ["about", "data"].contains(url?.scheme)
        (self.protocol, host, port) = isOpaque ? ("", "", 0) : (url?.scheme ?? "", url?.host ?? "", url?.port ?? 0)
    }
}

/// A navigation of a page. A test, or ``run()``, performs its stages in their order.
@_spi(Driver)
@MainActor
public final class PageNavigation {
    /// The stages. `loading` begins with the provisional navigation.
    public enum Stage { case requested, allowed, loading, committed, ended }
    enum Entry { case new, same, none, item(Int) }

    public let navigation = WKNavigation()
    public private(set) var stage = Stage.requested
    public private(set) var request: URLRequest
    /// The task of the document, if a handler has its scheme.
    public private(set) var task: PageTask?
    /// The download that the navigation has become.
    public private(set) var download: PageDownload?
    /// The response and the body that the app has given in place of a load.
    public let simulated: (response: URLResponse, data: Data)?
    let entry: Entry
    private let action: WKNavigationAction
    private let page: PageDriver

    var isRunning: Bool { stage == .loading || stage == .committed }
    /// A Boolean value that indicates whether the app has requested the load.
    let isOfApp: Bool
    private var isInFrame: Bool { action.targetFrame?.isMainFrame == false }

    /// A Boolean value that indicates whether the navigation scrolls to a fragment of the document.
    ///
    /// Believed, from `FrameLoader::shouldPerformFragmentNavigation` in WebKit's sources: a load of the app and a
    /// simulated load scroll too, unless they have the URL of the current item. WebKit asks for the policy, and calls
    /// no other method of the delegate. A device shows it by a load of a fragment.
    private var isFragmentNavigation: Bool {
        guard !isInFrame, case .new = entry, let url = request.url, url.fragment != nil,
            let document = page.documentURL, (request.httpMethod ?? "GET") == "GET",
            action.navigationType != .reload, action.navigationType != .backForward
        else { return false }
        let texts = [url, document].map { $0.absoluteString.prefix { $0 != "#" } }
        return texts[0] == texts[1]
    }

    init(
        _ page: PageDriver, _ action: WKNavigationAction, _ entry: Entry,
        isOfApp: Bool, simulated: (response: URLResponse, data: Data)? = nil
    ) {
        (self.page, self.action, self.entry, self.simulated) = (page, action, entry, simulated)
        self.isOfApp = isOfApp
        request = action.request
    }

    private func advance(from stage: Stage, to next: Stage) {
        guard self.stage == stage else { misuse("the test drives a navigation in stage \(self.stage) as if \(stage)") }
        self.stage = next
    }

    /// Asks the delegate for the policy of the action. Without a delegate the navigation is allowed.
    ///
    /// Believed: `cancel` causes no further call. A device shows it by a delegate that cancels.
    @discardableResult
    public func decide() async -> WKNavigationActionPolicy {
        advance(from: .requested, to: .allowed)
        guard let view = page.view, let delegate = view.navigationDelegate else { return .allow }
        let policy = await page.ask("decidePolicyFor navigationAction") { reply in
            delegate.webView(view, decidePolicyFor: action) { reply.call($0) }
        }
        guard stage == .allowed else { return .cancel }
        if policy != .allow { end() }
        if policy == .download {
            let download = PageDownload(page, request)
            self.download = download
            delegate.webView(view, navigationAction: action, didBecome: download.download)
        }
        if policy == .allow, isFragmentNavigation {
            end()
            page.scroll(to: request.url)
        }
        return policy
    }

    /// Starts the provisional navigation, and the task of its document.
    ///
    /// Believed: a load that this one replaces then fails with `URLError.cancelled`, before or after its commit, and a
    /// navigation that has not started ends without a call. A device shows it by two loads in a row.
    public func start() {
        guard let view = page.view, stage == .allowed, !isInFrame else { return }
        page.failReplaced()
        advance(from: .allowed, to: .loading)
        page.progress = 0.1
        view.navigationDelegate?.webView(view, didStartProvisionalNavigation: navigation)
        guard stage == .loading, simulated == nil else { return }
        task = page.startTask(request)
    }

    /// Redirects the provisional navigation. WebKit has no redirects for scheme tasks in its public API.
    public func redirect(to url: URL) {
        guard let view = page.view, stage == .loading else { return }
        guard task == nil else { misuse("the test redirects a URL scheme task") }
        request.url = url
        view.navigationDelegate?.webView(view, didReceiveServerRedirectForProvisionalNavigation: navigation)
    }

    /// Asks the delegate for the policy of the response. Without a delegate a response is allowed if its type can be
    /// shown.
    ///
    /// Believed: `cancel` and `download` fail the provisional navigation with WebKitErrorDomain 102. A device shows it
    /// by a delegate that cancels.
    @discardableResult
    public func respond(_ response: URLResponse, canShow: Bool = true) async -> WKNavigationResponsePolicy {
        guard let view = page.view else { return .cancel }
        let standard: WKNavigationResponsePolicy = canShow ? .allow : .cancel
        guard let delegate = view.navigationDelegate else { return standard }
        let value = WKNavigationResponse(response, isForMainFrame: !isInFrame, canShow: canShow)
        let policy = await page.ask("decidePolicyFor navigationResponse") { reply in
            delegate.webView(view, decidePolicyFor: value) { reply.call($0) }
        }
        guard policy != .allow, stage != .ended else { return policy }
        if policy == .download {
            let download = PageDownload(page, request)
            self.download = download
            delegate.webView(view, navigationResponse: value, didBecome: download.download)
        }
        fail(NSError(domain: "WebKitErrorDomain", code: 102))
        return policy
    }

    /// Commits the document: it replaces the old one with its tasks and scripts.
    public func commit() {
        guard let view = page.view else { return }
        advance(from: .loading, to: .committed)
        page.commit(self)
        view.navigationDelegate?.webView(view, didCommit: navigation)
    }

    /// Ends the load of the committed document.
    public func finish() {
        guard let view = page.view else { return }
        advance(from: .committed, to: .ended)
        page.progress = 1
        page.remove(self)
        view.navigationDelegate?.webView(view, didFinish: navigation)
    }

    /// Fails the load, before or after the commit.
    public func fail(_ error: any Error) {
        let wasCommitted = stage == .committed
        let wasLoading = stage == .loading
        end()
        guard let view = page.view else { return }
        if wasCommitted { view.navigationDelegate?.webView(view, didFail: navigation, withError: error) }
        if wasLoading {
            view.navigationDelegate?.webView(view, didFailProvisionalNavigation: navigation, withError: error)
        }
    }

    /// Ends the navigation without a call of the delegate.
    func end() {
        stage = .ended
        if let view = page.view { task?.stop(in: view) }
        page.remove(self)
    }

    /// Performs all stages, as the task, the simulated response, or an empty document of the network requires.
    public func run() async {
        // Another load may have replaced the navigation already.
        guard stage == .requested, await decide() == .allow else { return }
        start()
        await task?.waitForResponse()
        guard stage == .loading else { return }
        if case .failed(let error) = task?.end, task?.responses.isEmpty == true { return fail(error) }
        let html = URLResponse(
            url: request.url ?? WKWebView.blank, mimeType: "text/html", expectedContentLength: 0, textEncodingName: nil)
        guard await respond(task?.responses.last ?? simulated?.response ?? html) == .allow, stage == .loading
        else { return }
        commit()
        await task?.waitForEnd()
        guard stage == .committed else { return }
        if case .failed(let error) = task?.end { fail(error) } else { finish() }
    }
}
