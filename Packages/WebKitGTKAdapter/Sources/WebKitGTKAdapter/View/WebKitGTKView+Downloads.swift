// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    // Responses that are saved instead of shown.
    extension WebKitGTKView {
        /// Returns a Boolean value that indicates whether the engine can display documents of a media type.
        public func canShow(_ mediaType: String) -> Bool {
            webkit_web_view_can_show_mime_type(web, mediaType) != 0
        }

        /// Returns a Boolean value that indicates whether a user gesture caused the navigation to a URL, if it was the
        /// last navigation.
        public func isUserGesture(for url: String) -> Bool {
            let bare = { (url: String) in url.prefix { $0 != "#" } }
            guard let last = lastNavigation, bare(last.url) == bare(url) else { return false }
            return last.isUserGesture
        }

        public func dropPendingDownloads() {
            for download in pendingDownloads { download.cancel() }
        }

        /// Saves or ignores a response that the engine does not show: an attachment, or a main document of an
        /// unsupported type. The engine itself ignores documents of frames with an unsupported type.
        /// - Returns: `true` if the decision was made.
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
