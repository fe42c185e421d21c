// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Keeps views warm, lends them, and takes them back clean.
///
/// A lent view belongs to a holder; when the holder is gone the view is taken back at the next call to the pool.
/// Isolation: the main actor.
@MainActor
public final class WebViewPool<View: PoolableView> {
    private let capacity: Int
    private let make: @MainActor () throws -> View
    private var warm: [View] = []
    private var leases: [Lease] = []
    private var preparing = 0

    /// What happened so far.
    public private(set) var counters = Counters()

    /// - Parameters:
    ///   - capacity: the most views kept warm; 3 by default.
    ///   - make: creates a view that has not loaded anything yet.
    public init(capacity: Int = 3, make: @escaping @MainActor () throws -> View) {
        self.capacity = max(0, capacity)
        self.make = make
    }

    /// The number of views that are warm and free.
    public var warmCount: Int { warm.count }

    /// Prepares views until as many are warm as the pool may keep. Call it when the app is idle.
    /// - Throws: the error of the first view that could not be prepared.
    public func warmUp() async throws {
        await reclaim()
        let dead = warm.filter { !$0.isAlive }
        warm.removeAll { !$0.isAlive }
        dead.forEach(discard)
        while warm.count + preparing < capacity {
            preparing += 1
            defer { preparing -= 1 }
            let view = try make()
            counters.made += 1
            do {
                try await view.warmUp()
            } catch {
                discard(view)
                throw error
            }
            keepOrDiscard(view)
        }
    }

    /// Lends a view: a warm one where there is one, else a new one that is not warm.
    public func checkOut(for holder: AnyObject) throws -> View {
        while let view = warm.popLast() {
            guard view.isAlive else {
                discard(view)
                continue
            }
            counters.warmCheckOuts += 1
            leases.append(Lease(holder: holder, view: view))
            return view
        }
        let view = try make()
        counters.made += 1
        counters.coldCheckOuts += 1
        leases.append(Lease(holder: holder, view: view))
        return view
    }

    /// Takes a view back. One that cannot be cleaned is never lent again.
    public func checkIn(_ view: View) async {
        guard let index = leases.firstIndex(where: { $0.view === view }) else { return }
        leases.remove(at: index)
        await recycle(view)
    }

    /// Takes back the views whose holders are gone.
    public func reclaim() async {
        let orphans = leases.filter { $0.holder == nil }.map(\.view)
        leases.removeAll { $0.holder == nil }
        for view in orphans {
            await recycle(view)
        }
    }

    /// Ends all free views, as on a memory warning.
    public func drain() {
        let free = warm
        warm.removeAll()
        free.forEach(discard)
    }

    private func recycle(_ view: View) async {
        guard view.isAlive, warm.count + preparing < capacity else {
            discard(view)
            return
        }
        do {
            try await view.reset()
            if keepOrDiscard(view) { counters.recycled += 1 }
        } catch {
            discard(view)
        }
    }

    @discardableResult
    private func keepOrDiscard(_ view: View) -> Bool {
        guard view.isAlive, warm.count < capacity else {
            discard(view)
            return false
        }
        warm.append(view)
        return true
    }

    private func discard(_ view: View) {
        counters.discarded += 1
        view.discard()
    }

    private struct Lease {
        weak var holder: AnyObject?
        let view: View
    }
}
