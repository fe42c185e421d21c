// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebEngine
import WebViewPool

/// A factory that makes the views of a pool and retains them, so that a test can check each of them.
@MainActor
final class FakeFactory {
    private(set) var views: [FakeView] = []
    /// A closure that changes a view before the pool gets it.
    var adjust: (FakeView) -> Void = { _ in }
    var failsToMake = false
    /// The number of views that replaced another view at a reset.
    private(set) var successors = 0

    func make() throws -> FakeView {
        if failsToMake { throw FakeView.Broken() }
        let view = FakeView(views.count + 1)
        adjust(view)
        views.append(view)
        return view
    }

    /// Makes a view that replaces another view at a reset.
    func makeSuccessor() -> FakeView {
        let view = FakeView(views.count + 1)
        adjust(view)
        views.append(view)
        successors += 1
        return view
    }

    /// Checks that every view is checked out, warm or discarded exactly once, and that the pool's counters agree.
    func expectBalance(
        of pool: ViewPool<FakeView, some PoolKey>, checkedOut: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let ended = views.filter { $0.discards > 0 }
        #expect(views.allSatisfy { $0.discards <= 1 }, sourceLocation: sourceLocation)
        #expect(pool.counters.created == views.count - successors, sourceLocation: sourceLocation)
        #expect(pool.counters.discarded == ended.count - successors, sourceLocation: sourceLocation)
        #expect(views.count == ended.count + pool.warmCount + checkedOut, sourceLocation: sourceLocation)
    }
}

/// Calls for tests in which all views have the same key.
extension ViewPool where Key == SiteKey {
    func warmUp() async throws {
        try await warmUp(for: SiteKey("shop"))
    }

    func checkOut(for holder: AnyObject) throws -> View {
        try checkOut(SiteKey("shop"), for: holder)
    }
}
