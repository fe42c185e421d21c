// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import CookieJar
import Foundation
import PublicSuffixList

@_spi(Facade) @testable import CookieBridge

/// Four stores, a reconciliation, and a scheduler that performs steps in a random order. The stores are the app's
/// storage with its record, an engine's store, the jar, and the store of a second engine.
///
/// Every effect takes two steps: the store performs it, and the reconciliation receives the result. Any other step may
/// happen between these two steps. The simulation also records the order in which the reconciliation receives changes,
/// from the causes in the stores and not from comparisons of cookies. So the last writer is known independently.
struct Simulation {
    enum Step {
        case signal(Int)
        case readSnapshot(Int, number: UInt64)
        case deliverSnapshot(Int, number: UInt64)
        case land(Int, Reconciliation.Write)
        case report(Int, Reconciliation.Write, Reconciliation.Outcome)
        case clear(Int, CookieScope, covers: Int)
        case reportClear(Int, succeeded: Bool, covers: Int)
        case resume(Int)
        case lose(Int)
    }

    struct Snapshot {
        var cookies: [Cookie]?
        var causes: [Cookie.Identity: SimulatedStore.Cause] = [:]
        /// The scopes that were being cleared at some time during the read.
        var ignored: [CookieScope]
        /// A Boolean value that indicates whether the store lost all cookies before the read.
        var foundLoss = false
    }

