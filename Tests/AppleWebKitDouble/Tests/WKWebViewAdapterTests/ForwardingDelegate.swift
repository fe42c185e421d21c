// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

/// A view whose delegates forward to prompts and downloads, as the adapter's view does.
@MainActor
final class ForwardingDelegate: NSObject {
    let prompts = WKWebViewPrompts { $0 == "app" }
    let downloads: WKWebViewDownloads
    let view: WKWebView
    private(set) var allowed: [Bool] = []
    var page: PageDriver { view.page }

    init(clock: any Clock<Duration> = ContinuousClock()) {
        let configuration = WKWebViewConfiguration()
        configuration.websiteDataStore = .nonPersistent()
        view = WKWebView(frame: .zero, configuration: configuration)
        let prompts = prompts
        downloads = WKWebViewDownloads(
            clock: clock, isHandled: { $0 == "app" }, isUserGesture: { prompts.isUserGesture(for: $0) },
            answer: { _ in (.cancelAuthenticationChallenge, nil) })
        super.init()
        view.navigationDelegate = self
        view.uiDelegate = self
    }

    /// Begins a navigation by the page.
    func navigate(
        _ text: String, _ type: WKNavigationType = .linkActivated, inFrame: Bool = false, isDownload: Bool = false
    ) throws -> PageNavigation {
        page.navigate(URLRequest(url: try makeURL(text)), type: type, inFrame: inFrame, isDownload: isDownload)
    }
}

/// - Throws: `URLError` if the text is not a URL.
func makeURL(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    return url
}

extension ForwardingDelegate: WKUIDelegate {
    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
    ) -> WKWebView? { prompts.openWindow(for: navigationAction) }
    func webViewDidClose(_ webView: WKWebView) { prompts.windowDidClose() }
    func webView(
        _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable () -> Void
    ) { prompts.alert(message, completionHandler) }
    func webView(
        _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable (Bool) -> Void
    ) { prompts.confirm(message, completionHandler) }
    func webView(
        _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (String?) -> Void
    ) { prompts.prompt(prompt, defaultText: defaultText, completionHandler) }
    func webView(
        _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
        initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
        decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
    ) { prompts.requestCapture(type, by: frame, decisionHandler) }
}

extension ForwardingDelegate: WKNavigationDelegate {
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    ) {
        prompts.decide(navigationAction) { [downloads] in
            self.allowed.append($0)
            decisionHandler($0 ? downloads.policy(for: navigationAction) ?? .allow : .cancel)
        }
    }
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void
    ) {
        if let policy = downloads.policy(for: navigationResponse) { return decisionHandler(policy) }
        prompts.decide(navigationResponse) { decisionHandler($0 ? .allow : .cancel) }
    }
    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {}
    func webView(_ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!) {}
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {}
    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {}
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {}
    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {}
    func webView(
        _ webView: WKWebView, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @MainActor @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { completionHandler(.performDefaultHandling, nil) }
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { prompts.withdrawAll() }
    func webView(_ webView: WKWebView, navigationAction: WKNavigationAction, didBecome download: WKDownload) {
        downloads.begin(download)
    }
    func webView(_ webView: WKWebView, navigationResponse: WKNavigationResponse, didBecome download: WKDownload) {
        downloads.begin(download)
    }
}

/// The sender of challenges, which WebKit does not use.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
