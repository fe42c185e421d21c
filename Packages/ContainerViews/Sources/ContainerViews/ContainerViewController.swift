// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit) && (canImport(UIKit) || canImport(AppKit))
    internal import ContainerKit
    internal import Observation
    internal import WebKit
    public import WKWebViewAdapter
    #if canImport(UIKit)
        public import UIKit
        /// The view controller of the system's framework.
        public typealias PlatformViewController = UIViewController
        typealias PlatformView = UIView
    #else
        public import AppKit
        /// The view controller of the system's framework.
        public typealias PlatformViewController = NSViewController
        typealias PlatformView = NSView
    #endif

    /// A view controller that shows the page of a controller. It opens no page.
    public final class ContainerViewController: PlatformViewController {
        private let controller: PageController<WKWebViewEngine>
        private let host = WebViewHost()

        /// Creates a view controller.
        /// - Parameter controller: the controller, which is retained.
        public init(_ controller: PageController<WKWebViewEngine>) {
            self.controller = controller
            super.init(nibName: nil, bundle: nil)
        }

        /// Returns `nil`, because a controller cannot be archived.
        public required init?(coder: NSCoder) { nil }

        public override func loadView() {
            view = host
            follow()
        }

        /// Shows the page, and calls itself again when the controller has another page.
        private func follow() {
            withObservationTracking {
                host.show(controller.page?.view.webView)
            } onChange: { [weak self] in
                // The property changes after this call.
                Task { @MainActor in self?.follow() }
            }
        }
    }

    /// A view with a web view of its size.
    final class WebViewHost: PlatformView {
        private weak var web: WKWebView?

        func show(_ web: WKWebView?) {
            guard web !== self.web || web?.superview !== self else { return }
            // A closed page's view may be in another host already.
            if let old = self.web, old.superview === self { old.removeFromSuperview() }
            self.web = web
            guard let web else { return }
            web.frame = bounds
            #if canImport(UIKit)
                web.autoresizingMask = [.flexibleWidth, .flexibleHeight]
            #else
                web.autoresizingMask = [.width, .height]
            #endif
            addSubview(web)
        }
    }
#endif
