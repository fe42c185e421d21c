// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation

// Ends of writes.
extension Reconciliation {
    /// Records the end of a write.
    mutating func writeEnded(
        _ store: CookieStoreID, _ write: Write, _ outcome: Outcome, now: Date
    ) -> [Effect] {
        step(now) { state in
            guard let lane = state.index(of: store) else { return }
            state.end(write, outcome, in: lane)
        }
    }

    private mutating func end(_ write: Write, _ outcome: Outcome, in lane: Int) {
        let identity = write.change.identity
        guard var entry = entries[identity], let inFlight = entry.slots[lane].inFlight,
            inFlight.version == write.version
        else { return }
        lanes[lane].writes -= 1
        tick += 1
        var slot = entry.slots[lane]
        let lastEnd = slot.lastEnd
        slot.inFlight = nil
        slot.lastEnd = tick
        if slot.recheck { lanes[lane].wantsRead = true }
        slot.recheck = false
        // A read that is in progress may still show the previous state.
        if outcome != .failed, let reading = lanes[lane].reading {
            slot.window = (lastEnd > reading.start ? slot.window : []) + slot.possible
        }
        switch outcome {
        case .written:
            lanes[lane].failures = 0
            slot.possible = slot.observed.filter { !isSame($0, inFlight.state, in: lane) } + [inFlight.state]
            slot.awaitsEcho = true
        case .failed:
            pause(lane)
            if write.version == entry.version { slot.attempts += 1 }
            if slot.attempts >= limits.attempts {
                slot.verdict = .abandoned
                counters.abandoned += 1
                outbox.append(.report(Fault(kind: .writeFailed, store: lanes[lane].id, identity: identity)))
            } else {
                // Before the next attempt, a read shows whether the write was applied.
                lanes[lane].wantsRead = true
            }
        case .refused:
            lanes[lane].failures = 0
            lanes[lane].wantsRead = true
            // The store may still have the previous cookie, or may have removed it.
            slot.possible.removeAll { isSame($0, inFlight.state, in: lane) }
            if !contains(slot.possible, nil, in: lane) { slot.possible.append(nil) }
            if write.version == entry.version {
                slot.verdict = .refused
                counters.refused += 1
                outbox.append(.report(Fault(kind: .refused, store: lanes[lane].id, identity: identity)))
            }
        }
        slot.observed = []
        entry.slots[lane] = slot
        entries[identity] = entry
        plan(identity)
    }
}
