// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import ContainerKit

    // Navigations with a body. The engine stops the loads of a document when the decision on its navigation is made.
    extension WebKitGTKView {
        typealias PostWait = @MainActor (_ url: String, _ contentType: String?) -> (@MainActor () async -> Void)?

        /// Asks about each navigation with a method other than GET, and holds the decision while the answer waits.
        public func holdPosts(
            _ wait: @escaping @MainActor (_ url: String, _ contentType: String?) -> (@MainActor () async -> Void)?
        ) {
            postWait = wait
        }

        /// The last handler of the signal: it gets the decisions that the others leave to the engine.
        func connectPosts(_ signals: GObjectSignals) {
            let decided:
                @convention(c) (
                    UnsafeMutablePointer<WebKitWebView>, UnsafeMutablePointer<WebKitPolicyDecision>,
                    WebKitPolicyDecisionType, gpointer?
                ) -> gboolean = { _, decision, type, data in
                    guard type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION else { return 0 }
                    return MainActor.assumeIsolated {
                        target(data, as: WebKitGTKView.self)?.holds(decision) == true ? 1 : 0
                    }
                }
            signals.connect("decide-policy", unsafeBitCast(decided, to: GCallback.self), to: self)
        }

        /// - Returns: whether the decision will be made later.
        private func holds(_ decision: UnsafeMutablePointer<WebKitPolicyDecision>) -> Bool {
            let navigation = UnsafeMutableRawPointer(decision)
                .assumingMemoryBound(to: WebKitNavigationPolicyDecision.self)
            guard let postWait, let action = webkit_navigation_policy_decision_get_navigation_action(navigation),
                let request = webkit_navigation_action_get_request(action),
                let url = webkit_uri_request_get_uri(request),
                let method = webkit_uri_request_get_http_method(request), String(cString: method) != "GET"
            else { return false }
            let type = webkit_uri_request_get_http_headers(request)
                .flatMap { soup_message_headers_get_one($0, "Content-Type") }
                .map { String(cString: $0) }
            guard let wait = postWait(String(cString: url), type) else { return false }
            g_object_ref(decision)
            Task {
                await wait()
                // Without effect if another navigation, or the end of the frame, has made the decision meanwhile.
                webkit_policy_decision_use(decision)
                g_object_unref(decision)
            }
            return true
        }
    }
#endif
