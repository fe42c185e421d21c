// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
@_spi(Driver) import WebKit

/// A delegate of all kinds that records its calls. A closure that a test sets answers the completion handlers.
@MainActor
final class RecordingDelegate: NSObject {
    var calls: [String] = []
    typealias Reply<Value> = @MainActor @Sendable (Value) -> Void
    var onAction: @MainActor (WKNavigationAction, @escaping Reply<WKNavigationActionPolicy>) -> Void = { $1(.allow) }
    var onResponse: @MainActor (WKNavigationResponse, @escaping Reply<WKNavigationResponsePolicy>) -> Void = {
        $1(.allow)
    }
    var onChallenge:
        (
            @MainActor (@escaping @MainActor @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void) ->
                Void
        ) = {
            $0(.performDefaultHandling, nil)
        }
    var onWindow: (@MainActor (WKWebViewConfiguration) -> WKWebView?) = { _ in nil }
    var onAlert: (@MainActor (@escaping @MainActor @Sendable () -> Void) -> Void) = { $0() }
    var onConfirm: (@MainActor (@escaping @MainActor @Sendable (Bool) -> Void) -> Void) = { $0(true) }
    var onPrompt: (@MainActor (String?, WKFrameInfo, @escaping @MainActor @Sendable (String?) -> Void) -> Void) = {
        $2($0)
    }
    var onCapture: (@MainActor (@escaping @MainActor @Sendable (WKPermissionDecision) -> Void) -> Void) = { $0(.deny) }
    var onDestination: (@MainActor (@escaping @MainActor @Sendable (URL?) -> Void) -> Void) = { $0(nil) }
    var downloads: [WKDownload] = []
    var actions: [WKNavigationAction] = []
    var errors: [any Error] = []
}

extension RecordingDelegate: WKNavigationDelegate {
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    ) {
        calls.append("action")
        actions.append(navigationAction)
        onAction(navigationAction, decisionHandler)
    }
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void
    ) {
        calls.append("response")
        onResponse(navigationResponse, decisionHandler)
    }
    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
        calls.append("start")
    }
    func webView(_ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!) {
        calls.append("redirect")
    }
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        calls.append("failProvisional")
        errors.append(error)
    }
    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) { calls.append("commit") }
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { calls.append("finish") }
    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
        calls.append("fail")
        errors.append(error)
    }
    func webView(
        _ webView: WKWebView, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @MainActor @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { onChallenge(completionHandler) }
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { calls.append("terminate") }
    func webView(_ webView: WKWebView, navigationAction: WKNavigationAction, didBecome download: WKDownload) {
        become(download)
    }
    func webView(_ webView: WKWebView, navigationResponse: WKNavigationResponse, didBecome download: WKDownload) {
        become(download)
    }
    private func become(_ download: WKDownload) {
        calls.append("download")
        downloads.append(download)
        download.delegate = self
    }
}

extension RecordingDelegate: WKUIDelegate {
    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
    ) -> WKWebView? {
        actions.append(navigationAction)
        return onWindow(configuration)
    }
    func webViewDidClose(_ webView: WKWebView) { calls.append("close") }
    func webView(
        _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable () -> Void
    ) { onAlert(completionHandler) }
    func webView(
        _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable (Bool) -> Void
    ) { onConfirm(completionHandler) }
    func webView(
        _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (String?) -> Void
    ) { onPrompt(defaultText, frame, completionHandler) }
    func webView(
        _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
        initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
        decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
    ) { onCapture(decisionHandler) }
}

extension RecordingDelegate: WKDownloadDelegate {
    func download(
        _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String,
        completionHandler: @escaping @MainActor @Sendable (URL?) -> Void
    ) { onDestination(completionHandler) }
    func download(
        _ download: WKDownload, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @MainActor @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { onChallenge(completionHandler) }
    func downloadDidFinish(_ download: WKDownload) { calls.append("downloaded") }
    func download(_ download: WKDownload, didFailWithError error: any Error, resumeData: Data?) {
        calls.append("downloadFailed")
        errors.append(error)
    }
}

/// A scheme handler that records its tasks and gives none of them a response by itself.
@MainActor
final class RecordingHandler: NSObject, WKURLSchemeHandler {
    var started: [any WKURLSchemeTask] = []
    var stopped: [any WKURLSchemeTask] = []
    var onStart: (@MainActor (any WKURLSchemeTask) -> Void)?

    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
        started.append(urlSchemeTask)
        onStart?(urlSchemeTask)
    }
    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) { stopped.append(urlSchemeTask) }
}

/// A handler of script messages that records them, and passes each reply handler to a closure.
@MainActor
final class MessageHandler: NSObject, WKScriptMessageHandlerWithReply, WKScriptMessageHandler {
    var messages: [WKScriptMessage] = []
    var onReply: (@MainActor (Any, @escaping @MainActor @Sendable (Any?, String?) -> Void) -> Void) = { $1($0, nil) }

    func userContentController(_ userContentController: WKUserContentController, didReceive message: WKScriptMessage) {
        messages.append(message)
    }
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
        replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void
    ) {
        messages.append(message)
        onReply(message.body, replyHandler)
    }
}

/// A view with a scheme handler for `app` and a delegate.
@MainActor
struct Setup {
    let handler = RecordingHandler()
    let delegate = RecordingDelegate()
    let view: WKWebView
    var page: PageDriver { view.page }

    init() {
        let configuration = WKWebViewConfiguration()
        configuration.websiteDataStore = .nonPersistent()
        configuration.setURLSchemeHandler(handler, forURLScheme: "app")
        view = WKWebView(frame: .zero, configuration: configuration)
        view.navigationDelegate = delegate
        view.uiDelegate = delegate
    }

    /// Starts a task and returns the handler's side of it.
    func startTask() -> any WKURLSchemeTask {
        page.startTask(request("app://a.example/data"))
        return handler.started[handler.started.count - 1]
    }

    func navigation() -> PageNavigation { page.navigate(request("https://a.example/")) }
}

func url(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: text) }

func request(_ text: String) -> URLRequest { URLRequest(url: url(text)) }

func response(_ text: String = "app://a.example/") -> URLResponse {
    URLResponse(url: url(text), mimeType: "text/html", expectedContentLength: -1, textEncodingName: nil)
}

func challenge() -> URLAuthenticationChallenge {
    let space = URLProtectionSpace(
        host: "a.example", port: 443, protocol: "https", realm: nil,
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    return URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
        sender: ChallengeSender())
}

private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
