// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation
internal import WebSyntax

// Evaluation of reads.
extension Reconciliation {
    /// Records the end of a read.
    /// - Parameters:
    ///   - store: the store that was read.
    ///   - number: the number of the read from ``Effect/read(_:number:)``; a read with another number is ignored.
    ///   - cookies: all cookies of the store; `nil` if the read failed.
    ///   - now: the current time.
    mutating func readEnded(
        _ store: CookieStoreID, number: UInt64, cookies: [Cookie]?, now: Date
    ) -> [Effect] {
        step(now) { state in
            guard let lane = state.index(of: store), let reading = state.lanes[lane].reading, reading.number == number
            else { return }
            state.lanes[lane].reading = nil
            if let cookies {
                state.receive(cookies, reading, in: lane)
            } else {
                state.readFailed(in: lane)
            }
        }
    }

    /// Records that a read found a loss: the store has lost cookies by itself.
    ///
    /// If a cookie is missing from the next read, it is written again and does not count as deleted. A cookie that the
    /// store still has, or that another writer has set since the loss, is evaluated as usual.
    mutating func readFoundLoss(_ store: CookieStoreID, number: UInt64, now: Date) -> [Effect] {
        step(now) { state in
            guard let lane = state.index(of: store), let reading = state.lanes[lane].reading, reading.number == number
            else { return }
            state.lanes[lane].reading = nil
            state.lanes[lane].wantsRead = true
            state.counters.losses += 1
            state.outbox.append(.report(Fault(kind: .lost, store: store, identity: nil)))
            for (identity, entry) in state.entries.sorted(by: { $0.value.serial < $1.value.serial }) {
                // A cookie that was never read cannot be lost.
                guard !entry.slots[lane].possible.isEmpty else { continue }
                state.entries[identity]?.slots[lane].lose()
                state.plan(identity)
            }
        }
    }

    private mutating func readFailed(in lane: Int) {
        pause(lane)
        lanes[lane].wantsRead = true
        lanes[lane].readFailures += 1
        if lanes[lane].readFailures >= limits.attempts, !lanes[lane].isSilent {
            lanes[lane].isSilent = true
            outbox.append(.report(Fault(kind: .readFailed, store: lanes[lane].id, identity: nil)))
        }
    }

    private mutating func receive(_ cookies: [Cookie], _ reading: Lane.Reading, in lane: Int) {
        lanes[lane].failures = 0
        lanes[lane].readFailures = 0
        lanes[lane].isSilent = false
        lanes[lane].readsEnded = reading.number
        discardOldDeletions()
        let droppedBefore = counters.dropped

        var shown: [Cookie.Identity: Cookie] = [:]
        for cookie in cookies { shown[cookie.identity] = cookie }
        var changed: [Cookie.Identity] = []
        for cookie in cookies {
            guard let last = shown[cookie.identity], reading.ignored?.contains(cookie.identity) != true,
                entries[cookie.identity] != nil || live(last) != nil
            else { continue }
            if receive(live(last), of: cookie.identity, reading, in: lane) { changed.append(cookie.identity) }
        }
        let missing = entries.filter { identity, entry in
            shown[identity] == nil && reading.ignored?.contains(identity) != true
                && !isKnownAbsent(entry, in: lane)
        }
        for (identity, _) in missing.sorted(by: { $0.value.serial < $1.value.serial }) {
            if receive(nil, of: identity, reading, in: lane) { changed.append(identity) }
        }
        lanes[lane].hasBeenRead = true
        if counters.dropped > droppedBefore {
            outbox.append(.report(Fault(kind: .dropped, store: lanes[lane].id, identity: nil)))
        }
        for identity in changed { plan(identity) }
    }

    /// Returns a Boolean value that indicates whether the cookie is known to be absent from the store. Its absence from
    /// a read is then no change.
    private func isKnownAbsent(_ entry: Entry, in lane: Int) -> Bool {
        let slot = entry.slots[lane]
        return slot.possible.count == 1 && slot.inFlight == nil && slot.window.isEmpty && slot.verdict == nil
            // An expired cookie is absent, and may be forgotten.
            && slot.possible.allSatisfy { $0 == nil } && (entry.desired == nil || live(entry.desired) != nil)
    }

