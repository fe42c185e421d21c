// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Glibc

    /// The request methods of a view's document and of its navigation in progress. A reload must not send a body again.
    struct DocumentRequestState {
        /// A Boolean value that indicates whether the current document may have been requested with a body.
        private(set) var mayHaveBody = false
        /// A Boolean value that indicates whether the current document was certainly requested with a method other than
        /// GET.
        private(set) var isPosted = false
        private var isNavigating = false
        /// The URL of a request with a method other than GET, of the page or a frame.
        private(set) var postedURL: String?

        /// Records a navigation that was decided.
        mutating func recordNavigation(_ type: WebKitNavigationType, for url: String, isPost: Bool) {
            // A redirect to the same URL may use GET.
            if isPost { postedURL = url } else if postedURL == url { postedURL = nil }
            // The engine does not report the original method of a back-forward navigation. A reload has the method of
            // its document. Other navigations may belong to a frame, so they do not reset `isNavigating`.
            switch type {
            case WEBKIT_NAVIGATION_TYPE_FORM_SUBMITTED, WEBKIT_NAVIGATION_TYPE_FORM_RESUBMITTED,
                WEBKIT_NAVIGATION_TYPE_BACK_FORWARD:
                isNavigating = true
            case WEBKIT_NAVIGATION_TYPE_RELOAD: isNavigating = isNavigating || mayHaveBody
            default: break
            }
        }

        /// Records that a document of the app takes the place of the navigation. The app gives documents for GET only.
        mutating func recordGivenDocument() {
            isNavigating = false
        }

        mutating func commit(_ url: String) {
            (mayHaveBody, isPosted) = (isNavigating, postedURL == url)
            (isNavigating, postedURL) = (false, nil)
        }
    }

    // Reloads and error pages.
    extension WebKitGTKView {
        /// Reloads the document and replaces its history entry, in a new process if the web process has ended.
        ///
        /// If the engine might send a body again, the URL is loaded instead, with a new history entry. Measured: after
        /// the end of its process, WebKitGTK 2.50 sends a form again without confirmation.
        public func reload(_ url: String) {
            guard !isDiscarded else { return }
            guard given.directTask == nil, postForm == nil else { return load(url) }
            let isKnown = webkit_web_view_get_main_resource(web) != nil || !engineURL.isEmpty
            guard !requestState.mayHaveBody, isKnown || hasEntry else { return load(url) }
            location.recordLoad(for: url)
            proxyRetries = 0
            hasProcess = true
            given.isReload = true
            webkit_web_view_reload(web)
        }

        /// A Boolean value that indicates whether the current document was requested with a method other than GET. The
        /// engine does not report the method for documents of the back-forward list.
        public var isPosted: Bool { requestState.isPosted }

        /// Returns a Boolean value that indicates whether a form submission to the URL is in progress, in the page or a
        /// frame.
        public func isPosting(to url: String) -> Bool { requestState.postedURL == url }

        /// The last load that was requested, blank pages included.
        public var lastLoad: LoadToken? { location.lastLoad }

        /// A Boolean value that indicates whether the view was discarded or its window was closed.
        public var hasEnded: Bool { isDiscarded }

        /// Kills the web process, even if it does not respond.
        public func endProcess() {
            guard !isDiscarded, hasProcess else { return }
            webkit_web_view_terminate_web_process(web)
        }

        /// Shows a page in place of the document of a URL. Its origin is opaque, and its own URL is `about:blank`.
        ///
        /// The page replaces the history entry of the URL if the URL's load failed or the current document was
        /// reloaded. Otherwise it gets a new entry.
        public func showErrorPage(_ html: String, for url: String) {
            guard !isDiscarded else { return }
            cancelDocuments()
            location.recordLoad(for: url)
            hasProcess = true
            webkit_web_view_load_alternate_html(web, html, url, nil)
        }

        /// A Boolean value that indicates whether the current document has a history entry.
        private var hasEntry: Bool {
            webkit_back_forward_list_get_current_item(webkit_web_view_get_back_forward_list(web)) != nil
        }

        /// Records a navigation before the decision on it.
        func recordNavigation(_ decision: UnsafeMutablePointer<WebKitPolicyDecision>) {
            let action = webkit_navigation_policy_decision_get_navigation_action(decision.asNavigation)
            // Navigations of frames are included, except those into a named frame or window.
            guard webkit_navigation_action_get_frame_name(action) == nil else { return }
            let kind = webkit_navigation_action_get_navigation_type(action)
            let request = webkit_navigation_action_get_request(action)
            let url = request.flatMap { webkit_uri_request_get_uri($0) }.map { String(cString: $0) } ?? ""
            let method = request.flatMap { webkit_uri_request_get_http_method($0) }
            requestState.recordNavigation(kind, for: url, isPost: method.map { strcmp($0, "GET") != 0 } ?? false)
        }
    }
#endif
