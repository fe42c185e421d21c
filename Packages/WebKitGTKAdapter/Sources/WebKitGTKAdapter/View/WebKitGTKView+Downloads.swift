// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    // What of a page is saved, and not shown.
    extension WebKitGTKView {
        /// Whether the engine shows documents of a media type.
        public func canShow(_ mediaType: String) -> Bool {
            webkit_web_view_can_show_mime_type(web, mediaType) != 0
        }

        /// Whether somebody has touched the page for the navigation to a URL, where it was the last one.
        public func isUserGesture(for url: String) -> Bool {
            let bare = { (url: String) in url.prefix { $0 != "#" } }
            guard let last = lastNavigation, bare(last.url) == bare(url) else { return false }
            return last.isUserGesture
        }

        public func dropPendingDownloads() {
            for download in pendingDownloads { download.cancel() }
        }

        /// Has the engine save an answer that it does not show: one that says so itself, and a page's document that it
        /// cannot show. What a frame cannot show it leaves out by itself.
        /// - Returns: whether the decision is made.
        func isSaved(_ decision: UnsafeMutablePointer<WebKitResponsePolicyDecision>) -> Bool {
            let isAttachment =
                containerkit_is_attachment(webkit_response_policy_decision_get_response(decision)) != 0
            let isUnshown =
                webkit_response_policy_decision_is_main_frame_main_resource(decision) != 0
                && webkit_response_policy_decision_is_mime_type_supported(decision) == 0
            guard isAttachment || isUnshown else { return false }
            let policy = UnsafeMutableRawPointer(decision).assumingMemoryBound(to: WebKitPolicyDecision.self)
            let url =
                webkit_uri_request_get_uri(webkit_response_policy_decision_get_request(decision))
                .map { String(cString: $0) } ?? ""
            if onDownload != nil, ["http", "https", "blob", "data"].contains(url.prefix { $0 != ":" }.lowercased()) {
                webkit_policy_decision_download(policy)
            } else {
                webkit_policy_decision_ignore(policy)
            }
            return true
        }
    }
#endif
