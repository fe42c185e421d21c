// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

/// A pool that keeps views warm, checks them out, and checks them in clean.
///
/// A checked-out view belongs to a holder. If the holder is released, ``reclaim()`` checks the view in. A used view is
/// checked out again only for the same key, and only after a verified reset. A view that fails the reset or the
/// verification is quarantined: discarded, and counted by reason.
///
/// Isolation: the main actor.
@MainActor
public final class ViewPool<View: PoolableView, Key: PoolKey> {
    private let make: @MainActor (Key.Kind) throws -> View
    private let prepare: @MainActor (View) async throws -> Void
    private var state: PoolState<Key>
    private var views: [PoolState<Key>.Slot: View] = [:]
    private var holders: [PoolState<Key>.Slot: Holder] = [:]

    /// Creates a pool.
    /// - Parameters:
    ///   - configuration: the number of warm views, and the number of pages that a view serves.
    ///   - make: a closure that creates a view that has not loaded anything yet.
    ///   - prepare: a closure that does further work in a new view that shows its blank page; by default none. It must
    ///     have its own time limit, and leave no state that a page could observe. If it throws, the view is discarded.
    public init(
        _ configuration: Configuration = Configuration(), make: @escaping @MainActor (Key.Kind) throws -> View,
        prepare: @escaping @MainActor (View) async throws -> Void = { _ in }
    ) {
        state = PoolState(capacity: configuration.capacity, reuseLimit: configuration.reuseLimit)
        self.make = make
        self.prepare = prepare
    }

    /// The counters since the pool was created.
    public var counters: PoolCounters { state.counters }

    /// The number of warm views that are not checked out.
    public var warmCount: Int { state.warm.count }

    /// A warm view for work that any view can do; `nil` if there is none. The view may be checked out at any time.
    public var idleView: View? { state.warm.lazy.compactMap { self.views[$0] }.first { $0.isAlive } }

    /// The number of views that the pool keeps warm, with the rule for its changes.
    public var capacity: PoolCapacity { state.capacity }

    // MARK: Preparing

    /// Prepares views for a key, and for other keys of its kind, until the capacity is reached. Call it when the app is
    /// idle, because it also reviews the capacity.
    ///
    /// The call ends early without an error if the pool is trimmed meanwhile.
    /// - Parameters:
    ///   - key: the key whose kind the new views have.
    ///   - isWanted: a closure that is called before each view is created. If it returns `false`, the call ends, and
    ///     prepared views remain warm.
    /// - Throws: the error of the first view that could not be prepared, or `CancellationError`.
    public func warmUp(for key: Key, while isWanted: @MainActor () -> Bool = { true }) async throws {
        await reclaim()
        endDead()
        state.review()
        discardEnded()
        while state.hasCapacity, isWanted() {
            try Task.checkCancellation()
            let view = try make(key.kind)
            let slot = state.beginPreparing(key.kind)
            views[slot] = view
            do {
                try await view.warmUp()
                try await prepare(view)
                // `warmUp` and `prepare` may return normally after a cancellation.
                try Task.checkCancellation()
            } catch {
                end(slot, .warmUpFailed)
                throw error
            }
            if !view.isAlive { state.end(slot, .diedIdle) }
            let isWarm = state.prepared(slot)
            discardEnded()
            guard isWarm else { return }
        }
    }

    // MARK: Checking out

    /// Checks out a warm view that serves the key, or else a new view that is not warm.
    public func checkOut(_ key: Key, for holder: AnyObject) throws -> View {
        endDead()
        if let slot = state.checkOut(key), let view = views[slot] {
            holders[slot] = Holder(object: holder)
            return view
        }
        let view = try make(key.kind)
        let slot = state.checkOutNew(key)
        views[slot] = view
        holders[slot] = Holder(object: holder)
        return view
    }

    /// Discards used views instead of checking them out again.
    ///
    /// An idle view is discarded immediately, a checked-out view when it is checked in, and a view in a reset after the
    /// reset. Views that were never checked out are not affected.
    /// - Parameters:
    ///   - reason: the reason under which the discarded views are counted.
    ///   - isIncluded: a closure that receives a view and the key of its last checkout, and returns `true` to discard
    ///     the view.
    public func retire(because reason: DiscardReason, where isIncluded: (View, Key) -> Bool) {
        for (slot, view) in views {
            guard let key = state.views[slot]?.key, isIncluded(view, key) else { continue }
            state.retire(slot, reason)
        }
        discardEnded()
    }

    // MARK: Checking in

    /// Checks in a view, and returns when it is clean or has been discarded.
    public func checkIn(_ view: View) async {
        guard let slot = holders.keys.first(where: { views[$0] === view }) else { return }
        await recycle(slot)
    }

    /// Checks in the views whose holders were released.
    public func reclaim() async {
        for slot in orphans() where holders[slot] != nil { await recycle(slot) }
    }

    /// Discards idle views, and views whose holders were released, because of memory pressure.
    public func trim(_ pressure: MemoryPressure) {
        for slot in orphans() {
            holders[slot] = nil
            state.end(slot, .trimmed)
        }
        state.trim(pressure)
        discardEnded()
    }

    private func orphans() -> [PoolState<Key>.Slot] {
        holders.filter { $0.value.object == nil }.keys.sorted()
    }

    private func recycle(_ slot: PoolState<Key>.Slot) async {
        holders[slot] = nil
        guard let used = views[slot] else { return }
        guard state.checkIn(slot, isAlive: used.isAlive) else { return discardEnded() }
        do {
            let view = try await used.reset()
            views[slot] = view
            let residualState = try await view.residualState()
            if !view.isAlive {
                state.end(slot, .processEnded)
            } else if !residualState.isEmpty {
                state.end(slot, .residualState(residualState))
            } else {
                _ = state.cleaned(slot)
            }
        } catch is ViewProcessEnded {
            state.end(slot, .processEnded)
        } catch {
            state.end(slot, .resetFailed)
        }
        discardEnded()
    }

    // MARK: Ending

    private func endDead() {
        for slot in state.warm where views[slot]?.isAlive != true { state.end(slot, .diedIdle) }
        discardEnded()
    }

    private func end(_ slot: PoolState<Key>.Slot, _ reason: DiscardReason) {
        state.end(slot, reason)
        discardEnded()
    }

    /// Discards the views whose state has ended.
    private func discardEnded() {
        for (slot, view) in views where state.views[slot] == nil {
            views[slot] = nil
            view.discard()
        }
    }

    private struct Holder {
        weak var object: AnyObject?
    }
}

extension ViewPool {
    /// The options of a pool.
    public struct Configuration: Sendable {
        /// The number of views that the pool keeps warm; ``PoolCapacity/standard-type.property`` by default.
        public var capacity: PoolCapacity
        /// The number of pages that a view, including its replacements at resets, serves before it ends; 50 by default,
        /// at least 1. The limit exists because a web process that showed many pages uses more memory than a new one.
        public var reuseLimit: Int

        /// Creates a configuration.
        public init(capacity: PoolCapacity = .standard, reuseLimit: Int = 50) {
            self.capacity = capacity
            self.reuseLimit = reuseLimit
        }
    }
}

/// The properties that pages must have in common to use the same view in succession.
///
/// A view that was checked out serves only its own key again. A view that was never checked out serves every key of its
/// ``kind``.
public protocol PoolKey: Hashable, Sendable {
    /// The properties of a view that are fixed at its creation, for example its data store.
    associatedtype Kind: Hashable, Sendable

    /// The kind of the views for this key.
    var kind: Kind { get }
}
