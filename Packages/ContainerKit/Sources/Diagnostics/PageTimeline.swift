// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import ResourceLoading
public import WebEngine

/// The times of the steps and the requests of one page load. An unknown value is `nil`, never 0.
///
/// The URLs contain their queries, which may hold secrets: see ``HARExport/omitsQueries``.
public struct PageTimeline: Sendable, Hashable {
    /// The times of the steps, as durations since the call of `open`. If a step happens several times, the first one
    /// counts.
    public struct Marks: Sendable, Hashable {
        /// The time when the page received its view.
        public var checkOutEnded: Duration?
        /// The time when the view began to navigate.
        public var navigationStarted: Duration?
        /// The time when the head of the document's response arrived.
        public var responseStarted: Duration?
        /// The time when the engine committed the document.
        public var committed: Duration?
        /// The first paint of any kind (Paint Timing, `first-paint`).
        public var firstPaint: Duration?
        /// The first paint of text or an image (Paint Timing, `first-contentful-paint`).
        public var firstContentfulPaint: Duration?
        /// The time when the document was parsed and its `DOMContentLoaded` handlers had run.
        public var domReady: Duration?
        /// The time when the page and its initial resources had loaded.
        public var loaded: Duration?
        /// The time when the first load failed. It stays set if a later load succeeds.
        public var failed: Duration?
        /// The time when the page was closed.
        public var closed: Duration?

        /// Creates marks that are all `nil`.
        public init() {}
    }

    /// One request of a page. Times are durations since the call of `open`.
    public struct Request: Sendable, Hashable {
        /// The component that loaded a request.
        public enum Initiator: Sendable, Hashable {
            /// The container.
            case page
            /// The engine, without the container.
            case engine
        }

        /// The component that loaded the request.
        public var initiator: Initiator
        /// The request method.
        public var method: String
        /// The real URL.
        public var url: String
        /// A Boolean value that indicates whether the view navigated to the URL.
        public var isMainDocument: Bool
        /// The status of the response; `nil` if there was no response.
        public var status: Int?
        /// The source of the response; `nil` if there was no response, or if the engine does not report it.
        public var provenance: Provenance.Source?
        /// The reason for the source of the response, or the error if there is no response, as one line of text;
        /// `nil` if unknown.
        public var reason: String?
        /// The `Content-Type` of the response; `nil` if unknown.
        public var mediaType: String?
        /// The number of body bytes that the engine received from the container. If the engine loaded the body itself,
        /// the announced length.
        public var bytes: Int64?
        /// The start of the request.
        public var started: Duration?
        /// The arrival of the head of the response.
        public var responded: Duration?
        /// The end of the request.
        public var ended: Duration?

        /// Creates a request with all other values unknown.
        /// - Parameters:
        ///   - initiator: the component that loaded the request.
        ///   - method: the request method.
        ///   - url: the real URL.
        ///   - isMainDocument: a Boolean value that indicates whether the view navigated to the URL.
        public init(initiator: Initiator, method: String, url: String, isMainDocument: Bool = false) {
            self.initiator = initiator
            self.method = method
            self.url = url
            self.isMainDocument = isMainDocument
        }
    }

    /// The identity of the page; counts up from 1 in one container.
    public let page: PageID
    /// The real URL of the document: first the opened URL, then the URL of the last committed document.
    public var documentURL: String
    /// The interception mode of the page; `nil` until the page has a view.
    public var mode: InterceptionMode?
    /// A Boolean value that indicates whether the view was warm at its check-out; `nil` until the page has a view.
    public var hasWarmView: Bool?
    /// The date of the call of `open`.
    public let opened: Date
    /// The times of the steps.
    public var marks = Marks()
    /// The reason of the first failed load, as one line of text; `nil` if no load failed.
    public var failure: String?
    /// The page's requests in the order in which they ended; at most ``requestLimit``.
    public private(set) var requests: [Request] = []
    /// The maximum number of recorded requests. Requests beyond it are only counted.
    public let requestLimit: Int
    /// The number of requests that ended after ``requests`` was full.
    public private(set) var droppedRequests = 0

    /// Creates the timeline of a page that is being opened.
    /// - Parameters:
    ///   - page: the identity of the page.
    ///   - documentURL: the real URL that is opened.
    ///   - opened: the date of the call of `open`.
    ///   - requestLimit: the maximum number of recorded requests.
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

/// The options for recording a ``PageTimeline``.
public struct TimelineOptions: Sendable, Hashable {
    /// The default of ``requestLimit``: 512.
    public static let standardLimit = 512

    /// The maximum number of recorded requests of one page; 512 by default. Requests beyond it are only counted.
    public var requestLimit = Self.standardLimit
    /// A Boolean value that indicates whether each loaded page reports the times of its first paints and of `domReady`;
    /// `true` by default. A script in an isolated world reads the times; the page cannot detect the script.
    public var recordsPageTimes = true
    /// The maximum time between the load and the report of the page; 3 seconds by default. A hidden page does not
    /// paint, so its timeline is sent after this time.
    public var pageReportLimit = Duration.seconds(3)

    /// Creates the default options.
    public init() {}
}

extension Duration {
    var inMilliseconds: Double { Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15 }
}
