// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import Foundation
public import WebSyntax

/// A store of cookies by the rules of RFC 6265bis (draft-ietf-httpbis-rfc6265bis-20 and later).
///
/// All calls are synchronous and may come from any thread: a lock is held for as long as the state is read or changed,
/// never while the app's code runs. Responses, scripts and the app have calls of their own, since they may do different
/// things. What has ended is taken out before any call is answered.
///
/// `Partitioned` is read and changes nothing; "Lax-allowing-unsafe" is left out (see ``CookieContext``).
public final class CookieStore: Sendable {
    let suffixes: any PublicSuffixing
    let limits: Limits
    let now: @Sendable () -> Date
    private let state: Mutex<State>

    private struct State {
        var store: CookieStoreState
        var observers: [UInt64: @Sendable (CookieChange) -> Void] = [:]
        var lastObserver: UInt64 = 0
        /// What is still to be told.
        var changes: [CookieChange] = []
        var isDelivering = false
    }

    /// Makes a jar.
    /// - Parameters:
    ///   - publicSuffixes: where sites begin; there is no default, since a jar without a list lets one customer of a
    ///     host set cookies for all.
    ///   - limits: how much it holds.
    ///   - cookies: what it holds at first, from a file perhaps. What has ended, is malformed or too much is left out,
    ///     and no change is told.
    ///   - now: the clock.
    public init(
        publicSuffixes: any PublicSuffixing, limits: Limits = Limits(), cookies: [Cookie] = [],
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        suffixes = publicSuffixes
        self.limits = limits
        self.now = now
        var store = CookieStoreState(limits: limits)
        let time = now()
        for cookie in cookies where (try? cookie.check()) != nil { store.put(cookie, .native, now: time) }
        _ = store.drainChanges()
        state = Mutex(State(store: store))
    }

    /// Grows by one with each change of a cookie. Being sent is no change.
    public var version: UInt64 {
        perform { store, _ in store.version }
    }

    /// All cookies and the version that they make, in one step.
    var snapshot: CookieSnapshot {
        perform { store, _ in CookieSnapshot(version: store.version, cookies: store.cookies) }
    }

    /// Hears of each change, in the order of the changes, from now on.
    ///
    /// A change is told before the call that made it returns, on the same thread; where another thread is telling one
    /// at that moment, by that thread, right after. The observer may call the jar: what it changes is told after what
    /// is being told. It should return soon.
    /// - Returns: what ends it; without that it hears as long as the jar lives.
    @discardableResult
    public func observe(_ observer: @escaping @Sendable (CookieChange) -> Void) -> CookieObservation {
        let id = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
        return CookieObservation { [weak self] in
            _ = self?.state.withLock { $0.observers.removeValue(forKey: id) }
        }
    }

    /// Reads or changes the state as it is now, and tells of it.
    func perform<Output: Sendable, Failure: Error>(
        _ step: (inout CookieStoreState, Date) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        let time = now()
        let result = state.withLock { state -> Result<Output, Failure> in
            state.store.sweep(now: time)
            let result = Result { () throws(Failure) in try step(&state.store, time) }
            let changes = state.store.drainChanges()
            if !state.observers.isEmpty { state.changes += changes }
            return result
        }
        notifyObserver()
        return try result.get()
    }

    /// Tells what is to be told, unless another thread does.
    private func notifyObserver() {
        var isFirst = true
        while let batch = next(isFirst: isFirst) {
            isFirst = false
            for change in batch.changes {
                for observer in batch.observers { observer(change) }
            }
        }
    }

    /// - Parameter isFirst: whether this thread is not telling yet.
    private func next(
        isFirst: Bool
    ) -> (changes: [CookieChange], observers: [@Sendable (CookieChange) -> Void])? {
        state.withLock { state in
            if isFirst && state.isDelivering { return nil }
            state.isDelivering = !state.changes.isEmpty
            guard state.isDelivering else { return nil }
            defer { state.changes = [] }
            return (state.changes, state.observers.sorted { $0.key < $1.key }.map(\.value))
        }
    }
}

/// An observer's hold on a jar. Letting go of it changes nothing; cancelling does.
public struct CookieObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Nothing is told any more, but for what is being told at this moment.
    public func cancel() {
        end()
    }
}

/// What a jar held at one moment.
struct CookieSnapshot: Sendable, Hashable {
    /// All later changes have a higher one.
    let version: UInt64
    /// In the order in which they were first stored.
    let cookies: [Cookie]

    /// Makes a snapshot.
    init(version: UInt64, cookies: [Cookie]) {
        self.version = version
        self.cookies = cookies
    }
}

extension CookieStore {
    /// How much a jar holds, and for how long. One cookie is bounded as well: 4,096 bytes of name and value, 1,024 of path,
    /// 253 of domain.
    public struct Limits: Sendable, Hashable {
        /// Cookies of one domain, those of hosts below it not counted; 180.
        public var perDomain = 180
        /// Cookies in all; 3,000.
        public var total = 3_000
        /// Seconds until a cookie of a response or a script ends, whatever it says itself; 400 days (RFC 6265bis, section 5.5).
        public var lifetime: TimeInterval = 34_560_000

        /// Makes the usual limits.
        public init() {}
    }
}
