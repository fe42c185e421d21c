// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// The options of a container's remote config.
public struct RemoteConfigOptions: Sendable {
    /// The server of the document; `nil` by default, if the host passes documents to `Container.apply(_:)`.
    public var source: RemoteConfigSource?

    /// Creates options.
    /// - Parameter source: the server of the document; see ``source``.
    public init(source: RemoteConfigSource? = nil) {
        self.source = source
    }
}

/// The server of the remote config document, and the times at which the container requests it.
///
/// A response is applied as a whole or not at all. The last applied document is stored in the container's folder and
/// applies from the first page of the next launch on, without the network. A document that was stored for another URL
/// does not apply.
public struct RemoteConfigSource: Sendable {
    /// The URL of the document; its scheme is `https`.
    public var url: String
    /// The header fields of the request; empty by default. Redirects to another origin do not carry them.
    public var headerFields: HTTPFields = [:]
    /// The shortest time between a response and the next request, which the container makes when the app is launched,
    /// enters the foreground or opens a page; 10 minutes by default.
    public var interval = Duration.seconds(600)
    /// The shortest time between a failure and the next request; 30 seconds by default.
    public var retryInterval = Duration.seconds(30)
    /// The time limit of a whole response; 10 seconds by default.
    public var answerLimit = Duration.seconds(10)
    /// A Boolean value that indicates whether the scheme of ``url`` may be `http`, for example for a developer's
    /// server; `false` by default.
    public var allowsInsecure = false

    /// Creates a source.
    /// - Parameter url: the URL of the document; see ``url``.
    public init(url: String) {
        self.url = url
    }
}

/// The result of one request for the remote config document.
public enum RemoteConfigCheck: Sendable {
    /// Another document applies now.
    case applied(version: Int)
    /// The server sent the document that applies already.
    case unchanged(version: Int)
    /// The check failed, and the document that applied before still applies. The error is `RemoteConfigError` if the
    /// response is not a document or is an older one, and `ResourceError`, `DeliveryError` or `EngineError` with code
    /// `timedOut` if there is no response. It is `StoreError` if the document could not be stored; then it applies
    /// until the process ends.
    case failed(any Error)
}

/// The counters of remote config since the container was opened.
public struct RemoteConfigCounters: Sendable, Hashable {
    /// The number of requests for the document.
    public var checks: Int
    /// The number of documents that were applied, from the server or the host.
    public var applied: Int
    /// The number of failed checks and of refused documents of the host.
    public var failures: Int

    /// Creates counters.
    /// - Parameters:
    ///   - checks: the number of requests.
    ///   - applied: the number of applied documents.
    ///   - failures: the number of failures.
    public init(checks: Int = 0, applied: Int = 0, failures: Int = 0) {
        self.checks = checks
        self.applied = applied
        self.failures = failures
    }
}

/// The state of remote config at one moment.
public struct RemoteConfigState: Sendable {
    /// The document that was applied last; `nil` if there is none.
    public var document: RemoteConfigDocument?
    /// A Boolean value that indicates whether the document has expired, so that the host's configuration applies alone.
    public var isExpired: Bool
    /// A Boolean value that indicates whether the document allows interception. The host's own switch is
    /// `Container.isEnabled`; both must be on.
    public var isEnabled: Bool
    /// The features that are on for this device if the host uses them.
    public var features: Set<RemoteConfigFeature>
    /// The document whose modes and numbers this container was opened with; `nil` if there was none.
    public var documentAtStart: RemoteConfigDocument?
}
