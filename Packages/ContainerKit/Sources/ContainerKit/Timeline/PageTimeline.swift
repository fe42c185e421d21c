// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import ResourceLoading
public import WebEngine

/// How one page opened: when what happened, and what it asked for. What is not known is `nil`, never 0.
///
/// The URLs are whole, with their queries, which may hold secrets: see ``HARExport/leavesQueriesOut``.
public struct PageTimeline: Sendable, Hashable {
    /// When what happened, as durations since the call of open; of what happens several times the first.
    public struct Marks: Sendable, Hashable {
        /// The page had its view.
        public var checkOutEnded: Duration?
        /// The view began to navigate.
        public var navigationStarted: Duration?
        /// The head of the document's answer was there.
        public var responseStarted: Duration?
        /// The document began to arrive in the view.
        public var committed: Duration?
        /// Something was painted.
        public var firstPaint: Duration?
        /// Text, or a picture, was painted.
        public var firstContentfulPaint: Duration?
        /// The document was parsed, and its `DOMContentLoaded` handlers had run.
        public var domReady: Duration?
        /// The page and all that it loads at first were there.
        public var loaded: Duration?
        /// The load ended before that; also where a later one succeeded.
        public var failed: Duration?
        /// The page was closed.
        public var closed: Duration?

        /// Nothing has happened.
        public init() {}
    }

    /// The page; counts up from 1 in one container.
    public let page: PageID
    /// The real URL of the document: as it was opened, and then as the view showed it last.
    public var documentURL: String
    /// How the page's requests reach the container; `nil` as long as the page has no view.
    public var mode: InterceptionMode?
    /// Whether the view was warm; `nil` as long as the page has none.
    public var hasWarmView: Bool?
    /// The call of open, by the machine's calendar.
    public let opened: Date
    /// When what happened.
    public var marks = Marks()
    /// One line for people: why the load failed; `nil` where it did not.
    public var failure: String?
    /// What the page asked for, in the order in which it ended; at most ``requestLimit``.
    public private(set) var requests: [Request] = []
    /// The most requests that are kept: the first ones.
    public let requestLimit: Int
    /// Requests that ended when there was no room for them.
    public private(set) var droppedRequests = 0

    /// A page that is being opened.
    public init(page: PageID, documentURL: String, opened: Date, requestLimit: Int = TimelineOptions.standardLimit) {
        self.page = page
        self.documentURL = documentURL
        self.opened = opened
        self.requestLimit = max(0, requestLimit)
    }

    /// Adds a request that has ended, or counts it where there is no room.
    public mutating func add(_ request: Request) {
        guard requests.count < requestLimit else {
            droppedRequests += 1
            return
        }
        requests.append(request)
    }
}
