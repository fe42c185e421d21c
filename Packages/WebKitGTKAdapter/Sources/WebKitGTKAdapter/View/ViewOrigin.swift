// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    /// The state of a view at its creation, with which the check for residual state compares the view.
    @MainActor
    struct ViewOrigin {
        let userAgent: String
        let zoom: Double
        /// The engine's identifier of the page. The sessionStorage of the view's pages is stored under it.
        let page: UInt64
        /// The identifiers of the last 64 earlier pages in the same web process.
        let earlierPages: [UInt64]

        init(of web: UnsafeMutablePointer<WebKitWebView>, after predecessor: ViewOrigin?) {
            userAgent = Self.userAgent(of: web)
            zoom = webkit_web_view_get_zoom_level(web)
            page = UInt64(webkit_web_view_get_page_id(web))
            earlierPages = predecessor.map { $0.earlierPages.suffix(63) + [$0.page] } ?? []
        }

        static func userAgent(of web: UnsafeMutablePointer<WebKitWebView>) -> String {
            webkit_settings_get_user_agent(webkit_web_view_get_settings(web)).map { String(cString: $0) } ?? ""
        }
    }
#endif
