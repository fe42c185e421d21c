// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import CookieJar
internal import Foundation
internal import PublicSuffixList
internal import WebSyntax

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// An adapter that makes a cookie storage of the app a store of the reconciler.
///
/// Foundation on Linux posts no notification of changes. So callers compare the storage with the last read, by
/// ``hasChanged`` and ``check()``, before they open a page and before a request.
///
/// Any code of the app can put cookies into the storage. A read omits the cookies that no response could have set: they
/// are malformed or too long (RFC 6265bis, section 5.6), violate the prefix of their name (section 5.7, steps 20 to
/// 22), or belong to a public suffix (step 9). Expired cookies are omitted too.
///
/// Isolation: any thread. A lock makes each access to the storage and the record one step.
final class NativeCookies: CookieStoring {
    private struct State {
        /// The hash of the storage at the last read; `nil` before the first read.
        var hash: Int?
        /// The cookies of the last read, and those that were written since.
        var shown: Set<Cookie.Identity> = []
        var wasUsed = false
        /// The cookies that were written without their expiry.
        var shortened: [Cookie.Identity: Cookie] = [:]
    }

    /// A Boolean value that indicates whether Foundation loses attributes of cookies.
    static let losesAttributes: Bool = {
        #if canImport(Darwin)
            false
        #else
            true
        #endif
    }()

    /// A Boolean value that indicates whether a cookie that is missing from a storage at the start was removed by the
    /// app. A storage that the app names may not be persistent. The shared storage of Foundation on Linux has one file
    /// for all programs in a folder, and another file after the program has moved.
    static func reportsRemovals(_ option: NativeCookieStorage) -> Bool {
        guard case .shared = option else { return false }
        return !losesAttributes
    }

