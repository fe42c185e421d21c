// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(UIKit) || canImport(AppKit)
    #if canImport(UIKit)
        internal import UIKit
    #else
        internal import AppKit
    #endif

    extension HostLifeNotifications {
        /// The notifications of UIKit or AppKit. AppKit has no memory warning, and a hidden app counts as in the
        /// background.
        ///
        /// Isolation: the main actor, as the classes of the names.
        @MainActor public static var system: HostLifeNotifications {
            #if canImport(UIKit)
                HostLifeNotifications(
                    background: UIApplication.didEnterBackgroundNotification,
                    foreground: UIApplication.willEnterForegroundNotification,
                    memoryWarning: UIApplication.didReceiveMemoryWarningNotification, suspends: true)
            #else
                HostLifeNotifications(
                    background: NSApplication.didHideNotification, foreground: NSApplication.didUnhideNotification,
                    memoryWarning: nil, suspends: false)
            #endif
        }
    }
#endif
