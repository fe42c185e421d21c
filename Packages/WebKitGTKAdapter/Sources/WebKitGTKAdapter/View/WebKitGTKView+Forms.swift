// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    // Form navigations. The engine stops the loads of a document when the decision on its navigation is made.
    extension WebKitGTKView {
        typealias FormWait = @MainActor (_ url: String) -> (@MainActor () async -> Void)?

        /// Sets a closure that can delay the decision on each form navigation.
        public func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?) {
            formWait = wait
        }

        /// Returns a Boolean value that indicates whether the decision on a navigation is made later.
        func holdsForm(_ decision: UnsafeMutablePointer<WebKitPolicyDecision>) -> Bool {
            // For a request on a custom scheme, WebKitGTK 2.50 reports neither the method nor the header fields.
            guard let formWait,
                let action = webkit_navigation_policy_decision_get_navigation_action(decision.asNavigation),
                webkit_navigation_action_get_navigation_type(action) == WEBKIT_NAVIGATION_TYPE_FORM_SUBMITTED,
                let url = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action)),
                let wait = formWait(String(cString: url))
            else { return false }
            g_object_ref(decision)
            Task {
                await wait()
                // This has no effect if another navigation or the end of the frame has already made the decision.
                webkit_policy_decision_use(decision)
                g_object_unref(decision)
            }
            return true
        }
    }
#endif
