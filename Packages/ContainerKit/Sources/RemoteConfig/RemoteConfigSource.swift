// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import SchemeRouter

/// The options of a container's remote config.
public struct RemoteConfigOptions: Sendable {
    /// The server of the document; `nil`, the default, if only the host provides documents, with `Container.apply(_:)`.
    public var source: RemoteConfigSource?
    /// The hosts whose requests the rules of a document may block, redirect, answer or change; none by default. A
    /// document with a rule for another host is refused as a whole. Whoever publishes the document can run scripts in
    /// pages of these hosts.
    public var ruleHosts: [HostPattern] = []

    /// Creates options.
    /// - Parameter source: the server of the document; see ``source``.
    public init(source: RemoteConfigSource? = nil) {
        self.source = source
    }
}

/// The server of the remote config document, and the intervals of the requests for it.
///
/// A response is applied as a whole or not at all. The last applied document is stored in the container's folder. In
/// the next launch it applies from the first page on, without the network. A document that was stored for another URL
/// does not apply.
public struct RemoteConfigSource: Sendable {
    /// The URL of the document; its scheme is `https`.
    public var url: String
    /// The header fields of the request; empty by default. Redirects to another origin do not carry them.
    public var headerFields: HTTPFields = [:]
    /// The minimum time between a response and the next request; 10 minutes by default. The container requests the
    /// document when the app is launched, enters the foreground or opens a page.
    public var interval = Duration.seconds(600)
    /// The minimum time between a failure and the next request; 30 seconds by default.
    public var retryInterval = Duration.seconds(30)
    /// The time limit of a whole response; 10 seconds by default.
    public var answerLimit = Duration.seconds(10)
    /// A Boolean value that indicates whether the scheme of ``url`` may be `http`, for example for a development
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
    /// A new document was applied.
    case applied(version: Int)
    /// The server sent the document that is already applied.
    case unchanged(version: Int)
    /// The check failed. The former document still applies, unless the error is `StoreError`.
    ///
    /// The error is `RemoteConfigError` if the URL is not `https`, or if the response is not a document or is an older
    /// document. It is `ResourceError`, `DeliveryError`, or `EngineError` with code `timedOut`, if there is no
    /// response. It is `StoreError` if the new document could not be stored; the new document then applies until the
    /// process ends.
    case failed(any Error)
}

/// The counters of remote config since the container was opened.
public struct RemoteConfigCounters: Sendable, Hashable {
    /// The number of requests for the document.
    public var checks = 0
    /// The number of documents that were applied, from the server or the host.
    public var applied = 0
    /// The number of failed checks and of refused documents of the host.
    public var failures = 0

    /// Creates counters with the value zero.
    public init() {}
}

/// The state of remote config at one moment.
public struct RemoteConfigState: Sendable {
    /// The document that was applied last; `nil` if there is none.
    public var document: RemoteConfigDocument?
    /// A Boolean value that indicates whether the document has expired, so that only the host's configuration
    /// applies.
    public var isExpired: Bool
    /// A Boolean value that indicates whether the document allows interception. The host's own switch is
    /// `Container.isEnabled`; both must be on.
    public var isEnabled: Bool
    /// The features that are on for this device if the host uses them.
    public var features: Set<RemoteConfigFeature>
    /// The document whose modes and numbers this container was opened with; `nil` if there was none.
    public var documentAtStart: RemoteConfigDocument?
}
