// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine
internal import WebSyntax

#if os(Linux)
    internal import CWebKitGTK

    // Prompts other than dialogs. The engine waits for the answers, except for new windows.
    extension WebKitGTKView {
        func connectEnginePrompts(_ signals: GObjectSignals) {
            let created:
                @convention(c) (UnsafeMutablePointer<WebKitWebView>, OpaquePointer, gpointer?) ->
                    UnsafeMutablePointer<GtkWidget>? = { _, action, data in
                        MainActor.assumeIsolated { target(data, as: WebKitGTKView.self)?.promptForNewWindow(action) }
                        return nil
                    }
            signals.connect("create", unsafeBitCast(created, to: GCallback.self), to: self)

            let onPermissionRequest:
                @convention(c) (UnsafeMutablePointer<WebKitWebView>, OpaquePointer, gpointer?) -> gboolean = {
                    _, request, data in
                    MainActor.assumeIsolated { target(data, as: WebKitGTKView.self)?.requestPermission(request) }
                    return 1
                }
            signals.connect("permission-request", unsafeBitCast(onPermissionRequest, to: GCallback.self), to: self)

            let decided:
                @convention(c) (
                    UnsafeMutablePointer<WebKitWebView>, UnsafeMutablePointer<WebKitPolicyDecision>,
                    WebKitPolicyDecisionType, gpointer?
                ) -> gboolean = { _, decision, type, data in
                    MainActor.assumeIsolated {
                        target(data, as: WebKitGTKView.self)?.handle(decision, type) == true ? 1 : 0
                    }
                }
            signals.connect("decide-policy", unsafeBitCast(decided, to: GCallback.self), to: self)
        }

        /// Sends a prompt to ``onPrompt``. Without a receiver, the prompt gets its safe answer.
        func put(_ prompt: EnginePrompt) {
            guard let onPrompt else { return prompt.answer(prompt.subject.safeAnswer) }
            openPrompts.removeAll { $0.prompt == nil }
            openPrompts.append(OpenPrompt(prompt: prompt))
            onPrompt(prompt)
        }

        /// Withdraws the open prompts. Call it when their page has ended or is about to end.
        func endEnginePrompts() {
            let open = openPrompts
            openPrompts.removeAll()
            for prompt in open { prompt.prompt?.withdraw() }
        }

        /// Sends a prompt for a new window. The receiver opens it; the engine opens no window.
        private func promptForNewWindow(_ action: OpaquePointer) {
            let isGesture = webkit_navigation_action_is_user_gesture(action) != 0
            put(EnginePrompt(.newWindow(url: Self.url(of: action), isUserGesture: isGesture)) { _ in })
        }

        // MARK: Navigations

        /// The schemes that the engine or the system handles itself.
        private static let schemesOfWeb: Set<String> = ["http", "https", "about", "blob", "data", "javascript"]

        /// Returns a Boolean value that indicates whether the view decides, now or later; otherwise the engine decides.
        private func handle(
            _ decision: UnsafeMutablePointer<WebKitPolicyDecision>, _ type: WebKitPolicyDecisionType
        ) -> Bool {
            guard type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION else { return decide(decision, type) }
            recordNavigation(decision)
            if let isDecided = submitPostForm(decision) { return isDecided }
            // Documents and forms are checked last, because they delay only decisions that the engine makes.
            return decide(decision, type) || answersNavigation(decision) || holdsForm(decision)
        }

        /// Returns a Boolean value that indicates whether a prompt or a download decides, now or later.
        private func decide(
            _ decision: UnsafeMutablePointer<WebKitPolicyDecision>, _ type: WebKitPolicyDecisionType
        ) -> Bool {
            if type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE { reportFrame(decision) }
            guard onPrompt != nil else { return false }
            switch type {
            case WEBKIT_POLICY_DECISION_TYPE_RESPONSE:
                let response = decision.asResponse
                if isSaved(response) { return true }
                guard webkit_response_policy_decision_is_main_frame_main_resource(response) != 0,
                    let url = webkit_uri_request_get_uri(webkit_response_policy_decision_get_request(response))
                else { return false }
                return decide(decision, by: .document(url: String(cString: url)))
            default:
                guard let action = webkit_navigation_policy_decision_get_navigation_action(decision.asNavigation)
                else { return false }
                let url = Self.url(of: action)
                let isGesture = webkit_navigation_action_is_user_gesture(action) != 0
                lastNavigation = (url, isGesture)
                guard !Self.schemesOfWeb.contains(url.prefix { $0 != ":" }.asciiLowercased) else { return false }
                return decide(decision, by: .otherScheme(url: url, isUserGesture: isGesture))
            }
        }

        /// Reports the document of a frame that the engine has loaded itself.
        private func reportFrame(_ decision: UnsafeMutablePointer<WebKitPolicyDecision>) {
            let response = decision.asResponse
            guard webkit_response_policy_decision_is_main_frame_main_resource(response) == 0,
                let text = webkit_uri_request_get_uri(webkit_response_policy_decision_get_request(response))
            else { return }
            let url = String(cString: text)
            given.pending[url] = nil
            if ["http", "https"].contains(url.prefix { $0 != ":" }) { onSignal?(.frameLoaded(url: url)) }
        }

        /// Decides by a prompt. If the answer is immediate, the decision is made inside the signal, and the engine's
        /// default applies to an allowed action.
        private func decide(
            _ decision: UnsafeMutablePointer<WebKitPolicyDecision>, by subject: EnginePrompt.Subject
        ) -> Bool {
            let state = PromptState()
            g_object_ref(decision)
            put(
                EnginePrompt(subject) { answer in
                    defer { g_object_unref(decision) }
                    if state.isInSignal {
                        state.answer = answer
                    } else {
                        Self.apply(decision, answer)
                    }
                })
            state.isInSignal = false
            guard let answer = state.answer else { return true }
            if answer == .no { webkit_policy_decision_ignore(decision) }
            return answer == .no
        }

        /// Applies an answer that arrives after the signal. Like the engine's default, it ignores a response of an
        /// unsupported media type.
        private static func apply(
            _ decision: UnsafeMutablePointer<WebKitPolicyDecision>, _ answer: EnginePrompt.Answer
        ) {
            guard answer != .no, webkit_response_policy_decision_is_mime_type_supported(decision.asResponse) != 0 else {
                return webkit_policy_decision_ignore(decision)
            }
            webkit_policy_decision_use(decision)
        }

        private static func url(of action: OpaquePointer) -> String {
            webkit_uri_request_get_uri(webkit_navigation_action_get_request(action)).map { String(cString: $0) } ?? ""
        }

        // MARK: Permissions

        private func requestPermission(_ request: OpaquePointer) {
            let object = UnsafeMutableRawPointer(request)
            g_object_ref(object)
            let (permissions, requester) = Self.requestedPermissions(of: request)
            put(
                EnginePrompt(.permission(permissions, requester: requester)) { answer in
                    if answer == .no {
                        webkit_permission_request_deny(request)
                    } else {
                        webkit_permission_request_allow(request)
                    }
                    g_object_unref(object)
                })
        }

        private static func requestedPermissions(of request: OpaquePointer) -> (Set<PagePermission>, requester: String?)
        {
            let instance = UnsafeMutableRawPointer(request)
            let isA = { (type: GType) in
                g_type_check_instance_is_a(instance.assumingMemoryBound(to: GTypeInstance.self), type) != 0
            }
            if isA(webkit_user_media_permission_request_get_type()) {
                let media = instance.assumingMemoryBound(to: WebKitUserMediaPermissionRequest.self)
                let wishes: [(PagePermission, gboolean)] = [
                    (.microphone, webkit_user_media_permission_is_for_audio_device(media)),
                    (.camera, webkit_user_media_permission_is_for_video_device(media)),
                    (.display, webkit_user_media_permission_is_for_display_device(media)),
                ]
                let permissions = Set(wishes.filter { $0.1 != 0 }.map(\.0))
                return (permissions.isEmpty ? [.other] : permissions, nil)
            }
            if isA(webkit_website_data_access_permission_request_get_type()) {
                let access = instance.assumingMemoryBound(to: WebKitWebsiteDataAccessPermissionRequest.self)
                let domain = webkit_website_data_access_permission_request_get_requesting_domain(access)
                return ([.storageAccess], domain.map { String(cString: $0) })
            }
            let kinds: [(GType, PagePermission)] = [
                (webkit_geolocation_permission_request_get_type(), .geolocation),
                (webkit_notification_permission_request_get_type(), .notifications),
                (webkit_clipboard_permission_request_get_type(), .clipboard),
                (webkit_device_info_permission_request_get_type(), .deviceNames),
                (webkit_pointer_lock_permission_request_get_type(), .pointerLock),
                (webkit_media_key_system_permission_request_get_type(), .mediaKeys),
            ]
            return ([kinds.first { isA($0.0) }?.1 ?? .other], nil)
        }
    }

    extension UnsafeMutablePointer<WebKitPolicyDecision> {
        var asNavigation: UnsafeMutablePointer<WebKitNavigationPolicyDecision> {
            UnsafeMutableRawPointer(self).assumingMemoryBound(to: WebKitNavigationPolicyDecision.self)
        }

        var asResponse: UnsafeMutablePointer<WebKitResponsePolicyDecision> {
            UnsafeMutableRawPointer(self).assumingMemoryBound(to: WebKitResponsePolicyDecision.self)
        }
    }

    /// A prompt that the view may have to withdraw. The receiver of the prompt owns it.
    struct OpenPrompt {
        weak var prompt: EnginePrompt?
    }

    /// The state of a prompt during the engine's signal, with the answer that arrived inside the signal.
    @MainActor
    final class PromptState {
        var isInSignal = true
        var answer: EnginePrompt.Answer?
    }
#endif
