// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What an engine does by itself with an intercepted request, so that nobody does it twice or not at all.
public struct EngineTraits: Sendable, Hashable {
    /// Which request bodies reach the container.
    public enum Bodies: Sendable, Hashable {
        /// Every kind, whole.
        case all
        /// Bytes and text. To ask for one that holds a Blob may end the app: the engine is asked only where the bridge
        /// knows what it is.
        case plain
        /// None.
        case none
    }

    /// Which request bodies reach the container.
    public var bodies: Bodies
    /// Cookies are sent, stored and shown to scripts by the engine.
    public var keepsCookies: Bool
    /// A redirect answer is followed by the engine.
    public var followsRedirects: Bool
    /// The engine treats what it intercepts as it does https: CORS preflights, mixed content, `Sec-Fetch-*`, referrer
    /// policies.
    public var preflights: Bool
    /// Content codings are decoded by the engine.
    public var decodes: Bool
    /// Answers are kept by the engine's own HTTP cache.
    public var caches: Bool
    /// Each request names the view that asks.
    public var identifiesPage: Bool
    /// `Accept-Language` as the engine says it to servers, if it leaves it out of the requests that it hands over; `nil` if
    /// it does not, or if it is not known.
    public var acceptLanguage: String?

    /// Makes the traits. None of these has a default: what is not said would be done twice, or not at all.
    public init(
        bodies: Bodies, keepsCookies: Bool, followsRedirects: Bool, preflights: Bool, decodes: Bool, caches: Bool,
        identifiesPage: Bool, acceptLanguage: String?
    ) {
        self.bodies = bodies
        self.keepsCookies = keepsCookies
        self.followsRedirects = followsRedirects
        self.preflights = preflights
        self.decodes = decodes
        self.caches = caches
        self.identifiesPage = identifiesPage
        self.acceptLanguage = acceptLanguage
    }
}

/// How a page's requests reach the container.
public enum InterceptionMode: String, Sendable, Hashable, CaseIterable {
    /// Not at all: the page loads as if the container were not there.
    case plain
    /// Through a scheme handler, at `<scheme>://host/…`.
    case customScheme = "scheme"
    /// By a proxy on this machine that the engine uses and nobody else may: the page keeps its true https origin.
    case loopbackProxy = "proxy"
    /// At `https://<site>.localhost:<port>`, where a server on this machine serves this engine and nobody else: for
    /// engines that have neither scheme handlers nor a proxy. What is different for the pages stands in the
    /// documentation.
    case loopbackServer = "server"

    /// A Boolean value that indicates whether requests come without the page that sent them, so that all pages share their
    /// generations.
    public var isOverLoopback: Bool { self == .loopbackProxy || self == .loopbackServer }
}
