// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The steps of request processing that an engine performs itself for intercepted requests.
///
/// Loaders perform the other steps, so that each step happens exactly once.
public struct EngineTraits: Sendable, Hashable {
    /// The kinds of request bodies that an engine provides.
    public enum Bodies: Sendable, Hashable {
        /// Bodies of every kind, complete.
        case all
        /// Byte and text bodies. Reading a body that contains a Blob may crash the app. The container therefore reads a
        /// body only if the body bridge has reported its kind.
        case plain
        /// No bodies.
        case none
    }

    /// The kinds of request bodies that reach the container.
    public var bodies: Bodies
    /// A Boolean value that indicates whether the engine sends cookies, stores them and exposes them to scripts.
    public var keepsCookies: Bool
    /// A Boolean value that indicates whether the engine follows redirects.
    public var followsRedirects: Bool
    /// A Boolean value that indicates whether the engine treats intercepted requests like https requests: CORS
    /// preflights, mixed content, `Sec-Fetch-*` and referrer policies.
    public var preflights: Bool
    /// A Boolean value that indicates whether the engine decodes content codings.
    public var decodes: Bool
    /// A Boolean value that indicates whether the engine's own HTTP cache stores the responses.
    public var caches: Bool
    /// A Boolean value that indicates whether each request identifies the view that sent it.
    public var identifiesPage: Bool
    /// The `Accept-Language` value that the engine sends to servers but omits from intercepted requests; `nil` if the
    /// engine does not omit the field or the value is unknown.
    public var acceptLanguage: String?

    /// Creates traits. No argument has a default, because an omitted trait would make a step run twice or not at all.
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

/// A mechanism by which the requests of a page reach the container.
public enum InterceptionMode: String, Sendable, Hashable, CaseIterable {
    /// No interception: the page loads as if the container did not exist.
    case plain
    /// A scheme handler, at `<scheme>://host/…`.
    case customScheme = "scheme"
    /// The app gives each covered document to the engine at its true URL. Resources that the app holds come from a
    /// scheme handler. The engine loads everything else itself.
    case document
    /// A loopback proxy for this engine alone. The page keeps its true https origin.
    case loopbackProxy = "proxy"
    /// A loopback server for this engine alone, at `https://<site>.localhost:<port>`, for engines without scheme
    /// handlers and without proxies. `docs/differences.md` lists the differences that pages see.
    case loopbackServer = "server"
    /// A scheme handler on `https` itself. The page keeps its true https origin, and the handler gets the https
    /// requests of all pages. It needs private API of the engine; see `docs/apple.md`.
    case httpsTakeover = "takeover"

    /// A Boolean value that indicates whether requests arrive over a loopback connection, which does not identify the
    /// page. All pages of this mode share their generations.
    public var isOverLoopback: Bool { self == .loopbackProxy || self == .loopbackServer }
}
