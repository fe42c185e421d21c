// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
import WebEngine

@testable import WebViewPool

/// Tests of the life cycle with every sequence of events up to a length, without a view.
@Suite("Life cycle of a pooled view", .timeLimit(.minutes(1)))
struct PooledViewTests {
    private typealias Life = PooledView<SiteKey>

    private static let events: [Life.Event] = [
        .prepared, .checkOut(SiteKey("a")), .checkOut(SiteKey("b")), .checkOut(SiteKey("a", kind: 2)), .checkedIn,
        .clean,
        .end(.trimmed), .retire(.surplus),
    ]

    /// Calls `body` with each sequence of events of a length.
    private func eachSequence(of length: Int, _ body: ([Life.Event]) -> Void) {
        func extend(_ sequence: [Life.Event]) {
            guard sequence.count < length else { return body(sequence) }
            for event in Self.events { extend(sequence + [event]) }
        }
        extend([])
    }

    @Test("In any order of events, a view is checked out only if clean, only for its key, and never after its end")
    func interleavings() {
        eachSequence(of: 5) { sequence in
            for start in [Life(preparing: 1), Life(checkedOutFor: SiteKey("a"))] {
                var view = start
                for event in sequence {
                    let before = view
                    let isTaken = view.handle(event, reuseLimit: 2)
                    if !isTaken { #expect(view == before) }
                    if before.isEnded { #expect(!isTaken) }
                    switch (before.state, view.state) {
                    case (.checkedOut, .checkedOut), (.warm, .warm), (.preparing, .preparing), (.cleaning, .cleaning):
                        break
                    case (.ended, .ended), (_, .ended): break
                    case (.preparing, .warm): #expect(event == .prepared && before.retirement == nil)
                    case (.cleaning, .warm): #expect(event == .clean && before.retirement == nil)
                    case (.checkedOut, .cleaning): #expect(event == .checkedIn && before.checkOuts < 2)
                    case (.warm, .checkedOut):
                        #expect(event == view.key.map { .checkOut($0) } && before.serves(view.key))
                    default: Issue.record("\(before) became \(view) by \(event)")
                    }
                    #expect(view.checkOuts <= 2 && (view.key == nil) == (view.checkOuts == 0))
                    if let key = before.key { #expect(view.key == key && key.kind == view.kind) }
                }
            }
        }
    }

    @Test("A view that is retired while it is not warm ends at its next transition, with the first reason")
    func retirement() {
        var checkedOut = Life(checkedOutFor: SiteKey("a"))
        checkedOut.handle(.retire(.trimmed), reuseLimit: 9)
        checkedOut.handle(.retire(.surplus), reuseLimit: 9)
        #expect(checkedOut.state == .checkedOut)
        checkedOut.handle(.checkedIn, reuseLimit: 9)
        #expect(checkedOut.state == .ended(.trimmed))
        var preparing = Life(preparing: 1)
        preparing.handle(.retire(.trimmed), reuseLimit: 9)
        preparing.handle(.prepared, reuseLimit: 9)
        #expect(preparing.state == .ended(.trimmed))
    }

    @Test("The state keeps its invariants for any sequence of calls", arguments: 1...200)
    func state(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var state = PoolState<SiteKey>(
            capacity: PoolCapacity(least: 1, standard: 2, most: 4), reuseLimit: 3)
        let keys = [SiteKey("a"), SiteKey("b"), SiteKey("a", kind: 2)]
        for _ in 0..<200 {
            let slots = state.views.keys.sorted()
            let slot = slots.randomElement(using: &random) ?? 0
            let key = keys.randomElement(using: &random) ?? keys[0]
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: if state.hasCapacity { _ = state.beginPreparing(key.kind) }
            case 2, 3: _ = state.prepared(slot)
            case 4, 5:
                let served = state.warm.filter { state.views[$0]?.serves(key) == true }
                let checkedOut = state.checkOut(key)
                #expect((checkedOut == nil) == served.isEmpty)
                if let checkedOut {
                    #expect(served.contains(checkedOut) && state.views[checkedOut]?.state == .checkedOut)
                }
            case 6: _ = state.checkOutNew(key)
            case 7: _ = state.checkIn(slot, isAlive: Bool.random(using: &random))
            case 8: _ = state.cleaned(slot)
            case 9: state.end(slot, .resetFailed)
            case 10: state.retire(slot, .severalThings)
            default:
                if Bool.random(using: &random) { state.review() } else { state.trim(.allCases[Int(seed % 2)]) }
            }
            let states = state.views.mapValues(\.state)
            #expect(Set(state.warm) == Set(states.filter { $0.value == .warm }.keys))
            #expect(Set(state.warm).count == state.warm.count)
            #expect(state.views.values.allSatisfy { !$0.isEnded })
            #expect(state.counters.created == state.views.count + state.counters.discarded)
            #expect((1...4).contains(state.capacity.current) && state.warm.count <= 4)
        }
    }
}

extension DiscardReason {
    fileprivate static let severalThings = DiscardReason(retired: "several-things")
}

extension PooledView {
    fileprivate func serves(_ key: Key?) -> Bool { key.map { serves($0) } ?? false }
}

/// A key with a name and a kind.
struct SiteKey: PoolKey {
    let name: String
    let kind: Int

    init(_ name: String, kind: Int = 1) {
        self.name = name
        self.kind = kind
    }
}
