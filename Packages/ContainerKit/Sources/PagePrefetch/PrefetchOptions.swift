// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import Prefetch

/// The requests that the container makes when a page is opened, before the page makes them.
///
/// Requests are prefetched only for covered pages, and only if the page's own request would pass through the
/// container to the network. Requests that rules or the deny list exclude, and requests that a package, a preview or
/// the resource table serves, are not prefetched.
///
/// The page's own request takes the response. A page can also take a response with the message `PREFETCHCALL` if
/// `ContainerConfiguration.Pages.legacyMessages` is set. Each response is delivered once, complete or in progress.
public struct PrefetchOptions: Sendable {
    /// The table of the requests of each page; `nil` by default. `Container.setPrefetchTable(_:)` and each table from
    /// ``tableSource`` replace it.
    public var table: PrefetchTable?
    /// The server of the table, which is requested at launch and when the app enters the foreground; `nil` by
    /// default. The last valid table is stored and replaces ``table`` in the next launch.
    public var tableSource: PrefetchTableSource?
    /// A Boolean value that indicates whether the document of each covered page is also prefetched; `false` by
    /// default. This saves the time of the view's check-out. In modes in which the engine has its own cache, it may
    /// cost a request that the engine would not make.
    public var fetchesDocument = false
    /// A Boolean value that indicates whether cross-origin requests carry their cookies; `false` by default, like
    /// requests of scripts with the default credentials mode (Fetch, `same-origin`). A request of the page takes a
    /// response only if both requests carry cookies or neither does.
    public var sendsCookiesToOtherOrigins = false
    /// The ages and limits of responses, and the header fields in which the page's request may differ; see
    /// `PrefetchLoader.Configuration` for the defaults.
    public var loader = PrefetchLoader.Configuration()

    /// Creates the default options.
    public init() {}
}

/// The server of the prefetch table, and the intervals of the requests for it.
///
/// A response is applied as a whole or not at all. The last applied table is stored in the container's folder and
/// applies in the next launch until there is a newer table.
public struct PrefetchTableSource: Sendable {
    /// The URL of the table.
    public var url: String
    /// The header fields of the request; empty by default. Redirects to another origin do not carry them.
    public var headerFields: HTTPFields = [:]
    /// The minimum time between a response and the next request; 10 minutes by default. The container requests the
    /// table when the app is launched or enters the foreground.
    public var interval = Duration.seconds(600)
    /// The minimum time between a failure and the next request; 30 seconds by default.
    public var retryInterval = Duration.seconds(30)
    /// The time limit of a whole response; 10 seconds by default.
    public var answerLimit = Duration.seconds(10)
    /// The limits of a table; see `PrefetchLimits` for the defaults.
    public var limits = PrefetchLimits.default

    /// Creates a source.
    /// - Parameter url: the URL of the table; its scheme is `http` or `https`.
    public init(url: String) {
        self.url = url
    }
}

/// The result of one request for the prefetch table.
public enum PrefetchTableCheck: Sendable {
    /// A new table was applied.
    case applied(version: String)
    /// The server sent the table that is already applied.
    case unchanged(version: String)
    /// The check failed. The former table still applies, unless the error is `StoreError`.
    ///
    /// The error is `PrefetchError` if the response is not a table. It is `ResourceError`, or `EngineError` with code
    /// `timedOut`, if there is no response. It is `StoreError` if the new table could not be stored; the new table then
    /// applies until the process ends.
    case failed(any Error)
}

/// The counters of the prefetch table since the container was opened.
public struct PrefetchTableCounters: Sendable, Hashable {
    /// The number of requests for the table.
    public var checks = 0
    /// The number of tables that were applied.
    public var applied = 0
    /// The number of failed checks.
    public var failures = 0

    /// Creates counters with the value zero.
    public init() {}
}
