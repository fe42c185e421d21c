// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    /// What the engine said of a view when it was made.
    @MainActor
    struct ViewOrigin {
        let userAgent: String
        let zoom: Double
        /// The engine's name of the page; what a view's pages store for themselves is kept under it.
        let page: UInt64
        /// The names of the pages before it in the same web process, the last ones.
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
