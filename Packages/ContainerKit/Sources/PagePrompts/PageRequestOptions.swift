// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SchemeRouter

/// The rules for requests of pages to the app, and the limits of their number and time.
public struct PageRequestOptions: Sendable {
    /// The hosts whose documents a page shows without asking the app. The host of the opened URL is always allowed.
    /// `nil`, the default, allows all hosts. Frames may have any host.
    public var hosts: [HostPattern]?
    /// The time limit of requests that a user may decide: dialogs, permissions, windows, other schemes, downloads; 60
    /// seconds by default.
    public var limit = Duration.seconds(60)
    /// The time limit of requests for a document of a host that is not allowed; 10 seconds by default. It is short
    /// because the server of the document waits.
    public var documentLimit = Duration.seconds(10)
    /// The maximum number of requests of one page that wait for the app; 4 by default. Further requests get the safe
    /// decision at once.
    public var waitingLimit = 4
    /// A Boolean value that indicates whether the app is asked about links to other schemes without a user gesture;
    /// `false` by default.
    public var reportsLinksWithoutGesture = false

    /// Creates the default options.
    public init() {}
}

/// The cause of the decision about a request of a page. Cases are added over time; include a `default` when
/// switching.
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
    /// The delegate threw an error with this description.
    case failed(String)
    /// The page was closed or navigated to another document, or its process ended.
    case pageGone
    /// The app withdrew the request: it cancelled the download, signed an account out, or shut the container down.
    case withdrawn
}
