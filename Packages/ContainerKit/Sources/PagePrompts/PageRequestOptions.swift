// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SchemeRouter

/// The rules for requests of pages to the app, and the limits of their number and time.
public struct PageRequestOptions: Sendable {
    /// The hosts whose documents a page shows without a request, in addition to the host of the URL that the app
    /// opened; `nil`, which means all hosts, by default. Frames may have any host.
    public var hosts: [HostPattern]?
    /// The time limit of requests that a person may answer: dialogs, permissions, windows, other schemes, downloads; 60
    /// seconds by default.
    public var limit = Duration.seconds(60)
    /// The time limit of requests for a document of a host outside, because its server waits; 10 seconds by default.
    public var documentLimit = Duration.seconds(10)
    /// The number of requests of one page that may wait for the app; 4 by default. Others get the safe decision at
    /// once.
    public var waitingLimit = 4
    /// A Boolean value that indicates whether links to other schemes reach the app without a user gesture; false by
    /// default.
    public var asksWithoutGesture = false

    /// Creates the default options.
    public init() {}
}

/// The cause of the decision about a request of a page. Kinds are added over time: keep a default when switching.
public enum PageRequestEnding: Sendable, Hashable {
    /// The app decided.
    case answered
    /// The app has no delegate.
    case noDelegate
    /// Too many requests of the page were waiting (``PageRequestOptions/waitingLimit``), so the app was not asked.
    case tooMany
    /// The app was not asked: the request is a link to another scheme without a user gesture, or its URL is never
    /// opened.
    case ruledOut
    /// The app did not decide within the time limit.
    case timedOut
    /// The delegate threw an error, with this description.
    case failed(String)
    /// The page was closed or showed another document, or its process ended.
    case pageGone
    /// The app withdrew the request: it cancelled the download, signed an account out, or shut the container down.
    case withdrawn
}
