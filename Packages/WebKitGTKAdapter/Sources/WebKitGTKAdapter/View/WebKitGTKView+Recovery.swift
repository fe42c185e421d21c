// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Glibc

    /// Whether a view's document may have been asked for with a body, which a reload would send again. A value.
    struct DocumentAsking {
        private(set) var mayHaveBody = false
        /// Whether it certainly was.
        private(set) var isPosted = false
        private var isOnWay = false
        /// Where a request with another method than GET leads, of the page or a frame.
        private(set) var postedURL: String?

        /// A navigation was decided on.
        mutating func ask(_ type: WebKitNavigationType, for url: String, isPost: Bool) {
            // A redirect from there may lead there by GET.
            if isPost { postedURL = url } else if postedURL == url { postedURL = nil }
            // Of a way back the engine does not say what it once was; a reload is as what it loads again. What may be
            // of a frame does not take back what was said of the page.
            switch type {
            case WEBKIT_NAVIGATION_TYPE_FORM_SUBMITTED, WEBKIT_NAVIGATION_TYPE_FORM_RESUBMITTED,
                WEBKIT_NAVIGATION_TYPE_BACK_FORWARD:
                isOnWay = true
            case WEBKIT_NAVIGATION_TYPE_RELOAD: isOnWay = isOnWay || mayHaveBody
            default: break
            }
        }

        mutating func commit(_ url: String) {
            (mayHaveBody, isPosted) = (isOnWay, postedURL == url)
            (isOnWay, postedURL) = (false, nil)
        }
    }

    // A page that is to be seen again, or never was.
    extension WebKitGTKView {
        /// Loads the document anew, in place of its entry in the history, and in a new process where its own has ended.
        /// Where the engine would send a body again, or may do so, the URL is loaded instead, with an entry of its own.
        ///
        /// Measured: after the end of its process, WebKitGTK 2.50 sends a form again without asking anyone.
        public func reload(_ url: String) {
            guard !isDiscarded else { return }
            let isKnown = webkit_web_view_get_main_resource(web) != nil || !engineURL.isEmpty
            guard !asking.mayHaveBody, isKnown || hasEntry else { return load(url) }
            location.ask(for: url)
            proxyRetries = 0
            hasProcess = true
            webkit_web_view_reload(web)
        }

        /// Whether the document that is there was asked for with another method than GET. Of one that a way back has
        /// brought, the engine does not say.
        public var isPosted: Bool { asking.isPosted }

        /// Whether a form was sent to the URL, whose answer is on its way; one of a frame counts, too.
        public func isPosting(to url: String) -> Bool { asking.postedURL == url }

        /// The last load that was asked for here; a blank page counts.
        public var lastLoad: LoadToken? { location.lastLoad }

        /// Whether the view was discarded, or its window closed.
        public var hasEnded: Bool { isDiscarded }

        /// Kills the web process. It need not be able to answer.
        public func endProcess() {
            guard !isDiscarded, hasProcess else { return }
            webkit_web_view_terminate_web_process(web)
        }

        /// Shows a page in place of what should be at a URL: its origin is opaque, and its own URL `about:blank`.
        ///
        /// Where the load of the URL failed, and where the document that is there was reloaded, the page takes its
        /// entry in the history; else it gets one.
        public func showErrorPage(_ html: String, for url: String) {
            guard !isDiscarded else { return }
            location.ask(for: url)
            hasProcess = true
            webkit_web_view_load_alternate_html(web, html, url, nil)
        }

        /// Whether the history knows what is shown.
        private var hasEntry: Bool {
            webkit_back_forward_list_get_current_item(webkit_web_view_get_back_forward_list(web)) != nil
        }

        /// Hears of navigations, and decides nothing.
        func connectPolicy(_ signals: GObjectSignals) {
            let decided:
                @convention(c) (
                    UnsafeMutablePointer<WebKitWebView>, UnsafeMutablePointer<WebKitPolicyDecision>,
                    WebKitPolicyDecisionType, gpointer?
                ) -> gboolean = { _, decision, type, data in
                    guard type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION else { return 0 }
                    let navigation = UnsafeMutableRawPointer(decision)
                        .assumingMemoryBound(to: WebKitNavigationPolicyDecision.self)
                    let action = webkit_navigation_policy_decision_get_navigation_action(navigation)
                    // Of frames, too; what names a frame is for a window of that name, or a frame.
                    guard webkit_navigation_action_get_frame_name(action) == nil else { return 0 }
                    let kind = webkit_navigation_action_get_navigation_type(action)
                    let request = webkit_navigation_action_get_request(action)
                    let url = request.flatMap { webkit_uri_request_get_uri($0) }.map { String(cString: $0) } ?? ""
                    let method = request.flatMap { webkit_uri_request_get_http_method($0) }
                    let isPost = method.map { strcmp($0, "GET") != 0 } ?? false
                    MainActor.assumeIsolated {
                        target(data, as: WebKitGTKView.self)?.asking.ask(kind, for: url, isPost: isPost)
                    }
                    return 0
                }
            signals.connect("decide-policy", unsafeBitCast(decided, to: GCallback.self), to: self)
        }
    }
#endif
