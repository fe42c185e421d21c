// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

/// A store of cookies that a reconciler synchronizes with others.
///
/// Reads and writes of different cookies may overlap; two writes of one cookie do not. A write that has thrown has no effect
/// afterwards. The conformance handles the quirks of its store: if an engine reports success for a cookie that it does not
/// keep, the conformance reads it back, and throws ``CookieRejection``.
public protocol CookieStoring: Sendable {
    /// The properties of a cookie that the store can represent.
    var representation: CookieRepresentation { get }

    /// Returns all cookies, as they are at one moment during the call.
    /// - Throws: ``CookieStoreLoss`` if the store has lost cookies by itself since the last call; any other error for a
    ///   temporary fault.
    func snapshot() async throws -> [Cookie]

    /// Stores a cookie in place of one with its identity. It is visible to pages and requests when the call returns.
    /// - Throws: ``CookieRejection`` if the store will never take it; any other error for a temporary fault.
    func set(_ cookie: Cookie) async throws

    /// Removes a cookie, whatever its value; a cookie that is not in the store is no error.
    func remove(_ identity: Cookie.Identity) async throws

    /// Removes the cookies of a scope, for good.
    func clear(_ scope: CookieScope) async throws

    /// Returns a stream of signals that the store has changed, whatever the cause. Signals may be late, doubled, or one for
    /// several changes; a change that no signal follows is not noticed. Called once.
    func changes() async -> AsyncStream<Void>
}

extension CookieStoring {
    /// Removes the cookies of a scope one by one.
    public func clear(_ scope: CookieScope) async throws {
        for cookie in try await snapshot() where scope.contains(cookie.identity) {
            try await remove(cookie.identity)
        }
    }
}

/// The name of a store that a reconciler synchronizes.
public struct CookieStoreID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The name in logs.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The app's own jar, which its network requests use.
    public static let jar = CookieStoreID(rawValue: "jar")
    /// The web engine's store.
    public static let engine = CookieStoreID(rawValue: "engine")
    /// The cookies of `document.cookie`, if that is not the engine's store.
    public static let script = CookieStoreID(rawValue: "script")

    public var description: String { rawValue }
}

/// The error of a store that will never take a cookie. The reconciler does not offer the cookie again until it changes.
public struct CookieRejection: Error, Sendable, CustomStringConvertible {
    /// The reason, for a person; without the cookie's value.
    public let reason: String

    public init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}

/// The error of a store that has lost its cookies by itself, for example because the process that keeps them has ended, so
/// that a missing cookie was not deleted. A store throws it once for each loss, in place of a snapshot, and is read again.
public struct CookieStoreLoss: Error, Sendable, Hashable {
    public init() {}
}

/// The cookies that are cleared together.
public enum CookieScope: Sendable, Hashable {
    /// Every cookie.
    case all
    /// The cookies of these domains and of all hosts below them, as an account has them. Domains are in lower case, without
    /// leading dots.
    case domains(Set<String>)

    /// Returns a Boolean value that indicates whether a cookie of this identity belongs to the scope.
    public func contains(_ identity: Cookie.Identity) -> Bool {
        reaches(identity.domain)
    }

    /// Returns a Boolean value that indicates whether a host is one of the domains or lies below one. No host lies below an
    /// address (RFC 6265bis, section 5.1.3).
    /// - Parameter host: a canonical host, an IPv6 address in brackets.
    @_spi(Facade) public func reaches(_ host: String) -> Bool {
        switch self {
        case .all: true
        case .domains(let domains):
            domains.contains(host) || domains.contains { CookieHost.matches(host, domain: $0) }
        }
    }

    /// Returns the scope of the cookies that belong to one of two scopes.
    static func union(_ one: CookieScope?, _ other: CookieScope?) -> CookieScope? {
        switch (one, other) {
        case (.all, _), (_, .all): .all
        case (.domains(let one), .domains(let other)): .domains(one.union(other))
        case (let scope, nil), (nil, let scope): scope
        }
    }
}