    var generator: SeededGenerator
    var reconciliation: Reconciliation
    var stores: [SimulatedStore]
    var steps: [Step] = []
    var snapshots: [Int: Snapshot] = [:]
    var owed: [[CookieScope]]
    var now = start { didSet { time.now = now } }
    /// The time of the record.
    let time = SimulatedTime()
    /// The cookies that the app's storage had at the start of a process, and that were not written since, with the
    /// expiry that the last read has shown. A cookie that expires or is missing from a read is not the same afterwards.
    var seen: [Cookie.Identity: Date?] = [:]
    var failurePercent = 0
    /// The stores that have lost all cookies and have not reported it.
    var unsaidLosses: Set<Int> = []
    /// The number of lost cookies.
    var lost = 0
    /// The last received state of each cookie; an inner `nil` is a deletion.
    var lastHeard: [Cookie.Identity: Cookie?] = [:]
    /// The cookies that a read has shown as missing since their last received change. Their last change may be a
    /// deletion.
    var mayBeGone: Set<Cookie.Identity> = []
    /// The external changes by number: the state after each, and the value that a deletion certainly removed.
    var states: [Int: Cookie?] = [:]
    var removedValues: [Int: String] = [:]
    var alreadyHeard: Set<Int> = []
    var number = 0
    var lastValue = 0
    var faults: [Reconciliation.Fault] = []
    var writes = 0
    var failedWrites = 0
    /// The number of cookies that the app removed before the start.
    var removedBefore = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        stores = [
            SimulatedStore(.native, .engine, record: Self.record([], time)), SimulatedStore(.engine, .engine),
            SimulatedStore(.jar, .whole), SimulatedStore(.other, .engine),
        ]
        reconciliation = Self.reconciliation(of: stores)
        owed = stores.map { _ in [] }
    }

    private static func reconciliation(of stores: [SimulatedStore]) -> Reconciliation {
        var limits = Reconciliation.Limits()
        limits.writes = 2
        return Reconciliation(stores.map { .init($0.id, $0.representation) }, limits: limits)
    }

    private static func record(_ entries: [Cookie], _ time: SimulatedTime) -> NativeCookieRecord {
        NativeCookieRecord(
            CookieStore(
                publicSuffixes: SuffixList(), limits: NativeCookieRecord.limits, cookies: entries, now: { time.now }),
            file: nil)
    }

    var isQuiet: Bool { steps.isEmpty && reconciliation.isQuiet }

    /// Returns a value that no cookie had before.
    mutating func nextValue() -> Int {
        lastValue += 1
        return lastValue
    }

    // MARK: External changes

    mutating func begin() {
        let removed = stores[0].begin(at: now)
        removedBefore = removed.count
        seen = Dictionary(uniqueKeysWithValues: stores[0].cookies(at: now).map { ($0.identity, $0.expires) })
        perform(reconciliation.delete(removed, now: now))
        perform(reconciliation.start(now: now))
    }

    /// Ends the process without warning, and starts the next one. Pending steps are lost, and the next process does not
    /// know the order of the changes. So the record of received changes ends here.
    /// - Parameter change: a change that the app makes before the container starts.
    mutating func relaunch(after change: CookieUpdate? = nil) {
        let entries = stores[0].record?.persistent ?? []
        for store in stores.indices {
            stores[store].relaunch(with: store == 0 ? Self.record(entries, time) : nil)
        }
        if let change { stores[0].put(change, .nobody) }
        (steps, snapshots, unsaidLosses, faults) = ([], [:], [], [])
        (lost, writes, failedWrites) = (0, 0, 0)
        (lastHeard, mayBeGone, states, removedValues, alreadyHeard) = ([:], [], [:], [:], [])
        owed = stores.map { _ in [] }
        reconciliation = Self.reconciliation(of: stores)
        begin()
    }

    /// Takes the current cookies as the received ones, after the first reads of a process.
    mutating func learnAll() {
        for identity in stores.flatMap({ $0.held.keys }) {
            lastHeard[identity] = .some(reconciliation.cookie(identity))
        }
    }

    mutating func change(_ store: Int, _ change: CookieUpdate) {
        number += 1
        var state: Cookie?
        if case .set(var cookie) = change {
            // The app's storage has no `SameSite`.
            if stores[store].record != nil { cookie.sameSite = .unspecified }
            state = cookie
        }
        if let held = stores[store].held[change.identity], held.cause != .ours(failed: true) {
            removedValues[number] = held.cookie?.value
        }
        states[number] = .some(state)
        stores[store].put(change, .outside(number))
        signal(store)
    }

    mutating func clear(_ scope: CookieScope) {
        for identity in Set(lastHeard.keys).union(stores.flatMap { $0.held.keys }) where scope.contains(identity) {
            receive(nil, of: identity)
        }
        for store in stores.indices { owed[store].append(scope) }
        for key in snapshots.keys { snapshots[key]?.ignored.append(scope) }
        perform(reconciliation.clear(scope, now: now))
    }

    /// Schedules a loss of all cookies of a store.
    mutating func lose(_ store: Int) {
        steps.append(.lose(store))
    }

    /// Schedules a late signal, sometimes twice.
    mutating func signal(_ store: Int) {
        steps.append(.signal(store))
        if generator.chance(20) { steps.append(.signal(store)) }
    }

    // MARK: Steps

    /// Performs one random pending step.
    mutating func step() {
        guard !steps.isEmpty else { return }
        let step = steps.remove(at: Int.random(in: steps.indices, using: &generator))
        switch step {
        case .signal(let store):
            perform(reconciliation.signalled(stores[store].id, now: now))
        case .readSnapshot(let store, let number):
            if unsaidLosses.remove(store) != nil {
                snapshots[store]?.foundLoss = true
            } else if !generator.chance(failurePercent) {
                let cookies = stores[store].read(at: now)
                snapshots[store]?.cookies = cookies
                if store == 0 { updateSeen(by: cookies) }
                snapshots[store]?.causes = stores[store].held.mapValues(\.cause)
            }
            steps.append(.deliverSnapshot(store, number: number))
        case .deliverSnapshot(let store, let number):
            guard let snapshot = snapshots.removeValue(forKey: store) else { return }
            guard !snapshot.foundLoss else {
                perform(reconciliation.readFoundLoss(stores[store].id, number: number, now: now))
                return
            }
            if snapshot.cookies != nil { receive(snapshot, of: store) }
            perform(
                reconciliation.readEnded(stores[store].id, number: number, cookies: snapshot.cookies, now: now))
        case .land(let store, let write):
            let fails = generator.chance(failurePercent)
            if case .remove(let identity) = write.change,
                case .outside(let number)? = stores[store].held[identity]?.cause
            {
                // From now on it is not known whether the external deletion or this write removed the cookie.
                removedValues[number] = nil
            }
            if !fails || generator.chance(50) {
                stores[store].put(write.change, .ours(failed: fails))
                if store == 0 { seen.removeValue(forKey: write.change.identity) }
                signal(store)
            }
            steps.append(.report(store, write, fails ? .failed : .written))
        case .report(let store, let write, let outcome):
            if outcome == .failed { failedWrites += 1 }
            perform(reconciliation.writeEnded(stores[store].id, write, outcome, now: now))
        case .clear(let store, let scope, let covers):
            let fails = generator.chance(failurePercent)
            if !fails {
                stores[store].clear(scope)
                if store == 0 { seen = seen.filter { !scope.contains($0.key) } }
                signal(store)
            }
            steps.append(.reportClear(store, succeeded: !fails, covers: covers))
        case .reportClear(let store, let succeeded, let covers):
            if succeeded { owed[store].removeFirst(covers) }
            perform(reconciliation.clearEnded(stores[store].id, succeeded: succeeded, now: now))
        case .resume(let store):
            perform(reconciliation.resumed(stores[store].id, now: now))
        case .lose(let store):
            // A missing cookie no longer shows whether it was lost or deleted, if no read has found the deletion yet.
            lost += stores[store].held.count
            stores[store].clear(.all)
            unsaidLosses.insert(store)
            signal(store)
        }
    }

    private mutating func updateSeen(by cookies: [Cookie]) {
        let shown = Dictionary(uniqueKeysWithValues: cookies.map { ($0.identity, $0) })
        for (identity, end) in seen {
            if let cookie = shown[identity], end.map({ $0 > now }) ?? true {
                seen.updateValue(cookie.expires, forKey: identity)
            } else {
                seen.removeValue(forKey: identity)
            }
        }
    }

    /// Performs all steps until none is pending, up to a limit.
    mutating func converge() {
        for _ in 0..<20_000 where !steps.isEmpty { step() }
    }

    private mutating func perform(_ effects: [Reconciliation.Effect]) {
        for effect in effects {
            switch effect {
            case .read(let id, let number):
                let store = index(id)
                snapshots[store] = Snapshot(ignored: owed[store])
                steps.append(.readSnapshot(store, number: number))
            case .write(let id, let write):
                writes += 1
                steps.append(.land(index(id), write))
            case .clear(let id, let scope):
                steps.append(.clear(index(id), scope, covers: owed[index(id)].count))
            case .pause(let id, _): steps.append(.resume(index(id)))
            case .report(let fault): faults.append(fault)
            }
        }
    }

    private func index(_ id: CookieStoreID) -> Int {
        stores.firstIndex { $0.id == id } ?? 0
    }

    // MARK: Record of received changes

    private mutating func receive(_ state: Cookie?, of identity: Cookie.Identity) {
        lastHeard[identity] = .some(state)
        mayBeGone.remove(identity)
    }

    /// Records the external changes that a delivered snapshot shows.
    private mutating func receive(_ snapshot: Snapshot, of store: Int) {
        for (identity, cause) in snapshot.causes {
            guard case .outside(let number) = cause, !snapshot.ignored.contains(where: { $0.contains(identity) }),
                let made = states[number]
            else { continue }
            // A cookie that had expired when it was read, or has expired since, looks like a deletion.
            let shown = snapshot.cookies?.first { $0.identity == identity }
            let state = shown.map { $0.expires.map { $0 > now } ?? true } == true ? made : nil
            // A deletion looks like a removal by the reconciler, or like a write that was not applied. While the cookie
            // is missing, the deletion may be the last change. If it removed the last received value, it certainly is
            // the last change.
            if state == nil { mayBeGone.insert(identity) }
            guard alreadyHeard.insert(number).inserted else { continue }
            if let state {
                receive(state, of: identity)
            } else if let last = lastHeard[identity] ?? nil, last.value == removedValues[number],
                !isBeingRemoved(identity, from: store)
            {
                // The removal of a cookie at the end of its life looks like a loss.
                if isEnding(last) { lost += 1 } else { receive(nil, of: identity) }
            }
        }
    }

    /// Returns a Boolean value that indicates whether a removal by the reconciler is pending, which may explain a
    /// missing cookie.
    private func isBeingRemoved(_ identity: Cookie.Identity, from store: Int) -> Bool {
        steps.contains { step in
            guard case .land(store, let write) = step else { return false }
            return write.change == .remove(identity)
        }
    }

    /// Returns a Boolean value that indicates whether a cookie is at the end of its life. A store that rounds down may
    /// then have removed it by itself.
    private func isEnding(_ cookie: Cookie) -> Bool {
        cookie.expires.map { $0 <= now.addingTimeInterval(2) } ?? false
    }

    /// Returns a description of a fault of the final state; `nil` if there is no fault.
    func fault() -> String? {
        guard isQuiet else { return "does not come to rest: \(steps.prefix(9))" }
        for identity in Set(lastHeard.keys).union(stores.flatMap { $0.held.keys }) {
            let desired = reconciliation.cookie(identity)
            for store in stores {
                let there = store.cookies(at: now).first { $0.identity == identity }
                guard there?.value == desired?.value else {
                    return "\(store.id) has \(identity.name)=\(there?.value ?? "-"), not \(desired?.value ?? "-")"
                }
                guard store.representation.isSame(there, desired) else {
                    return "\(store.id) has other attributes of \(identity.name) than \(String(describing: desired))"
                }
            }
            let last = (lastHeard[identity] ?? nil).flatMap { cookie in
                // In a store that rounds down, a cookie expires up to a second earlier.
                cookie.expires.map { $0 > now.addingTimeInterval(desired == nil ? 1 : 0) } ?? true ? cookie : nil
            }
            let isRight = desired?.value == last?.value || desired == nil && mayBeGone.contains(identity)
            guard isRight else {
                return "\(identity.name) is \(desired?.value ?? "-"), the last one was \(last?.value ?? "-")"
            }
            if let desired, let last, !desired.isAsStrict(as: last) {
                return "\(identity.name) has weaker attributes than its last writer: \(desired), not \(last)"
            }
        }
        // A change of a store is written once to each other store. A change of a store during a write to it may have
        // been overwritten, and is written again.
        let counters = reconciliation.counters
        let changes = counters.observed + removedBefore
        let bound = (stores.count - 1) * changes + counters.conflicts + failedWrites + lost
        guard writes <= bound else { return "\(writes) writes, more than \(bound): \(counters)" }
        return nil
    }
}

