// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import CookieJar

@_spi(Facade) @testable import CookieBridge

/// A store in memory whose writes a test can block or make fail.
final class FakeStore: CookieStoring {
    struct Broken: Error {}

    private struct State {
        var cookies: [Cookie.Identity: Cookie] = [:]
        var signal: AsyncStream<Void>.Continuation?
        var isGated = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var failures = 0
    }

    let representation: CookieRepresentation
    private let state = Mutex(State())

    init(_ representation: CookieRepresentation = .whole, _ cookies: [Cookie] = []) {
        self.representation = representation
        state.withLock { state in
            for cookie in cookies { state.cookies[cookie.identity] = cookie }
        }
    }

    var values: [String: String] {
        state.withLock { state in
            Dictionary(uniqueKeysWithValues: state.cookies.values.map { ($0.identity.name, $0.value) })
        }
    }

    /// Makes a change on behalf of the page or the app.
    func change(_ change: CookieUpdate) {
        state.withLock { state in
            switch change {
            case .set(let cookie): state.cookies[cookie.identity] = cookie
            case .remove(let identity): state.cookies[identity] = nil
            }
            state.signal?.yield()
        }
    }

    func closeGate() { state.withLock { $0.isGated = true } }

    func openGate() {
        let waiting = state.withLock { state in
            state.isGated = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    func failNext(_ count: Int) { state.withLock { $0.failures = count } }

    func snapshot() async throws -> [Cookie] { state.withLock { Array($0.cookies.values) } }

    func set(_ cookie: Cookie) async throws { try await write(.set(cookie)) }

    func remove(_ identity: Cookie.Identity) async throws { try await write(.remove(identity)) }

    func clear(_ scope: CookieScope) async throws {
        for cookie in try await snapshot() where scope.contains(cookie.identity) { try await remove(cookie.identity) }
    }

    func changes() async -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.signal = continuation }
        return stream
    }

    private func write(_ change: CookieUpdate) async throws {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.isGated { state.waiting.append(continuation) }
                return !state.isGated
            }
            if isOpen { continuation.resume() }
        }
        let fails = state.withLock { state in
            state.failures -= 1
            return state.failures >= 0
        }
        if fails { throw Broken() }
        self.change(change)
    }
}
