// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// webkit/wkuidelegate [WKUIDelegate]
//
// All requirements are optional on the real system; see WKNavigationDelegate.
@MainActor
public protocol WKUIDelegate: NSObjectProtocol {
    // webkit/wkuidelegate/webview(_:createwebviewwith:for:windowfeatures:)
    // [WKUIDelegate webView:createWebViewWithConfiguration:forNavigationAction:windowFeatures:]
    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
    ) -> WKWebView?
    // webkit/wkuidelegate/webviewdidclose(_:) [WKUIDelegate webViewDidClose:]
    func webViewDidClose(_ webView: WKWebView)
    // webkit/wkuidelegate/webview(_:runjavascriptalertpanelwithmessage:initiatedbyframe:completionhandler:)
    // [WKUIDelegate webView:runJavaScriptAlertPanelWithMessage:initiatedByFrame:completionHandler:]
    func webView(
        _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable () -> Void)
    // webkit/wkuidelegate/webview(_:runjavascriptconfirmpanelwithmessage:initiatedbyframe:completionhandler:)
    // [WKUIDelegate webView:runJavaScriptConfirmPanelWithMessage:initiatedByFrame:completionHandler:]
    func webView(
        _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable (Bool) -> Void)
    // https://developer.apple.com/documentation/webkit/wkuidelegate/webview(_:runjavascripttextinputpanelwithprompt:defaulttext:initiatedbyframe:completionhandler:)
    // [WKUIDelegate webView:runJavaScriptTextInputPanelWithPrompt:defaultText:initiatedByFrame:completionHandler:]
    func webView(
        _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (String?) -> Void)
    // webkit/wkuidelegate/webview(_:requestmediacapturepermissionfor:initiatedbyframe:type:decisionhandler:)
    // [WKUIDelegate webView:requestMediaCapturePermissionForOrigin:initiatedByFrame:type:decisionHandler:]
    func webView(
        _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
        initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
        decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void)
}

// webkit/wkwindowfeatures [WKWindowFeatures]
@MainActor
public class WKWindowFeatures: NSObject {}

// webkit/wkmediacapturetype [WKMediaCaptureType]
public enum WKMediaCaptureType: Int, Sendable {
    case camera = 0  // [WKMediaCaptureTypeCamera = 0]
    case microphone = 1  // [WKMediaCaptureTypeMicrophone = 1]
    case cameraAndMicrophone = 2  // [WKMediaCaptureTypeCameraAndMicrophone = 2]
}

// webkit/wkmediacapturestate [WKMediaCaptureState]
public enum WKMediaCaptureState: Int, Sendable {
    case none = 0  // [WKMediaCaptureStateNone = 0]
    case active = 1  // [WKMediaCaptureStateActive = 1]
    case muted = 2  // [WKMediaCaptureStateMuted = 2]
}

// webkit/wkpermissiondecision [WKPermissionDecision]
public enum WKPermissionDecision: Int, Sendable {
    case prompt = 0  // [WKPermissionDecisionPrompt = 0]
    case grant = 1  // [WKPermissionDecisionGrant = 1]
    case deny = 2  // [WKPermissionDecisionDeny = 2]
}

@_spi(Driver)
extension PageDriver {
    /// Calls `alert`. Without a delegate the dialog ends at once, as documented.
    public func alert(_ message: String) async {
        guard let view, let delegate = view.uiDelegate else { return }
        await ask("runJavaScriptAlertPanelWithMessage") { (reply: Reply<Void>) in
            delegate.webView(view, runJavaScriptAlertPanelWithMessage: message, initiatedByFrame: frame()) {
                reply.call(())
            }
        }
    }

    /// Calls `confirm`. Without a delegate the user cancels, as documented.
    public func confirm(_ message: String) async -> Bool {
        guard let view, let delegate = view.uiDelegate else { return false }
        return await ask("runJavaScriptConfirmPanelWithMessage") { reply in
            delegate.webView(view, runJavaScriptConfirmPanelWithMessage: message, initiatedByFrame: frame()) {
                reply.call($0)
            }
        }
    }

    /// Calls `prompt`. Without a delegate the user cancels, as documented.
    public func prompt(_ text: String, default defaultText: String? = nil, inFrame: Bool = false) async -> String? {
        guard let view, let delegate = view.uiDelegate else { return nil }
        return await ask("runJavaScriptTextInputPanelWithPrompt") { reply in
            delegate.webView(
                view, runJavaScriptTextInputPanelWithPrompt: text, defaultText: defaultText,
                initiatedByFrame: frame(isMain: !inFrame)
            ) { reply.call($0) }
        }
    }

    /// Asks for a camera or a microphone. Without a delegate the system asks the user.
    public func requestCapture(_ type: WKMediaCaptureType) async -> WKPermissionDecision {
        guard let view, let delegate = view.uiDelegate else { return .prompt }
        return await ask("requestMediaCapturePermissionFor origin") { reply in
            delegate.webView(
                view, requestMediaCapturePermissionFor: frame().securityOrigin, initiatedByFrame: frame(), type: type
            ) { reply.call($0) }
        }
    }

    /// Opens a window by a script or a link. Documented: the delegate returns `nil`, or a view with the configuration
    /// that it got; WebKit loads the request there.
    public func openWindow(_ request: URLRequest, type: WKNavigationType = .other) -> WKWebView? {
        guard let view, let delegate = view.uiDelegate else { return nil }
        let configuration = view.configuration
        configuration.opener = view
        let action = WKNavigationAction(request, type, from: frame(), in: nil, isDownload: false)
        let opened = delegate.webView(
            view, createWebViewWith: configuration, for: action, windowFeatures: WKWindowFeatures())
        guard let opened else { return nil }
        guard opened !== view, opened.configuration.opener === view else {
            misuse("createWebViewWith returned a view that was not created with the given configuration")
        }
        opened.load(request)
        return opened
    }

    /// Calls `window.close`.
    public func closeWindow() {
        guard let view else { return }
        view.uiDelegate?.webViewDidClose(view)
    }
}
