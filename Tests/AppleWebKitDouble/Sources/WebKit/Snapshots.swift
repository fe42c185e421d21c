// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension WKWebView {
    // webkit/wkwebview/takesnapshot(with:completionhandler:)
    // [WKWebView takeSnapshotWithConfiguration:completionHandler:]
    //
    // Documented: `nil` stands for the default configuration, "the visible bounds of the web view", and includes
    // pending changes. Believed: the handler is called once and in a later turn, also after the end of the view. A
    // device shows it by a release during a call.
    public func takeSnapshot(
        with snapshotConfiguration: WKSnapshotConfiguration?,
        completionHandler: @escaping @MainActor @Sendable (PlatformImage?, (any Error)?) -> Void
    ) {
        let onSnapshot = page.onSnapshot
        Task {
            let (picture, error) = await onSnapshot?() ?? (nil, WKError(.unknown))
            completionHandler(picture, error)
        }
    }
}

// webkit/wksnapshotconfiguration [WKSnapshotConfiguration]
@MainActor
public class WKSnapshotConfiguration: NSObject {}

#if !canImport(UIKit) && !canImport(AppKit)
    /// Stands for UIImage and NSImage, and for the conversion that the adapter adds to them on Apple's systems.
    // webkit/wkwebview/takesnapshot(with:completionhandler:)
    @MainActor
    public final class PlatformImage {
        private let size: (width: Int, height: Int)
        private let render: (_ width: Int, _ height: Int) -> (pixels: Data, png: Data)?

        /// - Parameter render: a closure that returns the pixels and a PNG file of the picture in a size.
        @_spi(Driver) public init(
            width: Int, height: Int, render: @escaping (_ width: Int, _ height: Int) -> (pixels: Data, png: Data)?
        ) {
            size = (width, height)
            self.render = render
        }

        // webkit/wkwebview/takesnapshot(with:completionhandler:), from the adapter
        public var pixelSize: (width: Int, height: Int) { size }
        // webkit/wkwebview/takesnapshot(with:completionhandler:), from the adapter
        public func rendered(width: Int, height: Int) -> (pixels: Data, png: Data)? { render(width, height) }
    }
#endif