/// The time of a simulation, for its record.
final class SimulatedTime: Sendable {
    private let date = Mutex(start)

    var now: Date {
        get { date.withLock { $0 } }
        set { date.withLock { $0 = newValue } }
    }
}

extension NativeCookieRecord {
    /// The entries that the file of the record has.
    var persistent: [Cookie] { all.filter { $0.expires != nil } }
}

extension Cookie {
    /// Returns a Boolean value that indicates whether no attribute is weaker than that of another cookie.
    func isAsStrict(as other: Cookie) -> Bool {
        (isSecure || !other.isSecure) && (isHTTPOnly || !other.isHTTPOnly)
            // Engines have no unspecified value.
            && max(sameSite.strictness, 1) >= max(other.sameSite.strictness, 1)
    }
}

extension Reconciliation {
    /// A Boolean value that indicates whether no operation is in progress or pending, so that all stores are equal as
    /// far as the reconciliation knows.
    var isQuiet: Bool {
        unsynchronized.isEmpty
            && lanes.allSatisfy { lane in
                lane.reading == nil && !lane.wantsRead && lane.hasBeenRead && lane.writes == 0 && lane.owed == nil
                    && lane.clearing == nil
            }
    }

    /// Returns the cookie that the stores should hold for an identity; `nil` if it should be absent or is unknown.
    func cookie(_ identity: Cookie.Identity) -> Cookie? {
        entries[identity].flatMap { live($0.desired) }
    }
}

extension SeededGenerator {
    /// Returns `true` in `percent` of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }
}
