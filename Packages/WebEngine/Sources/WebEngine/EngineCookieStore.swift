// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The cookie store of an engine.
///
/// Isolation: the main actor. A change is visible to pages and requests when the call returns.
@MainActor
public protocol EngineCookieStore: AnyObject {
    /// All cookies, HttpOnly ones included.
    func all() async throws -> [EngineCookie]
    /// Stores a cookie, replacing one of the same name, domain and path.
    /// - Throws: ``EngineError`` with code `cookie` where the engine does not keep it, also where it does not say so itself.
    func set(_ cookie: EngineCookie) async throws
    /// Removes a cookie of this name, domain and path, whatever its value.
    func remove(name: String, domain: String, path: String) async throws
    /// Says from now on that something has changed, whoever changed it, and not what. Signals may come late, twice, or as
    /// one for many changes. Each call is a stream of its own.
    func changes() -> AsyncStream<Void>
    /// How often the engine has lost cookies by itself, as of the last call of ``all()``, so that what is missing was not
    /// deleted: where the process ends that holds them, those that are not on disk are gone. 0 for an
    /// engine that loses none.
    var losses: Int { get }
}

/// A cookie as an engine stores it.
public struct EngineCookie: Sendable, Hashable {
    /// The cookie's name (RFC 6265, section 4.1.1).
    public var name: String
    /// Its value, without quotes added or taken away.
    public var value: String
    /// A leading dot stands for the domain and all below it; an IPv6 address has no brackets.
    public var domain: String
    /// The path that it is sent to, `/` for all.
    public var path: String
    /// Seconds since 1970; `nil` for a cookie of the session.
    public var expires: Int64?
    /// Whether it is sent over https alone.
    public var isSecure: Bool
    /// Whether scripts cannot see it.
    public var isHTTPOnly: Bool
    /// Which sites' pages have it sent.
    public var sameSite: SameSite

    /// Which requests across sites a cookie is sent with (RFC 6265bis, section 4.1.2.7).
    public enum SameSite: Sendable, Hashable {
        /// All, or as the engine takes a cookie that does not say.
        case none
        /// Those for documents that a link leads to.
        case lax
        /// None.
        case strict
    }

    /// Makes a cookie: by default one of the session, for all paths, that scripts see.
    public init(
        name: String, value: String, domain: String, path: String = "/", expires: Int64? = nil, isSecure: Bool = false,
        isHTTPOnly: Bool = false, sameSite: SameSite = .none
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
    }
}
