// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation

// Clearing of all stores.
extension Reconciliation {
    /// Clears the cookies of a scope in all stores, pending changes included.
    ///
    /// Until a store is cleared, no cookie of the scope is written to it, and cookies of the scope in its reads are
    /// ignored. So neither a write in progress nor an echo restores a cookie. A change that a store makes after it is
    /// cleared is adopted.
    mutating func clear(_ scope: CookieScope, now: Date) -> [Effect] {
        step(now) { state in
            state.counters.clears += 1
            state.version += 1
            for lane in state.lanes.indices {
                state.lanes[lane].resetFailures()
                state.lanes[lane].owed = CookieScope.union(state.lanes[lane].owed, scope)
                let ignored = state.lanes[lane].reading?.ignored
                state.lanes[lane].reading?.ignored = CookieScope.union(ignored, scope)
            }
            let affected = state.entries.filter { scope.contains($0.key) }
            for (identity, entry) in affected.sorted(by: { $0.value.serial < $1.value.serial }) {
                var entry = entry
                if entry.desired != nil { state.adopt(nil, into: &entry, from: .caller) }
                state.entries[identity] = entry
                state.plan(identity)
            }
        }
    }

    /// Records the end of a clear operation.
    mutating func clearEnded(_ store: CookieStoreID, succeeded: Bool, now: Date) -> [Effect] {
        step(now) { state in
            guard let lane = state.index(of: store), let scope = state.lanes[lane].clearing else { return }
            state.lanes[lane].clearing = nil
            guard succeeded else {
                state.clearFailed(scope, in: lane)
                return
            }
            state.lanes[lane].failures = 0
            state.lanes[lane].clearFailures = 0
            state.lanes[lane].clearsEnded = state.lanes[lane].clearsStarted
            state.empty(scope, in: lane)
        }
    }

    private mutating func clearFailed(_ scope: CookieScope, in lane: Int) {
        pause(lane)
        lanes[lane].owed = CookieScope.union(lanes[lane].owed, scope)
        lanes[lane].clearFailures += 1
        if lanes[lane].clearFailures >= limits.attempts {
            lanes[lane].isClearStuck = true
            outbox.append(.report(Fault(kind: .clearFailed, store: lanes[lane].id, identity: nil)))
        }
    }

    private mutating func empty(_ scope: CookieScope, in lane: Int) {
        // A new read finds the cookies that pages have set since the store was cleared.
        lanes[lane].wantsRead = true
        tick += 1
        let affected = entries.filter { scope.contains($0.key) }
        for (identity, _) in affected.sorted(by: { $0.value.serial < $1.value.serial }) {
            entries[identity]?.slots[lane].possible = [nil]
            entries[identity]?.slots[lane].window = []
            entries[identity]?.slots[lane].lastEnd = tick
            plan(identity)
        }
    }
}
