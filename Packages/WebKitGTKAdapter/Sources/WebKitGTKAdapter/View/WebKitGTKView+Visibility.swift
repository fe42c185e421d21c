// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK

    /// The visibility of a view's window, by the rule that the engine uses for `document.hidden`.
    struct WindowVisibility {
        var isMapped = true
        var isIcon = false

        var isVisible: Bool { isMapped && !isIcon }
    }

    // Visibility. GTK reports it for windows, independent of the web process.
    extension WebKitGTKView {
        /// A Boolean value that indicates whether the window is shown and not minimized. Windows above it are not
        /// considered.
        public var isVisible: Bool? { visibility.isVisible }

        func connectVisibilitySignals(_ viewSignals: GObjectSignals, _ windowSignals: GObjectSignals) {
            let mapped: @convention(c) (UnsafeMutablePointer<GtkWidget>, gpointer?) -> Void = { _, data in
                MainActor.assumeIsolated { target(data, as: WebKitGTKView.self)?.change { $0.isMapped = true } }
            }
            viewSignals.connect("map", unsafeBitCast(mapped, to: GCallback.self), to: self)
            let unmapped: @convention(c) (UnsafeMutablePointer<GtkWidget>, gpointer?) -> Void = { _, data in
                MainActor.assumeIsolated { target(data, as: WebKitGTKView.self)?.change { $0.isMapped = false } }
            }
            viewSignals.connect("unmap", unsafeBitCast(unmapped, to: GCallback.self), to: self)
            let stateChanged:
                @convention(c) (UnsafeMutablePointer<GtkWidget>, UnsafeMutablePointer<GdkEvent>?, gpointer?) ->
                    gboolean = { _, event, data in
                        guard let event else { return 0 }
                        let isIcon =
                            event.pointee.window_state.new_window_state.rawValue & GDK_WINDOW_STATE_ICONIFIED.rawValue
                            != 0
                        MainActor.assumeIsolated {
                            target(data, as: WebKitGTKView.self)?.change { $0.isIcon = isIcon }
                        }
                        return 0
                    }
            windowSignals.connect("window-state-event", unsafeBitCast(stateChanged, to: GCallback.self), to: self)
        }

        private func change(_ change: (inout WindowVisibility) -> Void) {
            let before = visibility.isVisible
            change(&visibility)
            guard visibility.isVisible != before, !isDiscarded else { return }
            onSignal?(.visibilityChanged(isVisible: visibility.isVisible))
        }
    }
#endif