    private let resolve: @Sendable () -> HTTPCookieStorage
    private let reportsRemovals: Bool
    private let keepsExpiry: Bool
    private let record: NativeCookieRecord
    private let suffixes = SuffixList()
    private let now: @Sendable () -> Date
    private let state = Mutex(State())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// Creates an adapter, without touching the storage.
    /// - Parameters:
    ///   - option: the storage; the initializer returns `nil` for `none`.
    ///   - record: the record of the attributes.
    ///   - keepsExpiry: a Boolean value that indicates whether cookies are written with their expiry, so that the
    ///     storage may write them to the disk. Otherwise they are written as session cookies, and removed at their end.
    ///   - reportsRemovals: a Boolean value that indicates whether a cookie that is missing at the start was removed by
    ///     the app; `nil` for the value that the storage requires.
    ///   - now: a closure that returns the time against which cookies expire.
    init?(
        _ option: NativeCookieStorage, record: NativeCookieRecord, keepsExpiry: Bool = true,
        reportsRemovals: Bool? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        switch option {
        case .none: return nil
        case .shared: resolve = { HTTPCookieStorage.shared }
        case .storage(let storage): resolve = { storage }
        }
        self.reportsRemovals = reportsRemovals ?? Self.reportsRemovals(option)
        self.record = record
        self.keepsExpiry = keepsExpiry
        self.now = now
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Foundation does not distinguish an unspecified SameSite from `None`.
    var representation: CookieRepresentation {
        var representation = CookieRepresentation.engine
        representation.keepsExpiry = keepsExpiry
        return representation
    }

    // MARK: Changes

    /// A Boolean value that indicates whether the storage differs from its last read.
    var hasChanged: Bool {
        let cookies = resolve().cookies ?? []
        return state.withLock { $0.hash ?? 0 } != Self.hash(of: cookies)
    }

    /// A Boolean value that indicates whether the storage is empty and has been empty since the start.
    var isUnused: Bool {
        !state.withLock { $0.wasUsed } && (resolve().cookies ?? []).isEmpty
    }

    /// Signals a change to the reconciler if the storage differs from its last read.
    func check() {
        if hasChanged { signal.yield() }
    }

    /// Returns the signals of ``check()``, of own writes, and of the notifications that Foundation posts on Apple's
    /// systems.
    func changes() async -> AsyncStream<Void> {
        let center = NotificationCenter.default
        // Invariant: only the end of the stream uses the token.
        nonisolated(unsafe) let observer = center.addObserver(
            forName: .NSHTTPCookieManagerCookiesChanged, object: resolve(), queue: nil
        ) { [signal] _ in signal.yield() }
        signal.onTermination = { _ in NotificationCenter.default.removeObserver(observer) }
        return signals
    }

    // MARK: Reads

    /// Reads the storage at the start of a process.
    /// - Returns: the cookies that the app has removed before the start. The next process returns them again if
    ///   ``removed(_:)`` was not called for them.
    func begin() async -> [Cookie.Identity] {
        let removed = state.withLock { state in
            let shown = shown(resolve().cookies ?? [], &state)
            state.shown = Set(shown.map(\.identity))
            var removed = record.begin(with: shown)
            if !reportsRemovals {
                record.forget(removed)
                removed = []
            }
            // Pages wait for the removals as for other changes.
            state.wasUsed = !shown.isEmpty || !removed.isEmpty
            return removed
        }
        await record.flush()
        return removed
    }

    /// Records that no other store has these cookies of ``begin()`` any more.
    func removed(_ identities: [Cookie.Identity]) async {
        record.forget(identities)
        await record.flush()
    }

    func snapshot() async throws -> [Cookie] {
        let cookies = state.withLock { state in
            let all = resolve().cookies ?? []
            let shown = shown(all, &state)
            for cookie in shown { record.recordShown(cookie) }
            let identities = Set(shown.map(\.identity))
            for gone in state.shown.subtracting(identities) {
                record.remove(gone)
                state.shortened[gone] = nil
            }
            state.hash = Self.hash(of: all)
            state.shown = identities
            state.wasUsed = state.wasUsed || !all.isEmpty
            return shown
        }
        // No other store gets a cookie before its attributes survive a kill.
        await record.flush()
        return cookies
    }

    /// Returns the acceptable cookies, with the attributes that the storage has lost. It removes the expired cookies
    /// that were written without their expiry.
    private func shown(_ cookies: [HTTPCookie], _ state: inout State) -> [Cookie] {
        let now = now()
        return cookies.compactMap { stored in
            var read = Cookie(stored, created: now)
            if read.expires == nil, let whole = state.shortened[read.identity],
                whole.value.hasSameBytes(as: read.value)
            {
                read.expires = whole.expires
                if whole.expires.map({ $0 <= now }) ?? false { resolve().deleteCookie(stored) }
            }
            let cookie = Self.losesAttributes ? record.restored(read) : read
            return cookie.expires.map { $0 > now } ?? true && isAcceptable(cookie) ? cookie : nil
        }
    }

    private func isAcceptable(_ cookie: Cookie) -> Bool {
        let identity = cookie.identity
        guard identity.isHostOnly || suffixes.registrableDomain(of: identity.domain) != nil else { return false }
        do throws(CookieRefusal) {
            try cookie.check()
            // The storage does not show whether the path comes from an attribute.
            try cookie.checkPrefix(hasPath: true)
            return true
        } catch {
            return false
        }
    }

    /// Returns a hash of cookies in any order; 0 for none.
    private static func hash(of cookies: [HTTPCookie]) -> Int {
        cookies.reduce(0) { sum, cookie in
            var hasher = Hasher()
            cookie.hashProperties(into: &hasher)
            return sum &+ hasher.finalize()
        }
    }

    // MARK: Writes

    func set(_ cookie: Cookie) async throws {
        let isShortened = !keepsExpiry && cookie.expires.map { $0 > now() } ?? false
        var written = cookie
        if isShortened { written.expires = nil }
        guard let stored = HTTPCookie.make(written) else {
            throw CookieRejection("Foundation rejects the cookie")
        }
        let isKnown = record.contains(cookie.identity)
        if !isKnown, cookie.expires != nil {
            // Foundation writes its file at once, without the attributes.
            record.recordWritten(cookie)
            await record.flush()
        }
        let isStored = state.withLock { state in
            let storage = resolve()
            guard !clashes(stored, with: cookie.identity, in: storage) else { return false }
            storage.setCookie(stored)
            let isStored = cookies(of: cookie.identity, in: storage).contains {
                $0.value.hasSameBytes(as: cookie.value)
            }
            guard isStored || cookie.expires.map({ $0 <= now() }) ?? false else { return false }
            record.recordWritten(cookie)
            state.shortened[cookie.identity] = isShortened ? cookie : nil
            state.shown.insert(cookie.identity)
            state.wasUsed = true
            return true
        }
        if !isStored, !isKnown { record.remove(cookie.identity) }
        await record.flush()
        signal.yield()
        guard isStored else { throw CookieRejection("the storage does not store the cookie") }
    }

    func remove(_ identity: Cookie.Identity) async throws {
        remove { $0 == identity }
        signal.yield()
    }

    func clear(_ scope: CookieScope) async throws {
        remove { scope.contains($0) }
        record.clear(scope)
        await record.flush()
        signal.yield()
    }

    /// Writes the record to its file.
    func flush() async { await record.flush() }

    private func remove(where isGone: (Cookie.Identity) -> Bool) {
        state.withLock { state in
            let storage = resolve()
            for stored in storage.cookies ?? [] {
                let identity = Cookie(stored, created: .distantPast).identity
                guard isGone(identity) else { continue }
                storage.deleteCookie(stored)
                record.remove(identity)
                state.shown.remove(identity)
                state.shortened[identity] = nil
            }
        }
    }

    private func cookies(of identity: Cookie.Identity, in storage: HTTPCookieStorage) -> [HTTPCookie] {
        (storage.cookies ?? []).filter { Cookie($0, created: .distantPast).identity == identity }
    }

    /// Returns a Boolean value that indicates whether the storage would replace a cookie of another identity. A script
    /// could otherwise remove a cookie that is hidden from it.
    private func clashes(
        _ cookie: HTTPCookie, with identity: Cookie.Identity, in storage: HTTPCookieStorage
    ) -> Bool {
        Self.losesAttributes
            && (storage.cookies ?? []).contains {
                $0.storageKey == cookie.storageKey && Cookie($0, created: .distantPast).identity != identity
            }
    }
}
