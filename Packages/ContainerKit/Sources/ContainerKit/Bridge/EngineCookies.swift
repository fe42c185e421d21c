// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieBridge
internal import CookieJar
internal import Foundation
internal import WebEngine

/// The engine's store, as the reconciler sees it.
///
/// Isolation: the main actor.
@MainActor
final class EngineCookies: CookieStoring {
    /// How long a reading may take: an engine that does not answer is asked again.
    private static let readLimit = Duration.seconds(10)

    private let store: any EngineCookieStore
    private let clock: any Clock<Duration>
    /// How many losses of the store the reconciler has heard of.
    private var losses: Int

    init(_ store: any EngineCookieStore, clock: any Clock<Duration> = ContinuousClock()) {
        self.store = store
        self.clock = clock
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

    /// What the engine has lost is cleared, too; the next reading tells of the loss.
    func clear(_ scope: CookieScope) async throws {
        for cookie in try await all() where scope.contains(cookie.identity) { try await remove(cookie.identity) }
    }

    private func all() async throws -> [Cookie] {
        let cookies = try await Self.all(of: store, clock: clock)
        let now = Date()
        return cookies.map { Cookie($0, created: now) }
    }

    /// What a store has, within the limit of a reading.
    /// - Throws: ``EngineError``.
    static func all(
        of store: any EngineCookieStore, clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> [EngineCookie] {
        try await withLimit(readLimit, clock: clock, "the engine does not tell its cookies") { try await store.all() }
    }

    func set(_ cookie: Cookie) async throws {
        do {
            try await store.set(EngineCookie(cookie))
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

extension EngineCookie {
    /// What an engine keeps of a cookie.
    init(_ cookie: Cookie) {
        self.init(
            name: cookie.identity.name, value: cookie.value, domain: Self.domain(of: cookie.identity),
            path: cookie.identity.path,
            // Down, so that it does not outlive the jar's; and no date lies beyond what can be counted.
            expires: cookie.expires.map { Int64(min(max($0.timeIntervalSince1970, 0), 1e12).rounded(.down)) },
            isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly, sameSite: SameSite(cookie.sameSite))
    }

    static func domain(of identity: Cookie.Identity) -> String {
        guard identity.isHostOnly else { return "." + identity.domain }
        return identity.domain.hasPrefix("[") ? String(identity.domain.dropFirst().dropLast()) : identity.domain
    }
}

extension Cookie {
    init(_ cookie: EngineCookie, created: Date) {
        let isHostOnly = !cookie.domain.hasPrefix(".")
        let domain = (isHostOnly ? cookie.domain : String(cookie.domain.dropFirst())).lowercased()
        self.init(
            Identity(
                name: cookie.name, domain: domain.utf8.contains(UInt8(ascii: ":")) ? "[\(domain)]" : domain,
                isHostOnly: isHostOnly, path: cookie.path),
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
