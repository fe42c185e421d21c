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
    /// Counts the calls of ``drain()``: what was under way before one is not kept after it.
    private var drains: UInt64 = 0

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
    ///
    /// Ends early, without an error, when the pool is drained meanwhile.
    /// - Throws: the error of the first view that could not be prepared, or `CancellationError`.
    public func warmUp() async throws {
        let epoch = drains
        await reclaim()
        let dead = warm.filter { !$0.isAlive }
        warm.removeAll { !$0.isAlive }
        dead.forEach(end)
        while warm.count + preparing < capacity, epoch == drains {
            try Task.checkCancellation()
            preparing += 1
            defer { preparing -= 1 }
            let view = try make()
            counters.made += 1
            do {
                try await view.warmUp()
                // A view whose preparation was cut short may say nothing of it.
                try Task.checkCancellation()
            } catch {
                end(view)
                throw error
            }
            keepOrEnd(view, since: epoch)
        }
    }

    /// Lends a view: a warm one where there is one, else a new one that is not warm.
    public func checkOut(for holder: AnyObject) throws -> View {
        while let view = warm.popLast() {
            guard view.isAlive else {
                end(view)
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

    /// Ends all free views and those whose holders are gone, as on a memory warning. Views that are being prepared or
    /// cleaned are ended as soon as they are.
    public func drain() {
        drains += 1
        leases.filter { $0.holder == nil }.map(\.view).forEach(end)
        leases.removeAll { $0.holder == nil }
        warm.forEach(end)
        warm.removeAll()
    }

    private func recycle(_ view: View) async {
        guard view.isAlive, warm.count + preparing < capacity else {
            end(view)
            return
        }
        let epoch = drains
        do {
            try await view.reset()
            if keepOrEnd(view, since: epoch) { counters.recycled += 1 }
        } catch {
            end(view)
        }
    }

    /// Keeps a clean view where there is still room for it and the pool was not drained, and says whether it did.
    @discardableResult
    private func keepOrEnd(_ view: View, since epoch: UInt64) -> Bool {
        guard view.isAlive, epoch == drains, warm.count < capacity else {
            end(view)
            return false
        }
        warm.append(view)
        return true
    }

    private func end(_ view: View) {
        counters.discarded += 1
        view.discard()
    }

    private struct Lease {
        weak var holder: AnyObject?
        let view: View
    }
}
