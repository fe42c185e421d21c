// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebKit

    /// A closure that receives the answer to a challenge of a server or a proxy.
    typealias ChallengeReply = @MainActor @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    /// The delegate of one web view. It passes each call to its view, and gives the safe answer if the view has ended.
    ///
    /// The view retains this object, and this object references the view weakly. The web view retains no delegate.
    final class ViewDelegate: NSObject, WKNavigationDelegate, WKUIDelegate {
        weak var view: WKWebViewView?

        // MARK: Navigation

        func webView(
            _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
            decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
        ) {
            guard let view else { return decisionHandler(.cancel) }
            view.decide(navigationAction, decisionHandler)
        }

        func webView(
            _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
            decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void
        ) {
            guard let view else { return decisionHandler(.cancel) }
            view.decide(navigationResponse, decisionHandler)
        }

        func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
            view?.started(navigation)
        }

        func webView(
            _ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!
        ) { view?.redirected(navigation) }

        func webView(
            _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
        ) { view?.failed(navigation, error, isCommitted: false) }

        func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) { view?.committed(navigation) }

        func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { view?.finished(navigation) }

        func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
            view?.failed(navigation, error, isCommitted: true)
        }

        func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { view?.processEnded() }

        func webView(
            _ webView: WKWebView, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping ChallengeReply
        ) {
            guard let view else { return completionHandler(.cancelAuthenticationChallenge, nil) }
            let (disposition, credential) = view.shared.networking.answer(to: challenge)
            completionHandler(disposition, credential)
        }

        // MARK: Downloads

        func webView(_ webView: WKWebView, navigationAction: WKNavigationAction, didBecome download: WKDownload) {
            begin(download)
        }

        func webView(_ webView: WKWebView, navigationResponse: WKNavigationResponse, didBecome download: WKDownload) {
            begin(download)
        }

        private func begin(_ download: WKDownload) {
            guard let view else { return download.cancel(nil) }
            view.engineDownloads.begin(download)
        }

        // MARK: Prompts

        func webView(
            _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
            for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
        ) -> WKWebView? { view?.enginePrompts.openWindow(for: navigationAction) }

        func webViewDidClose(_ webView: WKWebView) { view?.enginePrompts.windowDidClose() }

        func webView(
            _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
            initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable () -> Void
        ) {
            guard let view else { return completionHandler() }
            view.enginePrompts.alert(message, completionHandler)
        }

        func webView(
            _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
            initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (Bool) -> Void
        ) {
            guard let view else { return completionHandler(false) }
            view.enginePrompts.confirm(message, completionHandler)
        }

        func webView(
            _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
            initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (String?) -> Void
        ) {
            guard let view else { return completionHandler(nil) }
            view.enginePrompts.prompt(prompt, defaultText: defaultText, completionHandler)
        }

        func webView(
            _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
            initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
            decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
        ) {
            guard let view else { return decisionHandler(.deny) }
            view.enginePrompts.requestCapture(type, by: frame, decisionHandler)
        }

        // On Linux only `Scripts/check-darwin` type-checks it.
        #if os(iOS)
            func webView(
                _ webView: WKWebView, requestDeviceOrientationAndMotionPermissionFor origin: WKSecurityOrigin,
                initiatedByFrame frame: WKFrameInfo,
                decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
            ) {
                guard let view else { return decisionHandler(.deny) }
                view.enginePrompts.requestDeviceMotion(by: frame, decisionHandler)
            }
        #endif
    }
#endif
