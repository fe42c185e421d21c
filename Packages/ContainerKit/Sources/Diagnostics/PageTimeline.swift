// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import ResourceLoading
public import WebEngine

/// The record of how one page opened: the times of its steps and its requests. An unknown value is `nil`, never 0.
///
/// The URLs contain their queries, which may hold secrets: see ``HARExport/leavesQueriesOut``.
public struct PageTimeline: Sendable, Hashable {
    /// The times of the steps, as durations since the call of open. Of a step that happens several times, the first.
    public struct Marks: Sendable, Hashable {
        /// The page received its view.
        public var checkOutEnded: Duration?
        /// The view began to navigate.
        public var navigationStarted: Duration?
        /// The head of the document's response was there.
        public var responseStarted: Duration?
        /// The document began to arrive in the view.
        public var committed: Duration?
        /// The first paint of any kind.
        public var firstPaint: Duration?
        /// The first paint of text or an image.
        public var firstContentfulPaint: Duration?
        /// The document was parsed, and its `DOMContentLoaded` handlers had run.
        public var domReady: Duration?
        /// The page and its initial resources were loaded.
        public var loaded: Duration?
        /// The first load failed. The mark stays if a later load succeeds.
        public var failed: Duration?
        /// The page was closed.
        public var closed: Duration?

        /// Creates marks of which none is set.
        public init() {}
    }

    /// One request of a page. Times are durations since the call of open.
    public struct Request: Sendable, Hashable {
        /// The component that loaded a page's request.
        public enum Asker: Sendable, Hashable {
            /// The container loaded it.
            case page
            /// The engine loaded it past the container.
            case engine
        }

        /// The component that loaded the request.
        public var asker: Asker
        /// The method.
        public var method: String
        /// The real URL.
        public var url: String
        /// A Boolean value that indicates whether the view navigated to the URL.
        public var isMainDocument: Bool
        /// The status of the response; `nil` if there was none.
        public var status: Int?
        /// The source of the response; `nil` if there was no response, or if the engine does not report it.
        public var provenance: Provenance.Source?
        /// One line for people: the reason for the source of the response, or for its absence; `nil` if it is unknown.
        public var reason: String?
        /// The `Content-Type` of the response; `nil` if it is unknown.
        public var mediaType: String?
        /// The number of body bytes that reached the engine, or the announced size of a body that the engine loaded.
        public var bytes: Int64?
        /// The start of the request.
        public var started: Duration?
        /// The arrival of the response's head.
        public var responded: Duration?
        /// The end of the request.
        public var ended: Duration?

        /// Creates a request of which nothing else is known.
        /// - Parameters:
        ///   - asker: the component that loaded the request.
        ///   - method: the method.
        ///   - url: the real URL.
        ///   - isMainDocument: whether the view navigated to the URL.
        public init(asker: Asker, method: String, url: String, isMainDocument: Bool = false) {
            self.asker = asker
            self.method = method
            self.url = url
            self.isMainDocument = isMainDocument
        }
    }

    /// The page; counts up from 1 in one container.
    public let page: PageID
    /// The real URL of the document: at first the opened URL, then the URL of the view's last document.
    public var documentURL: String
    /// The mode in which the page's requests reach the container; `nil` until the page has a view.
    public var mode: InterceptionMode?
    /// A Boolean value that indicates whether the view was warm; `nil` until the page has one.
    public var hasWarmView: Bool?
    /// The date of the call of open.
    public let opened: Date
    /// The times of the steps.
    public var marks = Marks()
    /// One line for people: the reason of the first failed load; `nil` if none failed.
    public var failure: String?
    /// The page's requests in the order in which they ended; at most ``requestLimit``.
    public private(set) var requests: [Request] = []
    /// The most requests that are kept: the first ones.
    public let requestLimit: Int
    /// The number of requests that ended after ``requests`` was full.
    public private(set) var droppedRequests = 0

    /// Creates the timeline of a page that opens.
    /// - Parameters:
    ///   - page: the page.
    ///   - documentURL: the real URL that is opened.
    ///   - opened: the date of the call of open.
    ///   - requestLimit: the most requests that are kept.
    public init(page: PageID, documentURL: String, opened: Date, requestLimit: Int = TimelineOptions.standardLimit) {
        self.page = page
        self.documentURL = documentURL
        self.opened = opened
        self.requestLimit = max(0, requestLimit)
    }

    /// Adds a request that has ended, or counts it if ``requests`` is full.
    /// - Parameter request: the request.
    public mutating func add(_ request: Request) {
        guard requests.count < requestLimit else {
            droppedRequests += 1
            return
        }
        requests.append(request)
    }
}

/// The options for the recording of a ``PageTimeline``.
public struct TimelineOptions: Sendable, Hashable {
    /// The default of ``requestLimit``: 512.
    public static let standardLimit = 512

    /// The most requests that are kept of one page; the others are counted. 512 by default.
    public var requestLimit = Self.standardLimit
    /// A Boolean value that indicates whether each page reports the times of its first paints and of its parsed
    /// document after it has loaded. One script reads them, in a world that the page cannot see. True by default.
    public var asksPages = true
    /// The longest time between the load and that report; 3 seconds by default. A hidden page paints nothing, so that
    /// its timeline is sent after this time.
    public var askingLimit = Duration.seconds(3)

    /// Creates the default options.
    public init() {}
}

extension Duration {
    var inMilliseconds: Double { Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15 }
}
