// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)

    /// Where a view is, and where it is on its way to, concluded from what the engine says.
    ///
    /// The engine's own idea of the URL is no help: while a page is on its way it is the URL that was asked for, so that
    /// a page could pass for the one that it moves to; on a way that the page itself took it is the page's own to the end.
    struct ViewLocation {
        /// What a commit means.
        enum Commit: Equatable {
            case document(url: String)
            /// The engine does not load the URL that was asked for, without an error: it shows a blank page instead.
            case refusal(of: String)
        }

        /// The URL with which the document that is there was committed; empty before the first.
        private(set) var documentURL = ""
        /// Whether another document is on its way.
        private(set) var isNavigating = false
        /// The URL that the host asked for, until its document is there.
        private var asked: String?
        /// Whether the host's load waits for the engine to begin: what is said meanwhile is of the load before.
        private(set) var isLoadWaiting = false
        /// What the host asked for before that, where the engine had not begun with it, either. It may have been about
        /// to: then it says so, and says next that this one was cancelled.
        private var overtaken: String?

        /// What the host asked for last.
        private(set) var lastLoad: LoadToken?

        /// The host asks for a URL.
        mutating func ask(for url: String) {
            // Where it is the same URL, nobody could tell their ends apart.
            overtaken = isLoadWaiting && asked != url ? asked : nil
            asked = url
            lastLoad = LoadToken(of: url, after: lastLoad)
            isLoadWaiting = true
        }

        /// The host stops what loads.
        /// - Returns: the URL of what the engine had not begun with; `nil` where no load waits.
        mutating func giveUp() -> String? {
            overtaken = nil
            guard isLoadWaiting else { return nil }
            isLoadWaiting = false
            defer { asked = nil }
            return asked
        }

        /// The engine began a navigation.
        mutating func start() {
            isNavigating = true
            isLoadWaiting = false
        }

        /// A document is there.
        /// - Parameters:
        ///   - url: the view's URL as the engine says.
        ///   - mainResource: the URL of the resource that the document came from; a blank page has none.
        mutating func commit(url: String, mainResource: String?) -> Commit {
            isNavigating = false
            let asked = isLoadWaiting ? nil : asked
            if !isLoadWaiting { forgetLoad() }
            if let mainResource {
                documentURL = mainResource
                return .document(url: mainResource)
            }
            documentURL = isLoadWaiting ? Self.blank : url
            if let asked, documentURL == Self.blank, !asked.lowercased().hasPrefix("about:") {
                return .refusal(of: asked)
            }
            return .document(url: documentURL)
        }

        /// A navigation failed.
        /// - Parameters:
        ///   - url: where it had got to, as the engine writes it.
        ///   - isCancelled: whether it was given up for another one, or stopped.
        /// - Returns: whether it is one that the host has given up for another load, which has not begun.
        mutating func fail(_ url: String, isCancelled: Bool) -> Bool {
            if isCancelled, url == overtaken {
                // What began was this one, and not what the host waits for.
                overtaken = nil
                isNavigating = false
                isLoadWaiting = true
                return true
            }
            let isOther = isLoadWaiting && url != asked && (isNavigating || url == documentURL)
            endNavigation()
            return isOther || isCancelled && isLoadWaiting
        }

        /// There is no navigation any more, as there is no process.
        mutating func endNavigation() {
            isNavigating = false
            if !isLoadWaiting { forgetLoad() }
        }

        /// Nothing is left of what the host asked for.
        private mutating func forgetLoad() {
            asked = nil
            overtaken = nil
        }

        /// Whether a request is for the document that is on its way.
        func isDocument(_ url: String, mainResource: String?) -> Bool {
            isNavigating && mainResource.map { Self.withoutFragment($0) == Self.withoutFragment(url) } == true
        }

        private static let blank = "about:blank"

        private static func withoutFragment(_ url: String) -> Substring {
            Substring(url[...].utf8.prefix { $0 != UInt8(ascii: "#") })
        }
    }
#endif
