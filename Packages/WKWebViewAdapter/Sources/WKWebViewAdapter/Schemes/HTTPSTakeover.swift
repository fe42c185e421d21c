// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import WebEngine
    internal import WebKit

    /// The registration of a handler on `https`, which WebKit's public API refuses.
    ///
    /// The private part is in HTTPSTakeover+Private.swift. Without the package trait `HTTPSTakeover` that file is
    /// empty, and the mode is refused.
    @MainActor
    enum HTTPSTakeover {
        nonisolated static let scheme = "https"

        /// Checks the conditions of the mode.
        /// - Throws: `EngineError` with code `schemeTaken`.
        static func check(isAllowed: Bool) throws {
            #if HTTPSTakeover
                guard isAllowed else {
                    throw EngineError(.schemeTaken, "the engine does not have allowsHTTPSTakeover", at: scheme)
                }
                guard isAvailable else {
                    throw EngineError(.schemeTaken, "this WebKit does not permit the takeover", at: scheme)
                }
            #else
                throw EngineError(.schemeTaken, "the takeover needs the package trait HTTPSTakeover", at: scheme)
            #endif
        }

        /// Sets the handler of a scheme. Call ``check(isAllowed:)`` before you set one of `https`.
        static func set(
            _ handler: any WKURLSchemeHandler, for name: String, in configuration: WKWebViewConfiguration
        ) {
            let set = { configuration.setURLSchemeHandler(handler, forURLScheme: name) }
            #if HTTPSTakeover
                guard name != scheme else { return withoutNativeSchemes(set) }
            #endif
            set()
        }
    }
#endif
