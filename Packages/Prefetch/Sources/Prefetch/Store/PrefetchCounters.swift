// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The counters of a prefetch loader since it was created.
///
/// Each started request counts as one of ``hits``, ``joins``, ``wasted``, ``failures`` and ``abandoned``, or is still
/// waiting.
public struct PrefetchCounters: Sendable, Hashable {
    /// The number of prefetch requests started.
    public var started = 0
    /// The number of responses that were complete when the page requested them.
    public var hits = 0
    /// The number of responses that were in progress when the page requested them.
    public var joins = 0
    /// The number of page requests that had a prefetch request but continued without its response.
    public var misses = 0
    /// The number of misses caused by differing cookies, language or other request headers.
    public var mismatches = 0
    /// The number of prefetch requests whose responses no page requested in time.
    public var wasted = 0
    /// The number of bytes received for wasted requests.
    public var wastedBytes = 0
    /// The number of prefetch requests that failed before a page had their response.
    public var failures = 0
    /// The number of prefetch requests ended because a page's request had waited for the join limit.
    public var abandoned = 0
    /// The number of prefetch requests not sent because of a limit.
    public var skipped = 0
    /// The total time saved for page requests: the time from the start of each prefetch request to the page's request,
    /// or to the end of the response if that was earlier.
    public var saved = Duration.zero

    /// Creates counters of zero.
    public init() {}
}
