// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The cookie store of an engine.
///
/// Isolation: the main actor. When a call that changes the store returns, pages and requests see the change.
@MainActor
public protocol EngineCookieStore: AnyObject, Sendable {
    /// Returns all cookies, HttpOnly cookies included.
    func all() async throws -> [EngineCookie]
    /// Stores a cookie. It replaces a cookie with the same name, domain and path.
    /// - Throws: ``EngineError`` with code `cookie` if the engine does not store the cookie, even if the engine reports
    ///   no error.
    func set(_ cookie: EngineCookie) async throws
    /// Removes the cookie with this name, domain and path, regardless of its value.
    func remove(name: String, domain: String, path: String) async throws
    /// Returns a new stream that signals changes of the store, whether by the app, a page or a server.
    ///
    /// A signal does not identify the changed cookies. Signals may arrive late or twice, and one signal may report
    /// several changes.
    func changes() -> AsyncStream<Void>
    /// The number of times that the engine has lost cookies, as of the last call of ``all()``.
    ///
    /// When the process that stores the cookies ends, an engine loses the cookies that are not on disk. A cookie that
    /// is missing after a loss was not deleted. The number is 0 for an engine that never loses cookies.
    var losses: Int { get }
    /// A Boolean value that indicates whether the store is in memory only; `false` by default. The container then also
    /// writes no cookie of a page to the disk by way of the app's storage.
    var isEphemeral: Bool { get }
}

extension EngineCookieStore {
    /// The default for an engine that stores its cookies on disk.
    public var isEphemeral: Bool { false }
}

/// A cookie as an engine stores it. Its texts are octets (RFC 6265, section 4.1.1) and are compared by their bytes.
public struct EngineCookie: Sendable, Hashable {
    /// The cookie's name (RFC 6265, section 4.1.1).
    public var name: String
    /// The cookie's value. Quotes are neither added nor removed.
    public var value: String
    /// The domain. A leading dot includes all subdomains. An IPv6 address has no brackets.
    public var domain: String
    /// The path to which the cookie is sent; `/` for all paths.
    public var path: String
    /// The expiry time in seconds since 1970; `nil` for a session cookie.
    public var expires: Int64?
    /// A Boolean value that indicates whether the cookie is sent over https only.
    public var isSecure: Bool
    /// A Boolean value that indicates whether the cookie is hidden from scripts.
    public var isHTTPOnly: Bool
    /// The restriction on cross-site requests.
    public var sameSite: SameSite

    /// A restriction on the cross-site requests that carry a cookie (RFC 6265bis, section 4.1.2.7).
    public enum SameSite: Sendable, Hashable {
        /// All cross-site requests, or the engine's default for a cookie without the attribute.
        case none
        /// Top-level navigations by a safe method, such as links.
        case lax
        /// No cross-site requests.
        case strict
    }

    /// Creates a cookie. By default it is a session cookie for all paths that scripts can read.
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

    /// Returns a Boolean value that indicates whether both cookies are equal, with the same bytes in their texts.
    public static func == (one: EngineCookie, other: EngineCookie) -> Bool {
        one.name.hasSameBytes(as: other.name) && one.value.hasSameBytes(as: other.value)
            && one.domain.hasSameBytes(as: other.domain) && one.path.hasSameBytes(as: other.path)
            && one.expires == other.expires && one.isSecure == other.isSecure && one.isHTTPOnly == other.isHTTPOnly
            && one.sameSite == other.sameSite
    }

    /// Hashes the bytes of the texts.
    public func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        value.hashBytes(into: &hasher)
        domain.hashBytes(into: &hasher)
        path.hashBytes(into: &hasher)
    }
}
