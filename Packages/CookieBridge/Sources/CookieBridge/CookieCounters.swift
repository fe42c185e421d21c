// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The counters of the synchronization of cookies.
public struct CookieCounters: Sendable, Hashable {
    /// The counters of the changes.
    public var reconciliation = ReconciliationCounters()
    /// Signals of stores.
    public var signals = 0
    /// Responses that did not wait until their cookies were in all stores.
    public var lateHandOvers = 0
    /// Callers that could not wait, because too many did.
    public var turnedAway = 0

    public init() {}
}

/// The counters of changes to the cookies of all stores.
public struct ReconciliationCounters: Sendable, Hashable {
    /// Changes that were handed over and are news.
    public var applied = 0
    /// Changes that were handed over and were known.
    public var duplicates = 0
    /// Changes that a store made, those of its first reading included.
    public var observed = 0
    /// Of these, those of a store that did not have the version before yet.
    public var conflicts = 0
    /// Writes of ours that a read showed: no news.
    public var echoes = 0
    /// Reads begun.
    public var reads = 0
    /// Reads that found that the store had lost its cookies by itself.
    public var losses = 0
    /// Writes begun, retries included.
    public var writes = 0
    /// Reads, writes and clearings that failed.
    public var failures = 0
    /// Writes that a store refused for good.
    public var refused = 0
    /// Writes that were given up after as many attempts as are allowed.
    public var abandoned = 0
    /// Changes of scripts to HttpOnly cookies.
    public var rejectedScriptChanges = 0
    /// Clearings asked for.
    public var clears = 0
    /// Cookies that were not taken over for want of room; each time one is seen.
    public var dropped = 0
    /// Deletions that were forgotten before all stores had seen them.
    public var forgottenDeletions = 0

    public init() {}
}
