// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine
    internal import WebKit

    /// The document of a view and the navigation in progress, derived from the calls of the app and of WebKit.
    ///
    /// WebKit names each navigation by an object. An object other than that of the app's load belongs to an earlier
    /// navigation while the app's load has not started.
    @MainActor
    struct ViewLocation {
        /// A load that the app has requested and whose document is not committed.
        private struct Request {
            let url: String
            /// The navigation of WebKit; `nil` until `isIssued`.
            var navigation: WKNavigation?
            var isIssued = false
            var hasStarted = false
        }

        nonisolated static let blank = "about:blank"

        /// The end of a navigation that failed.
        enum Failure: Equatable {
            /// The navigation is not the current one.
            case ignored
            /// The load of the app failed before its commit.
            case load(url: String)
            /// Another load failed.
            case other
        }

        /// The URL with which the current document was committed; empty before the first commit.
        private(set) var documentURL = ""
        /// The last load that the app requested.
        private(set) var lastLoad: LoadToken?
        private var request: Request?
        /// The navigation that has started and not ended. `navigation` may be `nil`, because WebKit may name none.
        private var current: (navigation: WKNavigation?, url: String, isCommitted: Bool)?
        /// The navigation of the last load that was stopped before its start.
        private var abandoned: WKNavigation?
        /// The URL, without fragment, of the document whose request WebKit may send.
        private var expectedDocument: Substring?

        /// The URL of the navigation that has started and not ended; that of the document if there is none.
        var navigationURL: String { current?.url ?? documentURL }
        /// A Boolean value that indicates whether a navigation has started and not ended.
        var isNavigating: Bool { current != nil || request != nil }
        /// The URL of the load that the app has requested and whose document is not committed; `nil` if there is none.
        var requestedURL: String? { request?.url }
        /// A Boolean value that indicates whether the load of the app has not started.
        var isLoadWaiting: Bool { request.map { !$0.hasStarted } ?? false }

        /// A Boolean value that indicates whether WebKit has the load of the app, and has not started it.
        var isLoadIssued: Bool { isLoadWaiting && request?.isIssued == true }

        /// Records a load that the app requests.
        mutating func recordLoad(for url: String) {
            request = Request(url: url)
            lastLoad = LoadToken(of: url, after: lastLoad)
        }

        /// Records the navigation of WebKit for the load of the app.
        mutating func issue(_ navigation: WKNavigation?) {
            request?.navigation = navigation
            request?.isIssued = true
            request?.hasStarted = false
        }

        /// Records that the app stops the load.
        /// - Returns: the URL of the load if it has not started; otherwise `nil`.
        mutating func stop() -> String? {
            guard isLoadWaiting, let url = request?.url else { return nil }
            abandoned = request?.navigation
            request = nil
            return url
        }

        /// Records that the load of the app scrolls to a fragment of the document.
        /// - Returns: the URL of the load if it has ended; `nil` if there is no load, or if the document still loads.
        mutating func scroll() -> String? {
            guard let url = request?.url else { return nil }
            request = nil
            if current?.isCommitted == true { return nil }
            current = nil
            return url
        }

        /// Records that the navigation in progress ends without a document. WebKit reports may follow, and are ignored.
        /// - Returns: the URL of the load of the app; `nil` if there is none.
        mutating func abandon() -> String? {
            defer { request = nil }
            if let navigation = request?.navigation { abandoned = navigation }
            if current?.isCommitted == false { current = nil }
            return request?.url
        }

        /// Records the start of a navigation.
        /// - Returns: `false` if the load of the app replaces the navigation.
        mutating func start(_ navigation: WKNavigation?, url: String) -> Bool {
            if let abandoned, abandoned === navigation { return false }
            if isLoadWaiting {
                guard isOfRequest(navigation) else { return false }
                request?.hasStarted = true
            } else if request?.navigation !== navigation {
                request = nil
            }
            current = (navigation, url, false)
            return true
        }

        /// Records a redirect of the server.
        mutating func redirect(_ navigation: WKNavigation?, to url: String) {
            if isCurrent(navigation) { current?.url = url }
        }

        /// Records the commit of a document.
        /// - Returns: `false` if the load of the app replaces the document.
        mutating func commit(_ navigation: WKNavigation?, url: String) -> Bool {
            let isReported = !isLoadWaiting
            documentURL = url
            expectedDocument = nil
            current = (navigation, url, true)
            if isReported { request = nil }
            return isReported
        }

        /// Records the end of the load of a document.
        /// - Returns: `true` if the navigation is the current one, and no load of the app replaces it.
        mutating func finish(_ navigation: WKNavigation?) -> Bool {
            guard let current, current.navigation === navigation, current.isCommitted else { return false }
            self.current = nil
            return !isLoadWaiting
        }

        /// Records the failure of a navigation.
        mutating func fail(_ navigation: WKNavigation?) -> Failure {
            let isOfRequest = request != nil && isOfRequest(navigation)
            guard isOfRequest || isCurrent(navigation) else {
                if let current, current.navigation === navigation { self.current = nil }
                return .ignored
            }
            current = nil
            expectedDocument = nil
            defer { request = nil }
            return request.map { .load(url: $0.url) } ?? .other
        }

        /// Records the end of the web process, and of all navigations.
        mutating func endProcess() {
            request = nil
            current = nil
            expectedDocument = nil
        }

        /// Records that WebKit loads a document itself.
        mutating func expectDocument(at url: String) { expectedDocument = Self.withoutFragment(url) }

        /// Returns a Boolean value that indicates whether a request is that of the expected document, which is then no
        /// longer expected.
        mutating func takeDocumentRequest(for url: String) -> Bool {
            guard expectedDocument == Self.withoutFragment(url) else { return false }
            expectedDocument = nil
            return true
        }

        private func isOfRequest(_ navigation: WKNavigation?) -> Bool {
            request?.isIssued == true && request?.navigation === navigation
        }

        private func isCurrent(_ navigation: WKNavigation?) -> Bool {
            guard let current, !isLoadWaiting else { return false }
            return current.navigation === navigation
        }

        nonisolated static func withoutFragment(_ url: String) -> Substring {
            Substring(url[...].utf8.prefix { $0 != UInt8(ascii: "#") })
        }
    }
#endif
