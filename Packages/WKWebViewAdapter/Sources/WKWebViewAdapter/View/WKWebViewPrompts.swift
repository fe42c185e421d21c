// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine
    internal import WebKit
    internal import WebSyntax

    /// The prompts of a view, to which the delegates of the view forward their calls.
    ///
    /// Each completion handler is called exactly once: with the answer of the app, or with the safe answer if there is
    /// no receiver, the prompt is released, or the prompts are withdrawn.
    ///
    /// WebKit's public API has no prompts for `beforeunload`, geolocation, notifications, the clipboard, displays,
    /// pointer lock, protected media and storage access.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class WKWebViewPrompts: ViewPrompts {
        var onPrompt: (@MainActor (EnginePrompt) -> Void)?
        /// A closure that is called when a script has closed the window. WebKit leaves the page as it is.
        var onClose: (@MainActor () -> Void)?
        private let isHandled: @MainActor (String) -> Bool
        private var openPrompts: [OpenPrompt] = []
        private var responder: (prefix: String, answer: @MainActor (String) -> String)?
        private var lastNavigation: (url: String, isUserGesture: Bool)?
        private var hasEnded = false

        /// The schemes that the engine or the system handles itself.
        private static let schemesOfWeb: Set<String> = ["http", "https", "about", "blob", "data", "javascript"]

        /// A prompt that the view may have to withdraw. The receiver of the prompt owns it.
        private struct OpenPrompt {
            weak var prompt: EnginePrompt?
        }

        /// A Boolean value that indicates whether the app receives prompts or answers some of them.
        var hasReceivers: Bool { onPrompt != nil || responder != nil }

        /// - Parameter isHandled: a closure that returns `true` if the app has a handler for a scheme in lower case.
        init(isHandled: @escaping @MainActor (String) -> Bool) {
            self.isHandled = isHandled
        }

        /// Sends a prompt to ``onPrompt``. Without a receiver, the prompt gets its safe answer.
        private func send(
            _ subject: EnginePrompt.Subject, _ respond: @escaping @MainActor (EnginePrompt.Answer) -> Void
        ) {
            let prompt = EnginePrompt(subject, respond: respond)
            guard !hasEnded, let onPrompt else { return prompt.answer(subject.safeAnswer) }
            openPrompts.removeAll { $0.prompt == nil }
            openPrompts.append(OpenPrompt(prompt: prompt))
            onPrompt(prompt)
        }

        /// Withdraws the open prompts. Call it when their page or its process has ended.
        func withdrawAll() {
            let open = openPrompts
            openPrompts = []
            for prompt in open { prompt.prompt?.withdraw() }
        }

        /// Withdraws the open prompts and gives later ones their safe answers. Call it when the view ends.
        func end() {
            hasEnded = true
            (onPrompt, onClose, responder) = (nil, nil, nil)
            withdrawAll()
        }

        // MARK: Dialogs

        /// Forwards `runJavaScriptAlertPanelWithMessage`.
        func alert(_ message: String, _ completion: @escaping @MainActor @Sendable () -> Void) {
            let reply = CompletionGuard<Void>(otherwise: ()) { completion() }
            send(.dialog(.alert, message: message)) { _ in reply.complete(()) }
        }

        /// Forwards `runJavaScriptConfirmPanelWithMessage`.
        func confirm(_ message: String, _ completion: @escaping @MainActor @Sendable (Bool) -> Void) {
            let reply = CompletionGuard(otherwise: false, completion)
            send(.dialog(.confirm, message: message)) { reply.complete($0 != .no) }
        }

        /// Forwards `runJavaScriptTextInputPanelWithPrompt`.
        func prompt(
            _ message: String, defaultText: String?, _ completion: @escaping @MainActor @Sendable (String?) -> Void
        ) {
            let reply = CompletionGuard(otherwise: nil, completion)
            if let responder, message.hasPrefix(responder.prefix) { return reply.complete(responder.answer(message)) }
            let defaultText = defaultText ?? ""
            send(.dialog(.prompt(defaultText: defaultText), message: message)) { answer in
                switch answer {
                case .no: reply.complete(nil)
                case .yes: reply.complete(defaultText)
                case .text(let text): reply.complete(text)
                }
            }
        }

        /// Answers each `prompt(…)` call whose text begins with `prefix`, without a dialog. A later call replaces the
        /// prefix and the closure.
        func answerPrompts(startingWith prefix: String, _ answer: @escaping @MainActor (String) -> String) {
            guard !hasEnded else { return }
            responder = (prefix, answer)
        }

        // MARK: Permissions

        /// Forwards `requestMediaCapturePermissionFor`.
        func requestCapture(
            _ type: WKMediaCaptureType, by frame: WKFrameInfo,
            _ decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
        ) {
            let permissions: Set<PagePermission> =
                switch type {
                case .camera: [.camera]
                case .microphone: [.microphone]
                case .cameraAndMicrophone: [.camera, .microphone]
                @unknown default: [.other]
                }
            request(permissions, by: frame, decisionHandler)
        }

        /// Forwards `requestDeviceOrientationAndMotionPermissionFor`, which only iOS has.
        func requestDeviceMotion(
            by frame: WKFrameInfo, _ decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
        ) {
            request([.other], by: frame, decisionHandler)
        }

        private func request(
            _ permissions: Set<PagePermission>, by frame: WKFrameInfo,
            _ decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
        ) {
            let reply = CompletionGuard(otherwise: WKPermissionDecision.deny, decisionHandler)
            let requester = frame.isMainFrame ? nil : frame.securityOrigin.host
            send(.permission(permissions, requester: requester)) { reply.complete($0 == .no ? .deny : .grant) }
        }

        // MARK: Windows

        /// Forwards `createWebViewWith`. The receiver of the prompt opens the URL; the engine opens no window.
        /// - Returns: `nil`.
        func openWindow(for action: WKNavigationAction) -> WKWebView? {
            send(.newWindow(url: Self.url(of: action), isUserGesture: action.isProbablyUserGesture)) { _ in }
            return nil
        }

        /// Forwards `webViewDidClose`.
        func windowDidClose() { onClose?() }

        // MARK: Navigations

        /// Decides on the scheme of a navigation. Call it for each `decidePolicyFor navigationAction`, also if a
        /// download or the document mode decides on the policy.
        ///
        /// Web schemes are allowed. Without a receiver, schemes with a handler are allowed too, and other schemes are
        /// not.
        /// - Parameter completion: a closure that receives `true` for an allowed navigation.
        func decide(_ action: WKNavigationAction, _ completion: @escaping @MainActor @Sendable (Bool) -> Void) {
            let url = Self.url(of: action)
            let isUserGesture = action.isProbablyUserGesture
            lastNavigation = (url, isUserGesture)
            let scheme = url.prefix { $0 != ":" }.asciiLowercased
            guard !Self.schemesOfWeb.contains(scheme) else { return completion(true) }
            if onPrompt == nil, isHandled(scheme) { return completion(true) }
            let reply = CompletionGuard(otherwise: false, completion)
            send(.otherScheme(url: url, isUserGesture: isUserGesture)) { reply.complete($0 != .no) }
        }

        /// Decides on a response. Documents of frames, and documents without a receiver of prompts, are allowed.
        /// - Parameter completion: a closure that receives `true` for an allowed document.
        func decide(_ response: WKNavigationResponse, _ completion: @escaping @MainActor @Sendable (Bool) -> Void) {
            guard onPrompt != nil, response.isForMainFrame, let url = response.response.url?.absoluteString else {
                return completion(true)
            }
            let reply = CompletionGuard(otherwise: false, completion)
            send(.document(url: url)) { reply.complete($0 != .no) }
        }

        /// Returns a Boolean value that indicates whether a user gesture probably caused the navigation to a URL, if it
        /// was the last navigation.
        ///
        /// WebKit does not report gestures. Links and forms count as gestures, also if a script activates them;
        /// navigations by script do not count, also inside a gesture.
        func isUserGesture(for url: String) -> Bool {
            guard let lastNavigation, Self.bare(lastNavigation.url).hasSameBytes(as: Self.bare(url)) else {
                return false
            }
            return lastNavigation.isUserGesture
        }

        private static func bare(_ url: String) -> Substring { url.prefix { $0 != "#" } }

        private static func url(of action: WKNavigationAction) -> String { action.request.url?.absoluteString ?? "" }
    }

    extension WKNavigationAction {
        /// A Boolean value that indicates whether a link or a form caused the navigation.
        fileprivate var isProbablyUserGesture: Bool {
            switch navigationType {
            case .linkActivated, .formSubmitted, .formResubmitted: true
            default: false
            }
        }
    }
#endif
