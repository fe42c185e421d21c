// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebViewPool

/// Makes views for a pool, and keeps the books.
@MainActor
final class Workshop {
    /// Views in the order of their making. Held here, so that nothing goes unnoticed.
    private(set) var views: [FakeView] = []
    /// What the next views do when they are warmed up; the others succeed.
    var behaviours: [FakeView.Behaviour] = []
    var failsToMake = false
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    func pool(capacity: Int) -> WebViewPool<FakeView> {
        WebViewPool(capacity: capacity) { try self.make() }
    }

    private func make() throws -> FakeView {
        if failsToMake { throw FakeView.Failure() }
        let view = FakeView(
            views.count + 1, onWarmUp: behaviours.isEmpty ? .succeeds : behaviours.removeFirst())
        views.append(view)
        let due = watchers.filter { $0.count <= views.count }
        watchers.removeAll { $0.count <= views.count }
        for watcher in due { watcher.continuation.resume() }
        return view
    }

    /// Waits until so many views were made.
    func made(_ count: Int) async {
        guard views.count < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    /// Checks that every view is either discarded, once, or still somewhere.
    func expectBalance(
        _ pool: WebViewPool<FakeView>, lent: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let counters = pool.counters
        #expect(counters.made == views.count, sourceLocation: sourceLocation)
        #expect(
            counters.made - counters.discarded == pool.warmCount + lent, "\(counters)", sourceLocation: sourceLocation)
        let discards = views.map { view in view.calls.count { $0 == "discard" } }
        #expect(discards.allSatisfy { $0 <= 1 }, sourceLocation: sourceLocation)
        #expect(discards.reduce(0, +) == counters.discarded, sourceLocation: sourceLocation)
    }
}

/// Who holds a view.
final class Holder {}
