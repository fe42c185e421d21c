// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The counters of cookie synchronization.
public struct CookieCounters: Sendable, Hashable {
    /// The counters of the reconciliation rules.
    public var reconciliation = ReconciliationCounters()
    /// The number of change signals from stores.
    public var signals = 0
    /// The number of responses that were delivered before their cookies were in all stores.
    public var lateTransfers = 0
    /// The number of calls that failed because too many callers were waiting.
    public var rejectedCalls = 0

    /// Creates counters of zero.
    public init() {}
}

/// The counters of the reconciliation rules for all stores.
public struct ReconciliationCounters: Sendable, Hashable {
    /// The number of changes found in stores, including those of the first read.
    public var observed = 0
    /// The number of changes observed in a store while a write to it was pending or overlapped with the read.
    public var conflicts = 0
    /// The number of successful writes that a later read found in the store. An echo is not a change.
    public var echoes = 0
    /// The number of reads started.
    public var reads = 0
    /// The number of reads that found a loss: the store had lost cookies by itself.
    public var losses = 0
    /// The number of writes started, including retries.
    public var writes = 0
    /// The number of reads, writes and clear operations that failed.
    public var failures = 0
    /// The number of writes that a store rejected permanently.
    public var refused = 0
    /// The number of writes abandoned after the maximum number of attempts.
    public var abandoned = 0
    /// The number of requests to clear cookies.
    public var clears = 0
    /// The number of times that a cookie was ignored because the limit was reached.
    public var dropped = 0
    /// The number of deletions that were forgotten before all stores had applied them.
    public var discardedDeletions = 0

    /// Creates counters of zero.
    public init() {}
}
