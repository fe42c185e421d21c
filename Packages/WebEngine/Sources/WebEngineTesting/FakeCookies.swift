// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import WebEngine

/// The cookies of a ``FakeEngine``: it keeps what it is given, unless a test has it fail.
@MainActor
public final class FakeCookies: EngineCookieStore {
    /// What is kept, in the order in which it was set.
    public private(set) var cookies: [EngineCookie] = []
    /// What setting one throws.
    public var failure: EngineError?
    /// The name of one that cannot be removed.
    public var stubborn: String?
    /// What removing one throws.
    public var removalFailure: EngineError?
    /// How many are lost before one is kept.
    public var refusals = 0
    /// Whether it answers never, until it is cancelled.
    public var hangs = false
    /// Cookies that are never set, until that is cancelled.
    public var hangingNames: Set<String> = []
    /// How often all was lost.
    public private(set) var losses = 0
    /// What was changed from outside.
    public private(set) var writes = 0
    private let signals = Broadcast<Void>(capacity: 1)

    public func all() async throws -> [EngineCookie] {
        try await waitIfHanging()
        return cookies
    }

    public func set(_ cookie: EngineCookie) async throws {
        try await waitIfHanging(for: cookie.name)
        writes += 1
        if let failure { throw failure }
        guard refusals == 0 else {
            refusals -= 1
            return
        }
        cookies.removeAll { $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path }
        cookies.append(cookie)
        signalChange()
    }

    public func remove(name: String, domain: String, path: String) async throws {
        try await waitIfHanging()
        writes += 1
        if let removalFailure { throw removalFailure }
        if name == stubborn { throw EngineError(.cookie, "it stays", at: name) }
        cookies.removeAll { $0.name == name && $0.domain == domain && $0.path == path }
        signalChange()
    }

    public func changes() -> AsyncStream<Void> {
        signals.subscribe()
    }

    private func signalChange() {
        signals.send(())
    }

    /// Has a cookie that somebody else has set, and says nothing of it.
    public func put(_ cookie: EngineCookie) { cookies.append(cookie) }

    /// Loses all by itself, as where the process ends that has them.
    public func lose() {
        cookies = []
        losses += 1
    }

    private func waitIfHanging(for name: String? = nil) async throws {
        let hangs = hangs || name.map { hangingNames.contains($0) } ?? false
        if hangs { for await _ in AsyncStream<Void>.makeStream().stream {} }
        try Task.checkCancellation()
    }
}
