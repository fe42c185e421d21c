// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK

    // Signals of the window, which the user may close.
    extension WebKitGTKView {
        func connectWindowSignals(_ signals: GObjectSignals) {
            let closing:
                @convention(c) (UnsafeMutablePointer<GtkWidget>, UnsafeMutablePointer<GdkEvent>?, gpointer?) ->
                    gboolean = { _, _, data in
                        MainActor.assumeIsolated { target(data, as: WebKitGTKView.self)?.windowClosed() }
                        return 1
                    }
            signals.connect("delete-event", unsafeBitCast(closing, to: GCallback.self), to: self)
            let destroyed: @convention(c) (UnsafeMutablePointer<GtkWidget>, gpointer?) -> Void = { _, data in
                MainActor.assumeIsolated { target(data, as: WebKitGTKView.self)?.windowClosed() }
            }
            signals.connect("destroy", unsafeBitCast(destroyed, to: GCallback.self), to: self)
        }

        /// Ends the view and reports the reason.
        private func windowClosed() {
            guard !isDiscarded else { return }
            let send = onSignal
            // The view is discarded first, so that no receiver of the signal can load a page.
            discard()
            send?(.processEnded(reason: "the window was closed"))
        }
    }
#endif
