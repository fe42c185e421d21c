// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    public import Foundation
    internal import WebKit

    extension WKWebViewEngine {
        /// The location of cookies, caches and page data. Engines of the same location share them.
        public enum Storage: Sendable, Hashable {
            /// In memory, for one engine. The data is lost when the engine and its views end.
            case ephemeral
            /// The default store of the app, which other web views of the app may use as well.
            case standard
            /// A persistent store of its own with this identifier.
            case identified(UUID)

            @MainActor
            func makeStore() -> WKWebsiteDataStore {
                switch self {
                case .ephemeral: .nonPersistent()
                case .standard: .default()
                case .identified(let id): WKWebsiteDataStore(forIdentifier: id)
                }
            }
        }
    }
#endif