    /// Evaluates the state of one cookie in a store.
    /// - Returns: a Boolean value that indicates whether the cookie has to be planned again.
    private mutating func receive(
        _ state: Cookie?, of identity: Cookie.Identity, _ reading: Lane.Reading, in lane: Int
    ) -> Bool {
        guard var entry = entries[identity] ?? makeEntry() else { return false }
        defer { entries[identity] = entry }
        var slot = entry.slots[lane]
        let hasEnded = slot.lastEnd > reading.start
        let isKnown =
            contains(slot.possible, state, in: lane) || hasEnded && contains(slot.window, state, in: lane)
            || state == nil && isReplaced(slot.possible + slot.window + [slot.inFlight?.state], by: entry, in: lane)
        let isFirst = slot.possible.isEmpty
        slot.window = []
        if slot.verdict == .abandoned {
            // The store works again, so one more attempt is allowed.
            slot.verdict = nil
            slot.attempts = limits.attempts - 1
        }
        if let inFlight = slot.inFlight {
            // Reads run one after the other, so the earlier states are obsolete. If the read shows a change, the write
            // may have been applied before or after it.
            let hasLanded = isSame(state, inFlight.state, in: lane)
            if !hasEnded {
                slot.possible = hasLanded ? [state] : [state, inFlight.state]
                slot.observed = hasLanded || isKnown && !contains(slot.observed, state, in: lane) ? [] : [state]
            } else if !isKnown {
                // The previous write may also have been applied after this read.
                slot.possible.append(state)
                slot.observed.append(state)
            }
            if !hasLanded { slot.recheck = true }
        } else if hasEnded {
            let isSettled = slot.possible.count == 1 && contains(slot.possible, state, in: lane)
            // If the last write failed, the store may still have the previous state.
            if !isKnown { slot.possible.append(state) }
            if !isSettled { lanes[lane].wantsRead = true }
        } else {
            slot.possible = [state]
        }
        let isOverlapped = slot.inFlight != nil || hasEnded
        if isKnown, slot.awaitsEcho {
            slot.awaitsEcho = false
            counters.echoes += 1
        }
        let lags = slot.dirtySince != nil || isOverlapped
        entry.slots[lane] = slot
        if !isKnown { learn(state, isFirst: isFirst, lags: lags, into: &entry, in: lane) }
        return true
    }

    /// Returns a Boolean value that indicates whether one of the states expires within the slack and the desired state
    /// lives longer.
    ///
    /// A store that rounds expiry times has then removed the cookie by itself. The absence must not count as a
    /// deletion, because a deletion would also remove the new cookie.
    private func isReplaced(_ states: [Cookie?], by entry: Entry, in lane: Int) -> Bool {
        let end = now.addingTimeInterval(lanes[lane].representation.expirySlack)
        let isEnding = { (state: Cookie?) in state?.expires.map { $0 <= end } ?? false }
        return live(entry.desired) != nil && !isEnding(entry.desired) && states.contains { isEnding(live($0)) }
    }

    /// Adopts a change that a store made, unless a rule forbids it.
    private mutating func learn(_ state: Cookie?, isFirst: Bool, lags: Bool, into entry: inout Entry, in lane: Int) {
        let representation = lanes[lane].representation
        let desired = live(entry.desired)
        // The store reached the desired state by itself.
        guard !isSame(state, desired, in: lane) else { return }
        var origin = Entry.Origin.store
        var state = state
        if isFirst {
            // A cookie that is missing in the first read was never deleted. A version that is newer than the first
            // reads wins over the cookie found.
            guard let found = state else { return }
            switch entry.origin {
            case _ where entry.version == 0: origin = .found(lane)
            case .found(let other):
                guard let known = desired, known.value.hasSameBytes(as: found.value) else {
                    guard lane < other else { return }
                    origin = .found(lane)
                    break
                }
                var merged = lane < other ? found.strengthened(by: known) : known.strengthened(by: found)
                // A store that cannot represent an unspecified SameSite does not show which of the two it is.
                if Set([known.sameSite, found.sameSite]) == [.none, .unspecified] {
                    if representation.keepsUnspecifiedSameSite {
                        merged.sameSite = found.sameSite
                    } else if lanes[other].representation.keepsUnspecifiedSameSite {
                        merged.sameSite = known.sameSite
                    }
                }
                // A store that keeps no expiry must not remove that of another store.
                if !lanes.allSatisfy(\.representation.keepsExpiry) { merged.expires = known.expires ?? found.expires }
                guard !CookieRepresentation.whole.isSame(merged, known) else { return }
                state = merged
                origin = .found(min(lane, other))
            default: return
            }
        } else if lags {
            counters.conflicts += 1
        }
        counters.observed += 1
        adopt(state.map { representation.restored($0, over: desired) }, into: &entry, from: origin)
    }
}
