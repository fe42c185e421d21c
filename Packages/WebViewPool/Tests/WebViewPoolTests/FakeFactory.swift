// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebEngine
import WebViewPool

/// Makes the views of a pool and keeps them, so that a test sees each of them to its end.
@MainActor
final class FakeFactory {
    private(set) var views: [FakeView] = []
    /// Changes a view before the pool has it.
    var adjust: (FakeView) -> Void = { _ in }
    var failsToMake = false
    /// How many views have taken the place of another.
    private(set) var successors = 0

    func make() throws -> FakeView {
        if failsToMake { throw FakeView.Broken() }
        let view = FakeView(views.count + 1)
        adjust(view)
        views.append(view)
        return view
    }

    /// Makes the view that takes another's place.
    func makeSuccessor() -> FakeView {
        let view = FakeView(views.count + 1)
        adjust(view)
        views.append(view)
        successors += 1
        return view
    }

    /// Every view is checked out, warm or ended, ended ones once, and the pool's counters say the same.
    func expectBalance(
        of pool: ViewPool<FakeView, some PoolKey>, checkedOut: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let ended = views.filter { $0.discards > 0 }
        #expect(views.allSatisfy { $0.discards <= 1 }, sourceLocation: sourceLocation)
        #expect(pool.counters.made == views.count - successors, sourceLocation: sourceLocation)
        #expect(pool.counters.discarded == ended.count - successors, sourceLocation: sourceLocation)
        #expect(views.count == ended.count + pool.warmCount + checkedOut, sourceLocation: sourceLocation)
    }
}
