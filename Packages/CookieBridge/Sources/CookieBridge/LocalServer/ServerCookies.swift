// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
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
    /// The time limit of one write. The reconciler repeats a failed write.
    private static let writeLimit = Duration.seconds(10)
    /// The longest wait for the operations before an operation.
    private static let queueLimit = Duration.seconds(10)

    private let store: any EngineCookieStore
    private let token: String
    private let clock: any Clock<Duration>
    nonisolated let record: ServerCookieRecord
    private var copies: ServerCookieCopies
    /// The number of losses that reads have shown.
    private var losses: Int
    /// A Boolean value that indicates whether a loss is not yet reported to the reconciler.
    private var hasLost = false
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

    /// Gives a site that is served from now on the cookies that its host has. Returns at once for a known site.
    /// - Parameters:
    ///   - url: a real URL of the site.
    ///   - name: the local name of the site.
    /// - Throws: `EngineError`.
    func serve(_ url: CookieURL, named name: String) async throws {
        guard !copies.knows(name) else { return }
        try await exclusively { [self] in
            guard !copies.knows(name) else { return }
            let shown = try await read()
            copies.serve(ServerCookieCopies.Site(host: url.host, isSecure: url.scheme == "https"), named: name)
            copies.adopt(shown, ofNew: name, now: Date())
            // After a kill, the next process must know the site.
            await record.flush()
            try await align().check()
        }
    }

    func snapshot() async throws -> [Cookie] {
        try await exclusively { [self] in
            let cookies = try await current()
            guard !hasLost else {
                hasLost = false
                throw CookieStoreLoss()
            }
            return cookies
        }
    }

    /// Returns the current cookies, also if the engine has lost cookies.
    /// - Throws: `EngineError`.
    func cookies() async throws -> [Cookie] {
        try await exclusively { [self] in try await current() }
    }

    func set(_ cookie: Cookie) async throws {
        guard cookie.identity.name != token else { throw CookieRejection("the name belongs to the local server") }
        try await exclusively { [self] in
            copies.set(cookie)
            let failures = await align().of(cookie.identity)
            guard let rejection = failures.rejection else { return try failures.check() }
            copies.remove(cookie.identity)
            _ = await align()
            throw rejection
        }
    }

    func remove(_ identity: Cookie.Identity) async throws {
        try await exclusively { [self] in
            copies.remove(identity)
            try await align().of(identity).check()
        }
    }

    /// Clears the store even if the engine has lost cookies; the next read reports the loss.
    func clear(_ scope: CookieScope) async throws {
        try await exclusively { [self] in
            copies.adopt(try await read(), now: Date())
            copies.clear(scope)
            try await align().check()
            var left = Set(try await read().map(\.identity))
            if scope == .all {
                // The sites of these cookies are not known.
                for copy in left { try await perform(.remove(copy)) }
                left = []
            }
            record.removeEntries(except: left)
            await record.flush()
        }
    }

    func changes() async -> AsyncStream<Void> {
        store.changes()
    }

    // MARK: The engine's store

    private func read() async throws -> [Cookie] {
        let cookies = try await EngineCookies.all(of: store, clock: clock)
        if store.losses != losses {
            (losses, hasLost) = (store.losses, true)
            copies.forgetCopies()
        }
        let now = Date()
        return cookies.filter { $0.isOfLocalhost && $0.name != token }.map { Cookie($0, created: now) }
    }

    private func current() async throws -> [Cookie] {
        copies.adopt(try await read(), now: Date())
        // No other store gets a cookie before its domain survives a kill.
        await record.flush()
        // A copy that the engine does not store is written again after the next read.
        _ = await align()
        return copies.cookies
    }

    /// The writes that the engine has not performed, with their errors.
    private struct Failures {
        var all: [(update: CookieUpdate, error: any Error)] = []

        /// The reason if the engine rejects a cookie.
        var rejection: CookieRejection? {
            all.lazy.compactMap { failure in
                guard case .set = failure.update, let error = failure.error as? EngineError, error.code == .cookie
                else { return nil }
                return CookieRejection(error.message)
            }.first
        }

        /// Returns the failures of the cookies with the name and the path of an identity.
        func of(_ identity: Cookie.Identity) -> Failures {
            Failures(
                all: all.filter { failure in
                    failure.update.identity.name.utf8.elementsEqual(identity.name.utf8)
                        && failure.update.identity.path.utf8.elementsEqual(identity.path.utf8)
                })
        }

        /// - Throws: the first error.
        func check() throws {
            if let failure = all.first { throw failure.error }
        }
    }

    /// Makes the copies in the engine equal to the cookies. All writes are tried.
    private func align() async -> Failures {
        let updates = copies.updates()
        if !updates.isEmpty { await record.flush() }
        var failures = Failures()
        for update in updates {
            do { try await perform(update) } catch { failures.all.append((update, error)) }
        }
        copies.finished(without: failures.all.map(\.update))
        return failures
    }

    private func perform(_ update: CookieUpdate) async throws {
        // A write that does not end would delay all later operations.
        try await withLimit(Self.writeLimit, clock: clock, "the engine does not store a cookie") { [store] in
            switch update {
            case .set(let copy): try await store.set(EngineCookie(copy))
            case .remove(let copy):
                try await store.remove(name: copy.name, domain: EngineCookie.domain(of: copy), path: copy.path)
            }
        }
        copies.performed(update)
    }

    /// Runs an operation after the operations before it.
    /// - Throws: `CancellationError`; `EngineError` with code `timedOut` if the operations before it do not end; the
    ///   error of the operation.
    private func exclusively<Value: Sendable>(
        _ operation: @escaping @MainActor () async throws -> Value
    ) async throws -> Value {
        let task = Task { [last, clock] in
            if let last, await last.value(within: Self.queueLimit, clock: clock) == nil {
                try Task.checkCancellation()
                throw EngineError(.timedOut, "the engine does not store cookies")
            }
            return try await operation()
        }
        last = Task { [last] in
            await last?.value
            _ = await task.result
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
