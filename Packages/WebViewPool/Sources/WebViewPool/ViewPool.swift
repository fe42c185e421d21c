// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

/// Keeps views warm, checks them out, and takes them back clean.
///
/// A checked-out view belongs to a holder; when the holder is gone the view is checked in at the next call to the pool.
/// A used view is checked out again only for the same key, and only after a reset that was verified; otherwise it is
/// quarantined: ended, and counted by reason. Isolation: the main actor.
@MainActor
public final class ViewPool<View: PoolableView, Key: PoolKey> {
    private let make: @MainActor (Key.Kind) throws -> View
    private let prepare: @MainActor (View) async throws -> Void
    private var state: PoolState<Key>
    private var views: [PoolState<Key>.Slot: View] = [:]
    private var holders: [PoolState<Key>.Slot: Holder] = [:]

    /// - Parameters:
    ///   - configuration: the number of warm views, and the number of pages that a view serves.
    ///   - make: creates a view that has not loaded anything yet.
    ///   - prepare: does what else is worth doing ahead in a new view once it shows its blank page, within a limit of its
    ///     own, and leaves nothing behind that a page could see; nothing by default. A view in which it fails is ended.
    public init(
        _ configuration: Configuration = Configuration(), make: @escaping @MainActor (Key.Kind) throws -> View,
        prepare: @escaping @MainActor (View) async throws -> Void = { _ in }
    ) {
        state = PoolState(capacity: configuration.capacity, reuseLimit: configuration.reuseLimit)
        self.make = make
        self.prepare = prepare
    }

    /// What happened so far.
    public var counters: PoolCounters { state.counters }

    /// The number of views that are warm and free.
    public var warmCount: Int { state.warm.count }

    /// A view that is warm, and that nobody has: for what one view can do for all. It may be checked out at any time;
    /// `nil` where there is none.
    public var idleView: View? { state.warm.lazy.compactMap { self.views[$0] }.first { $0.isAlive } }

    /// How many views are kept warm, and how that number may change.
    public var capacity: PoolCapacity { state.capacity }

    // MARK: Preparing

    /// Prepares views for a key, and for others of its kind, until as many are warm as the pool may keep. Call it when
    /// the app is idle: it also reviews how many that are.
    ///
    /// Ends early, without an error, when the pool is trimmed meanwhile.
    /// - Parameters:
    ///   - key: the key whose kind the new views have.
    ///   - isWanted: a function that is called before each view; if it returns `false`, the call ends, and what is
    ///     prepared stays.
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
                // A view whose preparation was cut short may say nothing of it.
                try Task.checkCancellation()
            } catch {
                end(slot, .warmUpFailed)
                throw error
            }
            if !view.isAlive { state.end(slot, .diedIdle) }
            let isKept = state.prepared(slot)
            discardEnded()
            guard isKept else { return }
        }
    }

    // MARK: Checking out

    /// Checks out a view: a warm one that serves the key where there is one, else a new one that is not warm.
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

    /// Has views that were checked out end, instead of being checked out again: when they come back, when they are
    /// clean, or at once where nobody has them. For what the host knows of their pages; one that was never checked out
    /// stays.
    /// - Parameters:
    ///   - reason: the reason that the discarded views are counted by.
    ///   - isMeant: a function that returns whether to end a view, given the view and the key that it was checked out
    ///     for last.
    public func retire(because reason: DiscardReason, where isMeant: (View, Key) -> Bool) {
        for (slot, view) in views {
            guard let key = state.views[slot]?.key, isMeant(view, key) else { continue }
            state.retire(slot, reason)
        }
        discardEnded()
    }

    // MARK: Checking in

    /// Takes a view back, and returns when it is clean or has ended.
    public func checkIn(_ view: View) async {
        guard let slot = holders.keys.first(where: { views[$0] === view }) else { return }
        await recycle(slot)
    }

    /// Takes back the views whose holders are gone.
    public func reclaim() async {
        for slot in orphans() where holders[slot] != nil { await recycle(slot) }
    }

    /// Gives memory back, as on a memory warning: views that nobody has, and those whose holders are gone.
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

    /// Ends the views that the state has ended.
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

extension ViewPool where Key == SoleKey {
    /// Makes a pool of views that serve everyone.
    /// - Parameters:
    ///   - capacity: how many views are kept warm; ``PoolCapacity/standard-type.property`` by default.
    ///   - make: creates a view that has not loaded anything yet.
    public convenience init(capacity: PoolCapacity = .standard, make: @escaping @MainActor () throws -> View) {
        self.init(Configuration(capacity: capacity)) { _ in try make() }
    }

    /// Prepares views until as many are warm as the pool may keep. Call it when the app is idle.
    /// - Throws: the error of the first view that could not be prepared, or `CancellationError`.
    public func warmUp() async throws {
        try await warmUp(for: SoleKey())
    }

    /// Checks out a view: a warm one where there is one, else a new one that is not warm.
    public func checkOut(for holder: AnyObject) throws -> View {
        try checkOut(SoleKey(), for: holder)
    }
}

extension ViewPool {
    /// How a pool works.
    public struct Configuration: Sendable {
        /// How many views are kept warm; ``PoolCapacity/standard-type.property`` by default.
        public var capacity: PoolCapacity
        /// How many pages a view, and what takes its place at resets, serves before it ends; 50 by default, at least 1.
        /// A web process that showed many pages is not as small as a new one.
        public var reuseLimit: Int

        /// A configuration with the default options.
        public init(capacity: PoolCapacity = .standard, reuseLimit: Int = 50) {
            self.capacity = capacity
            self.reuseLimit = reuseLimit
        }
    }
}

/// What pages must have in common to have one view after the other.
///
/// A view that was checked out serves only its own key again. One that was never checked out has seen nothing, and
/// serves each key of its ``kind``.
public protocol PoolKey: Hashable, Sendable {
    /// What a view is made with, and cannot be changed later: its data store, for one.
    associatedtype Kind: Hashable, Sendable

    /// What views for this key are made with.
    var kind: Kind { get }
}

/// The key of a pool whose views are all alike, and serve everyone.
public struct SoleKey: PoolKey {
    /// Nothing tells these views apart.
    public var kind: SoleKey { self }

    /// Makes the key.
    public init() {}
}
