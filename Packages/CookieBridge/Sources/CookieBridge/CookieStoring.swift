// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar

/// A cookie store that a reconciler synchronizes with other stores.
///
/// The reconciler may overlap reads with writes, and writes of different cookies, but not two writes of one cookie. A
/// write that has thrown an error must have no later effect. The conformance handles the quirks of its store. For
/// example, if an engine reports success for a cookie that it does not store, the conformance reads the cookie back and
/// throws ``CookieRejection``.
protocol CookieStoring: Sendable {
    /// The properties of a cookie that the store can represent.
    var representation: CookieRepresentation { get }

    /// Returns all cookies as they are at one moment during the call.
    /// - Throws: ``CookieStoreLoss`` if the store has lost cookies by itself since the last call; any other error for a
    ///   temporary fault.
    func snapshot() async throws -> [Cookie]

    /// Stores a cookie, and replaces any cookie with the same identity. Pages and requests have the cookie when the
    /// call returns.
    /// - Throws: ``CookieRejection`` if the store permanently rejects the cookie; any other error for a temporary
    ///   fault.
    func set(_ cookie: Cookie) async throws

    /// Removes the cookie of an identity, whatever its value. Does nothing if the store does not have the cookie.
    func remove(_ identity: Cookie.Identity) async throws

    /// Removes the cookies of a scope permanently.
    func clear(_ scope: CookieScope) async throws

    /// Returns a stream of signals that the store has changed, whatever the cause. The reconciler calls it once.
    ///
    /// Signals may be late or duplicated, or one signal may cover several changes. The reconciler does not detect a
    /// change without a signal.
    func changes() async -> AsyncStream<Void>
}

/// The name of a store that a reconciler synchronizes.
@_spi(Facade) public struct CookieStoreID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The name for logs.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The cookie storage of the app, which its URLSession requests use.
    public static let native = CookieStoreID(rawValue: "native")
    /// The container's jar, which its requests for pages use.
    public static let jar = CookieStoreID(rawValue: "jar")
    /// The web engine's store.
    public static let engine = CookieStoreID(rawValue: "engine")
    /// The cookies of the local server's sites, which are in the engine's store too.
    public static let server = CookieStoreID(rawValue: "server")

    public var description: String { rawValue }
}

/// The error of a store that permanently rejects a cookie. The reconciler does not write the cookie again until it
/// changes.
struct CookieRejection: Error, CustomStringConvertible {
    /// The human-readable reason, without the cookie's value.
    let reason: String

    init(_ reason: String) { self.reason = reason }

    var description: String { reason }
}

/// The error of a store that has lost its cookies by itself, for example because its process ended.
///
/// The reconciler does not treat the missing cookies as deleted. A store throws the error once for each loss, in place
/// of a snapshot. The reconciler then reads the store again.
struct CookieStoreLoss: Error {}

/// A set of cookies that are cleared together.
@_spi(Facade) public enum CookieScope: Sendable, Hashable {
    /// Every cookie.
    case all
    /// The cookies of these domains and of all their subdomains. Domains are in lower case, without leading dots.
    case domains(Set<String>)

    /// Returns a Boolean value that indicates whether the scope contains a cookie of this identity.
    func contains(_ identity: Cookie.Identity) -> Bool {
        reaches(identity.domain)
    }

    /// Returns a Boolean value that indicates whether a host is one of the domains or a subdomain of a domain. An
    /// address has no subdomains (RFC 6265bis, section 5.1.3).
    /// - Parameter host: a canonical host; an IPv6 address is in brackets.
    public func reaches(_ host: String) -> Bool {
        switch self {
        case .all: true
        case .domains(let domains):
            domains.contains(host) || domains.contains { CookieHost.matches(host, domain: $0) }
        }
    }

    /// Returns the union of two scopes; `nil` stands for the empty scope.
    static func union(_ one: CookieScope?, _ other: CookieScope?) -> CookieScope? {
        switch (one, other) {
        case (.all, _), (_, .all): .all
        case (.domains(let one), .domains(let other)): .domains(one.union(other))
        case (let scope, nil), (nil, let scope): scope
        }
    }
}
