// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// This file changes the behavior of WebKit by exchanging one of its methods. It is compiled only with the package trait
// HTTPSTakeover, which no default enables, and runs only if the app creates its engine with allowsHTTPSTakeover.
//
// Risk: App Review guideline 2.5.1 requires that apps use public APIs only. All names here are public, but WebKit's
// documentation says that https cannot have a handler, and the exchange evades that. App Review may reject the app, or
// an update of it, and each version of the system may make the takeover ineffective or faulty. Do not ship it in an app
// that cannot afford that. docs/apple.md has the manual checks.
//
// Never compiled on Linux: the branch for Objective-C.

#if HTTPSTakeover && canImport(WebKit)
    #if canImport(ObjectiveC)
        internal import Foundation
        internal import WebKit

        extension HTTPSTakeover {
            private static var method: Method? {
                class_getClassMethod(WKWebView.self, #selector(WKWebView.handlesURLScheme(_:)))
            }

            /// A Boolean value that indicates whether the method exists that is exchanged.
            static var isAvailable: Bool { method != nil }

            /// Performs a call while WebKit reports that it handles no scheme itself. `setURLSchemeHandler` asks
            /// `handlesURLScheme` before it accepts a handler. The method is restored when the call returns, so that
            /// other code sees the true result.
            static func withoutNativeSchemes(_ call: () -> Void) {
                guard let method else { return }
                let answer: @convention(block) (AnyObject, NSString) -> Bool = { _, _ in false }
                let replacement = imp_implementationWithBlock(answer)
                let original = method_setImplementation(method, replacement)
                defer {
                    method_setImplementation(method, original)
                    imp_removeBlock(replacement)
                }
                call()
            }
        }
    #else
        @_spi(Driver) internal import WebKit

        extension HTTPSTakeover {
            static var isAvailable: Bool { !WKWebView.refusesTakeover }

            static func withoutNativeSchemes(_ call: () -> Void) {
                WKWebView.hidesNativeSchemes = true
                defer { WKWebView.hidesNativeSchemes = false }
                call()
            }
        }
    #endif
#endif
