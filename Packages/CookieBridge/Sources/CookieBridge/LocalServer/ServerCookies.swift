// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation
internal import WebEngine

/// An adapter that makes the cookies of the local server's sites, which are in the engine's store, a store of the
/// reconciler. Its cookies have their real domains; ``ServerCookieCopies`` has the rules.
///
/// Operations run one after the other, so that a read does not take an own write for a change of a page.
///
/// Isolation: the main actor.
@MainActor
final class ServerCookies: CookieStoring {
    private let store: any EngineCookieStore
    private let token: String
    private let clock: any Clock<Duration>
    nonisolated let record: ServerCookieRecord
    private var copies: ServerCookieCopies
    /// The number of losses that are already reported to the reconciler.
    private var losses: Int
    /// The end of the last operation.
    private var last: Task<Void, Never>?

    /// Creates an adapter.
    /// - Parameters:
    ///   - store: the engine's store.
    ///   - token: the name of the server's access token, which no other store receives.
    ///   - record: the record of the real domains.
    ///   - clock: the clock that times reads.
    init(
        _ store: any EngineCookieStore, token: String, record: ServerCookieRecord,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.store = store
        self.token = token
        self.record = record
        self.clock = clock
        copies = ServerCookieCopies(record)
        losses = store.losses
    }

    nonisolated var representation: CookieRepresentation { .engine }

    /// Gives a site that is served from now on the cookies that its host has. Returns at once for a served site.
    /// - Parameters:
    ///   - url: a real URL of the site.
    ///   - name: the local name of the site.
    /// - Throws: `EngineError`.
    func serve(_ url: CookieURL, named name: String) async throws {
        try await exclusively { [self] in
            let site = ServerCookieCopies.Site(host: url.host, isSecure: url.scheme == "https")
            guard copies.serve(site, named: name) else { return }
            try await adopt(try await read(), ofNew: name)
            _ = try await align()
        }
    }

    func snapshot() async throws -> [Cookie] {
        try await exclusively { [self] in
            let shown = try await read()
            guard store.losses == losses else {
                losses = store.losses
                copies.forgetCopies()
                throw CookieStoreLoss()
            }
            try await adopt(shown)
            // No other store gets a cookie before its domain survives a kill.
            await record.flush()
            _ = try await align()
            return Array(copies.cookies.values)
        }
    }

    func set(_ cookie: Cookie) async throws {
        guard cookie.identity.name != token else { throw CookieRejection("the name belongs to the local server") }
        try await exclusively { [self] in
            copies.set(cookie)
            guard let rejection = try await align() else { return }
            copies.remove(cookie.identity)
            _ = try await align()
            throw rejection
        }
    }

    func remove(_ identity: Cookie.Identity) async throws {
        try await exclusively { [self] in
            copies.remove(identity)
            _ = try await align()
        }
    }

    /// Clears the store even if the engine has lost cookies; the next read reports the loss.
    func clear(_ scope: CookieScope) async throws {
        try await exclusively { [self] in
            let shown = try await read()
            try await adopt(shown)
            copies.clear(scope)
            _ = try await align()
            guard scope == .all else { return }
            // The sites of the other cookies are not known.
            for cookie in try await read() { try await perform(.remove(cookie.identity)) }
        }
    }

    func changes() async -> AsyncStream<Void> {
        store.changes()
    }

    // MARK: The engine's store

    private func read() async throws -> [Cookie] {
        let cookies = try await EngineCookies.all(of: store, clock: clock)
        let now = Date()
        return cookies.filter { $0.isOfLocalhost && $0.name != token }.map { Cookie($0, created: now) }
    }

    private func adopt(_ shown: [Cookie], ofNew site: String? = nil) async throws {
        for copy in copies.adopt(shown, ofNew: site, now: Date()) { try await perform(.remove(copy)) }
    }

    /// Makes the copies in the engine equal to the cookies.
    /// - Returns: the reason if the engine rejects a cookie. The others are written.
    private func align() async throws -> CookieRejection? {
        let updates = copies.updates()
        if !updates.isEmpty { await record.flush() }
        var rejection: CookieRejection?
        for update in updates {
            do {
                try await perform(update)
            } catch let error as EngineError where error.code == .cookie {
                rejection = CookieRejection(error.message)
            }
        }
        copies.finished()
        return rejection
    }

    private func perform(_ update: CookieUpdate) async throws {
        switch update {
        case .set(let copy): try await store.set(EngineCookie(copy))
        case .remove(let copy):
            try await store.remove(name: copy.name, domain: EngineCookie.domain(of: copy), path: copy.path)
        }
        copies.performed(update)
    }

    /// Runs an operation after the operations before it.
    private func exclusively<Value: Sendable>(
        _ operation: @escaping @MainActor () async throws -> Value
    ) async throws -> Value {
        let task = Task { [last] in
            await last?.value
            return try await operation()
        }
        last = Task { _ = await task.result }
        return try await task.value
    }
}
