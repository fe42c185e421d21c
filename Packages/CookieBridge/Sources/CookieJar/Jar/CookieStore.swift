// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import Foundation
public import WebSyntax

/// A cookie store by the rules of RFC 6265bis (draft-ietf-httpbis-rfc6265bis-20 and later).
///
/// All methods are synchronous and may be called on any thread. A lock protects the state. No code of the app runs
/// under the lock. Responses, scripts and the app use separate methods, because different rules apply to them. Expired
/// cookies are removed at the start of every call.
///
/// `Partitioned` is parsed and has no effect, because RFC 6265bis does not define it. ``CookieContext`` states the
/// optional rule that is left out.
public final class CookieStore: Sendable {
    let suffixes: any PublicSuffixing
    let limits: Limits
    let now: @Sendable () -> Date
    private let state: Mutex<State>

    private struct State {
        var store: CookieStoreState
        var observers: [UInt64: @Sendable (CookieChange) -> Void] = [:]
        var lastObserver: UInt64 = 0
        /// The changes that observers have not received yet.
        var changes: [CookieChange] = []
        var isDelivering = false
    }

    /// Creates a jar.
    /// - Parameters:
    ///   - publicSuffixes: the public suffixes. There is no default, because a jar without a list lets one customer of
    ///     a hosting service set cookies for all customers.
    ///   - limits: the limits on the cookies.
    ///   - cookies: the initial cookies, for example from a file. Expired, malformed and excess cookies are ignored;
    ///     observers receive no change.
    ///   - now: a closure that returns the current time.
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

    /// The version, which increases by one with each change of a cookie. An update of the last access time is no
    /// change.
    public var version: UInt64 {
        perform { store, _ in store.version }
    }

    /// All cookies and their version, read in one step.
    var snapshot: CookieSnapshot {
        perform { store, _ in CookieSnapshot(version: store.version, cookies: store.cookies) }
    }

    /// Adds an observer, which receives each later change in the order of the changes.
    ///
    /// The observer receives a change on the thread of the call that made the change, before the call returns. If
    /// another thread is delivering changes, that thread delivers the change next. The observer may call the jar; its
    /// own changes are delivered after the current changes. It should return quickly.
    /// - Returns: the observation. The observer stays until the observation is cancelled or the jar is released.
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

    /// Reads or changes the state at the current time, and delivers the changes to the observers.
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

    /// Delivers the pending changes to the observers, unless another thread is delivering.
    private func notifyObserver() {
        var isFirst = true
        while let batch = next(isFirst: isFirst) {
            isFirst = false
            for change in batch.changes {
                for observer in batch.observers { observer(change) }
            }
        }
    }

    /// Returns the next batch of changes; `nil` if there is none or if another thread is delivering.
    /// - Parameter isFirst: a Boolean value that indicates whether this thread has not begun to deliver.
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

/// An observer's registration in a jar. Releasing it does not end the observation; ``cancel()`` does.
public struct CookieObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Ends the observation. The observer receives no further change, except one whose delivery is in progress.
    public func cancel() {
        end()
    }
}

/// The contents of a jar at one moment.
struct CookieSnapshot: Sendable, Hashable {
    /// The version of the jar. All later changes have a higher version.
    let version: UInt64
    /// The cookies in the order in which they were first stored.
    let cookies: [Cookie]

    /// The cookies without session cookies.
    var persistent: [Cookie] { cookies.filter { $0.expires != nil } }
}

extension CookieStore {
    /// The limits on the number and the lifetime of cookies. The size of one cookie has fixed limits: 4,096 bytes for
    /// name and value together, 1,024 for the path, 253 for the domain.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of cookies of one domain, without those of its subdomains; 180 by default.
        public var perDomain = 180
        /// The maximum number of cookies in total; 3,000 by default.
        public var total = 3_000
        /// The longest lifetime of a cookie that a response or a script sets, in seconds; 400 days by default (RFC
        /// 6265bis, section 5.5).
        public var lifetime: TimeInterval = 34_560_000

        /// Creates the default limits.
        public init() {}
    }
}
