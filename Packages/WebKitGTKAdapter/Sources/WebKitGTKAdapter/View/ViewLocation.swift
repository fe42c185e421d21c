// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine
internal import WebSyntax

#if os(Linux)

    /// The document of a view and the navigation in progress, derived from the engine's events.
    ///
    /// The URL that the engine reports is not sufficient. During a load by the host, it is already the requested URL,
    /// although the former page still runs. During a navigation by the page, it is the page's URL until the commit.
    struct ViewLocation {
        /// The meaning of a commit.
        enum Commit: Equatable {
            case document(url: String)
            /// The engine shows a blank page instead of the requested URL, and reports no error.
            case refusal(of: String)
        }

        /// The URL with which the current document was committed; empty before the first commit.
        private(set) var documentURL = ""
        /// A Boolean value that indicates whether a navigation is in progress.
        private(set) var isNavigating = false
        /// The URL that the host requested, until its document is committed.
        private var requestedURL: String?
        /// A Boolean value that indicates whether the host has requested a load whose document is not committed. All
        /// other loads are those of the page.
        var isLoadOfHost: Bool { requestedURL != nil }
        /// A Boolean value that indicates whether the host's load has not begun in the engine. Events in this state
        /// belong to an earlier load.
        private(set) var isLoadWaiting = false
        /// The URL of the host's previous load, if that load had not begun when the current load was requested.
        ///
        /// The engine may still begin the previous load. It then reports the start and the cancellation of that load.
        private var overtaken: String?

        /// The last load that the host requested.
        private(set) var lastLoad: LoadToken?

        /// Records a load that the host requests.
        mutating func recordLoad(for url: String) {
            // If both URLs are equal, the ends of the two loads cannot be distinguished.
            overtaken = isLoadWaiting && requestedURL != url ? requestedURL : nil
            requestedURL = url
            lastLoad = LoadToken(of: url, after: lastLoad)
            isLoadWaiting = true
        }

        /// Records that the host stops the load.
        /// - Returns: the URL of the load, if the engine had not begun it; otherwise `nil`.
        mutating func cancelLoad() -> String? {
            overtaken = nil
            guard isLoadWaiting else { return nil }
            isLoadWaiting = false
            defer { requestedURL = nil }
            return requestedURL
        }

        /// Records the start of a navigation in the engine.
        mutating func start() {
            isNavigating = true
            isLoadWaiting = false
        }

        /// Records the commit of a document, and returns its meaning.
        /// - Parameters:
        ///   - url: the view's URL in the engine.
        ///   - mainResource: the URL of the document's resource; `nil` for a blank page.
        mutating func commit(url: String, mainResource: String?) -> Commit {
            isNavigating = false
            let pendingURL = isLoadWaiting ? nil : requestedURL
            if !isLoadWaiting { clearLoad() }
            if let mainResource {
                documentURL = mainResource
                return .document(url: mainResource)
            }
            documentURL = isLoadWaiting ? Self.blank : url
            if let pendingURL, documentURL == Self.blank, !pendingURL.asciiLowercased.hasPrefix("about:") {
                return .refusal(of: pendingURL)
            }
            return .document(url: documentURL)
        }

        /// Records the failure of a navigation.
        /// - Parameters:
        ///   - url: the URL that failed, in the engine's form.
        ///   - isCancelled: a Boolean value that indicates whether the navigation was stopped or replaced by another.
        /// - Returns: `true` if the failure belongs to an earlier load, while the host's current load has not begun.
        mutating func fail(_ url: String, isCancelled: Bool) -> Bool {
            if isCancelled, url == overtaken {
                // The load that began was the previous load, not the load for which the host waits.
                overtaken = nil
                isNavigating = false
                isLoadWaiting = true
                return true
            }
            let isOther = isLoadWaiting && url != requestedURL && (isNavigating || url == documentURL)
            endNavigation()
            return isOther || isCancelled && isLoadWaiting
        }

        /// Records the end of a navigation without a commit, for example when the process ends.
        mutating func endNavigation() {
            isNavigating = false
            if !isLoadWaiting { clearLoad() }
        }

        /// Clears the records of the host's loads.
        private mutating func clearLoad() {
            requestedURL = nil
            overtaken = nil
        }

        /// Returns a Boolean value that indicates whether a request is for the document of the navigation in progress.
        func isDocument(_ url: String, mainResource: String?) -> Bool {
            isNavigating && mainResource.map { Self.withoutFragment($0) == Self.withoutFragment(url) } == true
        }

        private static let blank = "about:blank"

        static func withoutFragment(_ url: String) -> Substring {
            Substring(url[...].utf8.prefix { $0 != UInt8(ascii: "#") })
        }
    }
#endif
