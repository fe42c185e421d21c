// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import SystemSupport
    internal import WebEngine
    internal import WebKit
    internal import WebSyntax

    /// The cookies of a data store.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class WKWebViewCookieStore: EngineCookieStore {
        private let store: WKHTTPCookieStore
        private let clock: any Clock<Duration>
        /// The observer of the store, which lives as long as a stream of ``changes()``.
        private(set) weak var observer: CookieChangeObserver?
        /// A Boolean value that indicates whether the store had both markers at the end of the last ``all()``.
        private var isMarked = false
        private(set) var losses = 0
        let isEphemeral: Bool
        /// The number of times that the session marker was set and was not there afterwards, without a success since.
        private var refusals = 0
        /// The maximum number of refusals. Each attempt notifies the observers of the store, which may read the cookies
        /// again.
        private static let refusalLimit = 3

        /// A marker session cookie for a host that cannot exist (RFC 6761, section 6.4).
        ///
        /// WebKit does not report the end of its network process. Believed: a new network process starts without
        /// session cookies, so that the absence of the marker reveals the loss. A device shows it by the end of that
        /// process.
        private static let mark = EngineCookie(
            name: "containerkit-mark", value: "1", domain: "containerkit.invalid", isHTTPOnly: true)

        /// A marker with an expiry time, set with each session marker.
        ///
        /// An app that removes the cookies of the data store removes both markers. Then the cookies are deleted, not
        /// lost. A store without persistence therefore reports no losses.
        private static var lastingMark: EngineCookie {
            var mark = mark
            mark.name = "containerkit-lasting-mark"
            mark.expires = Int64(Date().timeIntervalSince1970) + 365 * 86_400
            return mark
        }

        init(
            _ store: WKHTTPCookieStore, isEphemeral: Bool = false, clock: any Clock<Duration> = ContinuousClock()
        ) {
            self.store = store
            self.isEphemeral = isEphemeral
            self.clock = clock
        }

        // MARK: Reading

        func all() async throws -> [EngineCookie] {
            var (cookies, marks) = Self.separate(try await list())
            if !marks.contains(Self.mark.name) {
                if isMarked, !marks.isEmpty { losses += 1 }
                isMarked = false
                guard refusals < Self.refusalLimit else { return cookies }
                for mark in [Self.mark, Self.lastingMark] {
                    if let mark = mark.httpCookie { try await add(mark) }
                }
                (cookies, marks) = Self.separate(try await list())
                refusals = marks.contains(Self.mark.name) ? 0 : refusals + 1
            }
            isMarked = marks.count == 2
            return cookies
        }

        /// Returns the cookies without the markers, and the names of the markers.
        private static func separate(_ cookies: [HTTPCookie]) -> (cookies: [EngineCookie], marks: Set<String>) {
            let isMark = { (cookie: HTTPCookie) in cookie.domain == mark.domain }
            return (cookies.filter { !isMark($0) }.map { EngineCookie($0) }, Set(cookies.filter(isMark).map(\.name)))
        }

        private func list() async throws -> [HTTPCookie] {
            try await callNetworkProcess(by: clock, "the engine did not list its cookies") { [store] in
                await store.allCookies()
            }
        }

        /// Returns the stored cookies with this name, domain and path.
        private func cookies(named name: String, domain: String, path: String) async throws -> [HTTPCookie] {
            try await list().filter {
                $0.name.hasSameBytes(as: name) && $0.path.hasSameBytes(as: path)
                    && $0.domain.asciiLowercased.hasSameBytes(as: domain.asciiLowercased)
            }
        }

        // MARK: Changing

        /// Stores a cookie and reads it back.
        ///
        /// Reported: a cookie is lost without an error if the network process ends shortly after the call. A later read
        /// reveals such a loss in ``losses``.
        /// - Throws: `EngineError` with code `cookie` if the cookie is invalid, or is not there after two attempts;
        ///   `timedOut` if the network process does not respond within 20 seconds.
        func set(_ cookie: EngineCookie) async throws {
            guard cookie.isSendable, let converted = cookie.httpCookie else {
                throw EngineError(.cookie, "the cookie cannot be sent in a header field", at: cookie.name.printable())
            }
            for _ in 0..<2 {
                try await add(converted)
                if cookie.hasExpired { return }
                let stored = try await cookies(named: cookie.name, domain: cookie.domain, path: cookie.path)
                if stored.contains(where: { $0.value.hasSameBytes(as: cookie.value) }) { return }
            }
            throw EngineError(.cookie, "the engine did not store the cookie", at: cookie.name.printable())
        }

        private func add(_ cookie: HTTPCookie) async throws {
            try await callNetworkProcess(by: clock, "the engine did not store a cookie") { [store] in
                await store.setCookie(cookie)
            }
        }

        func remove(name: String, domain: String, path: String) async throws {
            // The engine's own cookies, because conversion may change an attribute by which it compares.
            for cookie in try await cookies(named: name, domain: domain, path: path) {
                try await callNetworkProcess(by: clock, "the engine did not remove a cookie") { [store] in
                    await store.deleteCookie(cookie)
                }
            }
        }

        func changes() -> AsyncStream<Void> {
            let observer = observer ?? CookieChangeObserver(of: store)
            self.observer = observer
            return observer.subscribe()
        }
    }

    /// The observer of a cookie store.
    ///
    /// The store does not retain its observers. Each stream retains this object until the stream ends, and the last one
    /// removes it from the store.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class CookieChangeObserver: NSObject, WKHTTPCookieStoreObserver {
        private let store: WKHTTPCookieStore
        private var streams: [UInt64: AsyncStream<Void>.Continuation] = [:]
        private var lastID: UInt64 = 0

        init(of store: WKHTTPCookieStore) {
            self.store = store
            super.init()
        }

        /// Returns a stream that signals changes. A signal that is not read yet stands for later ones too.
        func subscribe() -> AsyncStream<Void> {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            lastID += 1
            if streams.isEmpty { store.add(self) }
            streams[lastID] = continuation
            // The closure retains the observer, and the stream releases the closure when it ends.
            continuation.onTermination = { [self, lastID] _ in
                Task { @MainActor in remove(lastID) }
            }
            return stream
        }

        private func remove(_ id: UInt64) {
            guard streams.removeValue(forKey: id) != nil, streams.isEmpty else { return }
            store.remove(self)
        }

        func cookiesDidChange(in cookieStore: WKHTTPCookieStore) {
            for stream in streams.values { stream.yield() }
        }
    }
#endif
