// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// An event of a ``NameResolver``.
public enum NameLookupEvent: Sendable, Hashable {
    /// The reason for which a resolver stops to use its servers.
    public enum Reason: String, Sendable {
        /// All servers failed for several names that the system resolved.
        case lookUps = "look-ups-failed"
        /// Connections to the addresses of the servers failed, and those to the addresses of the system succeeded.
        case connections = "connections-failed"
    }

    /// The servers are not used until the next launch. This event occurs once.
    case switchedOff(Reason)
    /// An answer for a host of the public internet had an address that is not public, and was not used.
    case implausibleAnswer(host: String)
}

/// The numbers of a ``NameResolver`` since its creation.
public struct NameCounters: Sendable, Hashable {
    /// The number of answers from the cache, without stale ones.
    public var hits = 0
    /// The number of stale answers that were used while they were refreshed.
    public var staleHits = 0
    /// The number of look-ups that were started. Callers for the same host share one.
    public var lookUps = 0
    /// The number of look-ups that a server answered.
    public var serverAnswers = 0
    /// The number of look-ups for which all servers failed.
    public var serverFailures = 0
    /// The number of look-ups that ended with the system's answer although servers were to be used first.
    public var systemFallbacks = 0
    /// The number of answers that were not used because they were implausible.
    public var implausibleAnswers = 0
    /// The number of connections to addresses of the system after all addresses of the servers failed.
    public var connectionFallbacks = 0

    /// Creates counters that are zero.
    public init() {}
}
