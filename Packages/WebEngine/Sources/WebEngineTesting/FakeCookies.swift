// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import WebEngine
internal import WebSyntax

/// The cookie store of a ``FakeEngine``. A test can make it fail, hang or lose cookies.
@MainActor
public final class FakeCookies: EngineCookieStore {
    /// The stored cookies, in the order in which they were set.
    public private(set) var cookies: [EngineCookie] = []
    /// The error that ``set(_:)`` throws; `nil` initially.
    public var failure: EngineError?
    /// The name of a cookie that cannot be removed; `nil` initially.
    public var stubborn: String?
    /// The error that ``remove(name:domain:path:)`` throws; `nil` initially.
    public var removalFailure: EngineError?
    /// The number of subsequent ``set(_:)`` calls whose cookie is dropped without an error.
    public var refusals = 0
    /// A Boolean value that indicates whether calls wait until they are cancelled.
    public var hangs = false
    /// The names of cookies for which ``set(_:)`` waits until it is cancelled.
    public var hangingNames: Set<String> = []
    /// The number of calls that waited, or wait, until they are cancelled.
    public private(set) var hangingCalls = 0
    /// The number of calls of ``lose()``.
    public private(set) var losses = 0
    /// The number of calls of ``set(_:)`` and ``remove(name:domain:path:)``.
    public private(set) var writes = 0
    /// A Boolean value that indicates whether the store is in memory only; `false` initially.
    public var isEphemeral = false
    private let signals = Broadcast<Void>(capacity: 1)

    /// Creates an empty store.
    public init() {}

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
        remove(cookie.name, cookie.domain, cookie.path)
        cookies.append(cookie)
        signalChange()
    }

    public func remove(name: String, domain: String, path: String) async throws {
        try await waitIfHanging()
        writes += 1
        if let removalFailure { throw removalFailure }
        if name == stubborn { throw EngineError(.cookie, "cannot be removed", at: name) }
        remove(name, domain, path)
        signalChange()
    }

    private func remove(_ name: String, _ domain: String, _ path: String) {
        cookies.removeAll {
            $0.name.hasSameBytes(as: name) && $0.domain.hasSameBytes(as: domain) && $0.path.hasSameBytes(as: path)
        }
    }

    public func changes() -> AsyncStream<Void> {
        signals.subscribe()
    }

    private func signalChange() {
        signals.send(())
    }

    /// Adds a cookie without a change signal, as if another component had set it.
    public func put(_ cookie: EngineCookie) { cookies.append(cookie) }

    /// Changes the value of the cookies with a name without a change signal, as if a page had set it.
    public func change(_ name: String, to value: String) {
        for index in cookies.indices where cookies[index].name == name { cookies[index].value = value }
    }

    /// Removes all cookies without a change signal, as if the process that holds them had ended.
    public func lose() {
        cookies = []
        losses += 1
    }

    private func waitIfHanging(for name: String? = nil) async throws {
        let hangs = hangs || name.map { hangingNames.contains($0) } ?? false
        if hangs {
            hangingCalls += 1
            for await _ in AsyncStream<Void>.makeStream().stream {}
        }
        try Task.checkCancellation()
    }
}
