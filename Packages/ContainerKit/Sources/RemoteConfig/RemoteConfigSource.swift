// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import RemoteConfig

/// How a container comes to its remote config.
public struct RemoteConfigOptions: Sendable {
    /// Where the document is fetched from; nowhere by default: the host brings it by `Container.apply(_:)`.
    public var source: RemoteConfigSource?

    /// - Parameter source: see ``source``.
    public init(source: RemoteConfigSource? = nil) {
        self.source = source
    }
}

/// Where the remote config document comes from, and how often it is asked for.
///
/// An answer is taken as a whole or not at all. The last one that was taken is kept in the container's folder, and
/// applies from the next launch's first page on, without the network; one that was kept of another URL does not.
public struct RemoteConfigSource: Sendable {
    /// The document's URL, of `https`.
    public var url: String
    /// Is sent with the request; empty by default. Redirects to another origin go without it.
    public var headerFields: HTTPFields = [:]
    /// How long after an answer the next one is asked for at the earliest, when the app is launched, comes to the
    /// foreground or opens a page; 10 minutes by default.
    public var interval = Duration.seconds(600)
    /// The same after a failure; 30 seconds by default.
    public var retryInterval = Duration.seconds(30)
    /// How long an answer may take, all of it; 10 seconds by default.
    public var answerLimit = Duration.seconds(10)
    /// Whether ``url`` may be of `http`, as for a server of a developer; false by default.
    public var allowsInsecure = false

    /// - Parameter url: see ``url``.
    public init(url: String) {
        self.url = url
    }
}

/// What came of asking for the remote config document.
public enum RemoteConfigCheck: Sendable {
    /// Another document applies now.
    case applied(version: Int)
    /// It is the one that applies.
    case unchanged(version: Int)
    /// What applied before applies still: `RemoteConfigError` where the answer is no document, or an older one,
    /// `ResourceError`, `DeliveryError` or `EngineError` with code `timedOut` where none came; `StoreError` where it
    /// could not be kept, but applies until the process ends.
    case failed(any Error)
}

/// What was counted of remote config since the container was opened.
public struct RemoteConfigCounters: Sendable, Hashable {
    /// How often the server was asked.
    public var checks: Int
    /// How often another document was taken, from the server or the host.
    public var applied: Int
    /// How often asking failed, and how often the host's document was refused.
    public var failures: Int

    public init(checks: Int = 0, applied: Int = 0, failures: Int = 0) {
        self.checks = checks
        self.applied = applied
        self.failures = failures
    }
}

/// What remote config says now.
public struct RemoteConfigState: Sendable {
    /// The document that was taken last; `nil` where there is none.
    public var document: RemoteConfigDocument?
    /// Whether the document's time is over, so that all is as the host has it.
    public var isExpired: Bool
    /// Whether it lets anything be intercepted. The host's own switch is `Container.isEnabled`, and both are needed.
    public var isEnabled: Bool
    /// The features that are on for this device, as far as the host uses them.
    public var features: Set<RemoteConfigFeature>
    /// The document by whose modes and numbers this container was opened; `nil` where there was none.
    public var documentAtStart: RemoteConfigDocument?
}
