// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a prefetch has counted since it was made.
///
/// Of the requests that were started each is one of ``hits``, ``joins``, ``wasted``, ``failures`` and ``abandoned``, or
/// waits still.
public struct PrefetchCounters: Sendable, Hashable {
    /// Requests made ahead.
    public var started = 0
    /// Answers that were there whole when the page asked.
    public var hits = 0
    /// Answers that were on their way when the page asked.
    public var joins = 0
    /// Requests of pages that had been made ahead, and that went on alone all the same.
    public var misses = 0
    /// Of the misses, those whose cookies, language or other fields were not those of the request made ahead.
    public var mismatches = 0
    /// Requests made ahead for whose answers nobody came in time.
    public var wasted = 0
    /// The bytes that had come for those.
    public var wastedBytes = 0
    /// Requests made ahead that failed before a page had their answer.
    public var failures = 0
    /// Requests made ahead that were ended because the page had waited long enough.
    public var abandoned = 0
    /// Requests that were not made ahead because of a limit.
    public var skipped = 0
    /// How much sooner the pages' requests were answered, all together: the time that the request made ahead had been
    /// under way, up to its end.
    public var saved = Duration.zero

    public init() {}
}
