// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import CookieJar
public import Foundation

/// What `document.cookie` shows where the engine keeps no cookies: a store that is read and written at once.
///
/// A page asks for its text by address; each change gets a version, and ``invalidations()`` tells pages that what they show is
/// old. HttpOnly cookies are never in it: the reconciler keeps them out, and takes back what a script sets over one.
///
/// Isolation: any.
public final class ScriptView: CookieStoring {
    private struct State {
        var cookies: [Cookie.Identity: Cookie] = [:]
        var version: UInt64 = 0
        var turnedAway = 0
    }

    private let state = Mutex(State())
    private let versions = Broadcast<UInt64>(capacity: 1)
    private let signals = Broadcast<Void>(capacity: 1)
    private let capacity: Int

    /// - Parameter capacity: the most cookies that scripts may bring it to; 3,000 by default, as RFC 6265bis asks of a user
    ///   agent at least (section 6.1).
    public init(capacity: Int = 3_000) {
        self.capacity = capacity
    }

    public var representation: CookieRepresentation { .script }

    /// Counts the changes.
    public var version: UInt64 { state.withLock { $0.version } }

    /// Changes of scripts for which there was no room.
    public var turnedAwayCount: Int { state.withLock { $0.turnedAway } }

    /// What `document.cookie` is in a document: cookies of longer paths first, then older ones (RFC 6265bis, section 5.8.3).
    /// - Parameters:
    ///   - host: lower case; an IPv6 address in brackets.
    ///   - path: the path of the document's URL.
    ///   - isSecure: whether the document came over https.
    ///   - now: the current time, by which cookies expire.
    public func text(host: String, path: String, isSecure: Bool, now: Date) -> String {
        state.withLock { Array($0.cookies.values) }
            .filter { cookie in
                (isSecure || !cookie.isSecure) && cookie.expires.map { $0 > now } ?? true
                    && (cookie.identity.isHostOnly
                        ? host == cookie.identity.domain
                        : CookieHost.matches(host, domain: cookie.identity.domain))
                    && CookiePath.matches(path.utf8.first == UInt8(ascii: "/") ? path : "/", cookie.identity.path)
            }
            .sorted { one, other in
                let lengths = (one.identity.path.utf8.count, other.identity.path.utf8.count)
                if lengths.0 != lengths.1 { return lengths.0 > lengths.1 }
                if one.created != other.created { return one.created < other.created }
                return one.identity.name < other.identity.name
            }
            .map { $0.identity.name.isEmpty ? $0.value : "\($0.identity.name)=\($0.value)" }
            .joined(separator: "; ")
    }

    /// A script's own change, seen by the next ``text(host:path:isSecure:now:)`` and by the reconciler.
    /// - Returns: whether it was taken: not for an HttpOnly cookie, nor for one more cookie than there is room for.
    @discardableResult
    public func write(_ change: CookieUpdate) -> Bool {
        state.withLock { state in
            if case .set(let cookie) = change {
                let isNew = state.cookies[cookie.identity] == nil
                guard !cookie.isHTTPOnly, !isNew || state.cookies.count < capacity else {
                    state.turnedAway += 1
                    return false
                }
            }
            apply(change, to: &state)
            return true
        }
    }

    /// The version after each change, from now on; of several at once only the last.
    public func invalidations() -> AsyncStream<UInt64> {
        versions.subscribe()
    }

    // MARK: CookieStoring

    public func snapshot() async throws -> [Cookie] {
        state.withLock { Array($0.cookies.values) }
    }

    public func set(_ cookie: Cookie) async throws {
        guard !cookie.isHTTPOnly else { throw CookieRejection("scripts do not see HttpOnly cookies") }
        state.withLock { apply(.set(cookie), to: &$0) }
    }

    public func remove(_ identity: Cookie.Identity) async throws {
        state.withLock { apply(.remove(identity), to: &$0) }
    }

    public func changes() async -> AsyncStream<Void> {
        signals.subscribe()
    }

    /// Applies a change under the lock, so that the newest version is sent last.
    private func apply(_ change: CookieUpdate, to state: inout State) {
        let before = state.cookies[change.identity]
        switch change {
        case .set(let cookie): state.cookies[cookie.identity] = cookie
        case .remove(let identity): state.cookies[identity] = nil
        }
        guard before != state.cookies[change.identity] else { return }
        state.version += 1
        signals.send(())
        versions.send(state.version)
    }
}
