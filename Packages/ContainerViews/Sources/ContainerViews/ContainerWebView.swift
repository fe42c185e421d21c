// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(SwiftUI) && canImport(WebKit)
    internal import ContainerKit
    public import SwiftUI
    internal import WebKit
    public import WKWebViewAdapter

    /// A SwiftUI view that shows the page of a controller.
    ///
    /// It opens no page: call `PageController.open(_:options:prepare:)`, for example in `task(id:)`.
    public struct ContainerWebView: View {
        private let controller: PageController<WKWebViewEngine>

        /// Creates a view.
        /// - Parameter controller: the controller, which the caller keeps, for example in `@State`.
        public init(_ controller: PageController<WKWebViewEngine>) {
            self.controller = controller
        }

        public var body: some View {
            // The read makes SwiftUI observe the page.
            HostedWebView(web: controller.page?.view.webView)
        }
    }

    private struct HostedWebView {
        let web: WKWebView?
    }

    #if canImport(UIKit)
        extension HostedWebView: UIViewRepresentable {
            func makeUIView(context: Context) -> WebViewHost { WebViewHost() }
            func updateUIView(_ host: WebViewHost, context: Context) { host.show(web) }
        }
    #else
        extension HostedWebView: NSViewRepresentable {
            func makeNSView(context: Context) -> WebViewHost { WebViewHost() }
            func updateNSView(_ host: WebViewHost, context: Context) { host.show(web) }
        }
    #endif
#endif
