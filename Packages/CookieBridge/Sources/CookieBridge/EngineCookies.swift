// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation
public import WebEngine
internal import WebSyntax

/// An adapter that makes an engine's store a store of the reconciler.
///
/// Isolation: the main actor.
@MainActor
final class EngineCookies: CookieStoring {
    /// The time limit of one read. The reconciler repeats a failed read.
    private static let readLimit = Duration.seconds(10)

    private let store: any EngineCookieStore
    private let clock: any Clock<Duration>
    private let isIncluded: @Sendable (EngineCookie) -> Bool
    /// The number of losses that are already reported to the reconciler.
    private var losses: Int

    /// Creates an adapter.
    /// - Parameters:
    ///   - store: the engine's store.
    ///   - clock: the clock that times reads.
    ///   - isIncluded: a closure that returns `false` for a cookie that no other store receives, and that the engine
    ///     does not receive from another store.
    init(
        _ store: any EngineCookieStore, clock: any Clock<Duration> = ContinuousClock(),
        where isIncluded: @escaping @Sendable (EngineCookie) -> Bool = { _ in true }
    ) {
        self.store = store
        self.clock = clock
        self.isIncluded = isIncluded
        losses = store.losses
    }

    nonisolated var representation: CookieRepresentation { .engine }

    func snapshot() async throws -> [Cookie] {
        let cookies = try await all()
        guard store.losses == losses else {
            losses = store.losses
            throw CookieStoreLoss()
        }
        return cookies
    }

    /// Clears the store even if the engine has lost cookies; the next read reports the loss.
    func clear(_ scope: CookieScope) async throws {
        for cookie in try await all() where scope.contains(cookie.identity) { try await remove(cookie.identity) }
    }

    private func all() async throws -> [Cookie] {
        let cookies = try await Self.all(of: store, clock: clock)
        let now = Date()
        return cookies.filter(isIncluded).map { Cookie($0, created: now) }
    }

    /// Returns the cookies of a store within the time limit of a read.
    /// - Throws: `EngineError`.
    static func all(
        of store: any EngineCookieStore, clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> [EngineCookie] {
        try await withLimit(readLimit, clock: clock, "the engine does not return its cookies") { try await store.all() }
    }

    func set(_ cookie: Cookie) async throws {
        let stored = EngineCookie(cookie)
        // No read would show the cookie, so that it would count as deleted by the engine.
        guard isIncluded(stored) else { throw CookieRejection("the cookie belongs to the local server") }
        do {
            try await store.set(stored)
        } catch let error as EngineError where error.code == .cookie {
            throw CookieRejection(error.message)
        }
    }

    func remove(_ identity: Cookie.Identity) async throws {
        try await store.remove(name: identity.name, domain: EngineCookie.domain(of: identity), path: identity.path)
    }

    func changes() async -> AsyncStream<Void> {
        store.changes()
    }
}

extension EngineCookieStore {
    /// Clears a store that no reconciler synchronizes. It tries to remove every cookie of the scope, even if the
    /// removal of another cookie fails.
    /// - Parameters:
    ///   - scope: the cookies to remove.
    ///   - limit: the longest time for all removals.
    ///   - change: a closure that returns the cookie with the real host for which the engine stores it; `nil` to keep
    ///     the cookie.
    /// - Throws: the first error; `EngineError` with code `timedOut` after the limit.
    @_spi(Facade) public func clear(
        _ scope: CookieScope, within limit: Duration = .seconds(10),
        changing change: @escaping @MainActor (EngineCookie) -> EngineCookie? = { $0 }
    ) async throws {
        try await withLimit(limit, "the engine does not clear its cookies in time") {
            var failure: (any Error)?
            for cookie in try await self.all() {
                guard let real = change(cookie), scope.contains(Cookie(real, created: .distantPast).identity) else {
                    continue
                }
                do {
                    try await self.remove(name: cookie.name, domain: cookie.domain, path: cookie.path)
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
        }
    }
}

extension EngineCookie {
    /// Creates the engine's form of a jar cookie.
    init(_ cookie: Cookie) {
        self.init(
            name: cookie.identity.name, value: cookie.value, domain: Self.domain(of: cookie.identity),
            path: cookie.identity.path,
            // The time is rounded down, so that the cookie does not outlive the jar's cookie. It is limited to dates
            // that an engine can represent.
            expires: cookie.expires.map { Int64(min(max($0.timeIntervalSince1970, 0), 1e12).rounded(.down)) },
            isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly, sameSite: SameSite(cookie.sameSite))
    }

    /// A Boolean value that indicates whether the cookie belongs to `localhost` or a name below it.
    var isOfLocalhost: Bool {
        CookieScope.domains(["localhost"]).contains(Cookie(self, created: .distantPast).identity)
    }

    static func domain(of identity: Cookie.Identity) -> String {
        guard identity.isHostOnly else { return "." + identity.domain }
        return identity.domain.hasPrefix("[") ? String(identity.domain.dropFirst().dropLast()) : identity.domain
    }
}

extension Cookie {
    /// Creates the jar's form of an engine cookie.
    init(_ cookie: EngineCookie, created: Date) {
        let isHostOnly = !cookie.domain.hasPrefix(".")
        let domain = (isHostOnly ? cookie.domain : String(cookie.domain.dropFirst())).asciiLowercased
        let isBareAddress = domain.utf8.contains(UInt8(ascii: ":")) && !domain.hasPrefix("[")
        self.init(
            Identity(
                name: cookie.name, domain: isBareAddress ? "[\(domain)]" : domain, isHostOnly: isHostOnly,
                path: cookie.path),
            value: cookie.value, expires: cookie.expires.map { Date(timeIntervalSince1970: Double($0)) },
            created: created, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
            sameSite: SameSite(cookie.sameSite))
    }
}

extension EngineCookie.SameSite {
    fileprivate init(_ sameSite: Cookie.SameSite) {
        self =
            switch sameSite {
            case .none, .unspecified: .none
            case .lax: .lax
            case .strict: .strict
            }
    }
}

extension Cookie.SameSite {
    fileprivate init(_ sameSite: EngineCookie.SameSite) {
        self =
            switch sameSite {
            case .none: .none
            case .lax: .lax
            case .strict: .strict
            }
    }
}
