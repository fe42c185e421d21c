// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    // Navigations by forms. The engine stops the loads of a document as soon as the decision on its navigation is made.
    extension WebKitGTKView {
        typealias FormWait = @MainActor (_ url: String) -> (@MainActor () async -> Void)?

        /// Asks about each navigation by a form, and holds the decision while the answer waits.
        public func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?) {
            formWait = wait
        }

        /// The last handler of the signal: it gets the decisions that the others leave to the engine.
        func connectForms(_ signals: GObjectSignals) {
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
            // Of a request on a custom scheme, WebKitGTK 2.50 gives neither method nor header fields.
            guard let formWait, let action = webkit_navigation_policy_decision_get_navigation_action(navigation),
                webkit_navigation_action_get_navigation_type(action) == WEBKIT_NAVIGATION_TYPE_FORM_SUBMITTED,
                let url = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action)),
                let wait = formWait(String(cString: url))
            else { return false }
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
