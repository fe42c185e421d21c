// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import Prefetch

/// Where the table of what is fetched ahead comes from, and how often it is asked for.
///
/// A server's answer is taken as a whole or not at all. The last one that was taken is kept in the container's folder,
/// and applies in the next launch until a newer one is there.
public struct PrefetchTableSource: Sendable {
    /// The table's URL.
    public var url: String
    /// Is sent with the request; empty by default. Redirects to another origin go without it.
    public var headerFields: HTTPFields = [:]
    /// How long after an answer the next one is asked for at the earliest, when the app is launched or comes to the
    /// foreground; 10 minutes by default.
    public var interval = Duration.seconds(600)
    /// The same after a failure; 30 seconds by default.
    public var retryInterval = Duration.seconds(30)
    /// How long an answer may take, all of it; 10 seconds by default.
    public var answerLimit = Duration.seconds(10)
    /// What a table may ask for; see `PrefetchLimits` for the defaults.
    public var limits = PrefetchLimits.default

    /// - Parameter url: of `http` or `https`.
    public init(url: String) {
        self.url = url
    }
}

/// What came of asking for the table of what is fetched ahead.
public enum PrefetchTableCheck: Sendable {
    /// Another table applies now.
    case applied(version: String)
    /// It is the one that applies.
    case unchanged(version: String)
    /// What applied before applies still: `PrefetchError` where the answer is no table, `ResourceError` or
    /// `EngineError` with code `timedOut` where none came, `StoreError` where it could not be kept, but applies until
    /// the process ends.
    case failed(any Error)
}

/// What was counted of the table of what is fetched ahead since the container was opened.
public struct PrefetchTableCounters: Sendable, Hashable {
    /// How often the server was asked.
    public var checks: Int
    /// How often another table was taken.
    public var applied: Int
    /// How often that failed.
    public var failures: Int

    public init(checks: Int = 0, applied: Int = 0, failures: Int = 0) {
        self.checks = checks
        self.applied = applied
        self.failures = failures
    }
}
