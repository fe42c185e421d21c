// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing

@_spi(Facade) @testable import CookieBridge

/// Tests of each rule, with two stores: the jar and the engine's store.
@Suite(.timeLimit(.minutes(3)))
struct ReconciliationTests {
    private var state: Reconciliation

    /// Creates a state in which both stores have been read and are empty.
    init() {
        state = Self.begun([.init(.jar), .init(.engine, .engine)])
    }

    private static func begun(
        _ members: [Reconciliation.Member], limits: Reconciliation.Limits = .init()
    ) -> Reconciliation {
        var state = Reconciliation(members, limits: limits)
        _ = state.start(now: start)
        for member in members { _ = state.readEnded(member.id, number: 1, cookies: [], now: start) }
        return state
    }

    private func writes(_ effects: [Reconciliation.Effect]) -> [CookieStoreID: Reconciliation.Write] {
        effects.reduce(into: [:]) { if case .write(let id, let write) = $1 { $0[id] = write } }
    }

    private func reads(_ effects: [Reconciliation.Effect]) -> [CookieStoreID: UInt64] {
        effects.reduce(into: [:]) { if case .read(let id, let number) = $1 { $0[id] = number } }
    }

    /// Makes a cookie known in both stores.
    private mutating func synchronize(_ made: Cookie) throws {
        let others = state.entries.values.compactMap(\.desired).filter { $0.identity != made.identity }
        for (id, write) in writes(try read(.jar, others + [made])) {
            _ = state.writeEnded(id, write, .written, now: start)
        }
        try #require(state.isQuiet)
    }

    /// Signals a change, and returns the effects of the read that follows.
    private mutating func read(_ id: CookieStoreID, _ cookies: [Cookie]) throws -> [Reconciliation.Effect] {
        let number = try #require(reads(state.signalled(id, now: start))[id])
        return state.readEnded(id, number: number, cookies: cookies, now: start)
    }

    @Test(arguments: [true, false]) mutating func stricterAttributesOfFirstReadsWin(nativeIsFirst: Bool) throws {
        state = Reconciliation([.init(.native, .engine), .init(.engine, .engine)])
        let numbers = reads(state.start(now: start))
        // Foundation has lost the attributes of the cookie.
        let lost = cookie("a", "1")
        let whole = cookie("a", "1", isSecure: true, isHTTPOnly: true, sameSite: .strict)
        let order: [(CookieStoreID, Cookie)] = [(.native, lost), (.engine, whole)]
        var written: [CookieStoreID: Reconciliation.Write] = [:]
        for (id, shown) in nativeIsFirst ? order : order.reversed() {
            let effects = state.readEnded(id, number: try #require(numbers[id]), cookies: [shown], now: start)
            written.merge(writes(effects)) { $1 }
        }
        let desired = try #require(state.cookie(name("a")))
        #expect(desired.isSecure && desired.isHTTPOnly && desired.sameSite == .strict)
        #expect(written.count == 1 && written[.native]?.change == .set(desired))
        // Another value is no loss of attributes: the first store wins.
        _ = try read(.native, [cookie("a", "2")])
        #expect(state.cookie(name("a"))?.isHTTPOnly == false)
    }

    @Test(
        "The jar decides between SameSite=None and an unspecified SameSite, whichever store is read first",
        arguments: [Cookie.SameSite.none, .unspecified],
        [
            [CookieStoreID.native, .engine, .jar], [.native, .jar, .engine], [.engine, .jar, .native],
            [.jar, .engine, .native],
        ])
    mutating func unspecifiedSameSite(sameSite: Cookie.SameSite, order: [CookieStoreID]) throws {
        state = Reconciliation([.init(.native, .engine), .init(.engine, .engine), .init(.jar)])
        let numbers = reads(state.start(now: start))
        // Foundation shows the value as unspecified, the engine as None.
        let shown: [CookieStoreID: Cookie.SameSite] = [.native: .unspecified, .engine: .none, .jar: sameSite]
        for id in order {
            let cookie = cookie("a", "1", sameSite: try #require(shown[id]))
            let effects = state.readEnded(id, number: try #require(numbers[id]), cookies: [cookie], now: start)
            #expect(writes(effects).isEmpty)
        }
        #expect(state.cookie(name("a"))?.sameSite == sameSite)
    }

    @Test mutating func deletionBeforeStartWinsOverFirstReads() throws {
        state = Reconciliation([.init(.native, .engine), .init(.engine, .engine), .init(.jar)])
        #expect(state.delete([name("a")], now: start).isEmpty)
        let numbers = reads(state.start(now: start))
        var written: [CookieStoreID: Reconciliation.Write] = [:]
        for (id, cookies) in [(CookieStoreID.native, []), (.engine, [cookie("a", "1")]), (.jar, [cookie("a", "1")])] {
            let effects = state.readEnded(id, number: try #require(numbers[id]), cookies: cookies, now: start)
            written.merge(writes(effects)) { $1 }
        }
        #expect(written.mapValues(\.change) == [.engine: .remove(name("a")), .jar: .remove(name("a"))])
        for (id, write) in written { _ = state.writeEnded(id, write, .written, now: start) }
        #expect(state.isQuiet && state.tombstones.isEmpty)
    }

    @Test mutating func lostCookieIsWrittenAgain() throws {
        try synchronize(cookie("a", "1"))
        try synchronize(cookie("b", "1"))
        let number = try #require(reads(state.signalled(.engine, now: start))[.engine])
        var again = state.readFoundLoss(.engine, number: number, now: start)
        let told = again.contains { effect in if case .report(let fault) = effect { fault.kind == .lost } else { false }
        }
        #expect(told && writes(again).isEmpty)
        #expect(!state.isQuiet)
        // Another writer has set `b` since the loss, which is a change.
        again = state.readEnded(
            .engine, number: try #require(reads(again)[.engine]), cookies: [cookie("b", "2")], now: start)
        #expect(writes(again)[.engine]?.change == .set(cookie("a", "1")))
        #expect(writes(again)[.jar]?.change == .set(cookie("b", "2")))
        for (id, write) in writes(again) { _ = state.writeEnded(id, write, .written, now: start) }
        #expect(state.isQuiet && state.counters.losses == 1)
        // A cookie that is deleted afterwards stays deleted.
        #expect(try writes(read(.engine, [cookie("b", "2")]))[.jar]?.change == .remove(cookie("a", "1").identity))
    }

    @Test mutating func failedWriteRetainsPreviousCookie() throws {
        // The store is being read while two writes end there: one succeeds, and one fails.
        let number = try #require(reads(state.signalled(.engine, now: start))[.engine])
        let first = try #require(writes(try read(.jar, [cookie("a", "1")]))[.engine])
        _ = state.writeEnded(.engine, first, .written, now: start)
        let second = try #require(writes(try read(.jar, [cookie("a", "2")]))[.engine])
        _ = state.writeEnded(.engine, second, .failed, now: start)
        _ = state.resumed(.engine, now: start)
        // The read shows the state from before both writes.
        let effects = state.readEnded(.engine, number: number, cookies: [cookie("a", "0")], now: start)
        let next = try #require(reads(effects)[.engine])
        let observed = state.counters.observed
        _ = state.readEnded(.engine, number: next, cookies: [cookie("a", "1")], now: start)
        #expect(state.counters.observed == observed, "\(state.counters)")
    }

    @Test mutating func changeIsWrittenOnceToOtherStores() throws {
        let effects = try read(.engine, [cookie("a", "1")])
        let write = try #require(writes(effects)[.jar])
        #expect(writes(effects).count == 1)
        #expect(!state.isQuiet)
        #expect(state.writeEnded(.jar, write, .written, now: start).isEmpty)
        #expect(state.isQuiet)
        #expect(try writes(read(.jar, [cookie("a", "1")])).isEmpty)
        #expect(state.counters.echoes == 1)
    }

    @Test mutating func snapshotBeforeWriteIsNoDeletion() throws {
        let number = try #require(reads(state.signalled(.engine, now: start))[.engine])
        let write = try #require(writes(try read(.jar, [cookie("a", "1")]))[.engine])
        _ = state.writeEnded(.engine, write, .written, now: start)
        let effects = state.readEnded(.engine, number: number, cookies: [], now: start)
        #expect(writes(effects).isEmpty)
        #expect(state.cookie(name("a"))?.value == "1")
        // The second read shows that the cookie was deleted.
        let second = try #require(reads(effects)[.engine])
        _ = state.readEnded(.engine, number: second, cookies: [], now: start)
        #expect(state.cookie(name("a")) == nil)
    }

    @Test mutating func changeDuringOlderWritePrevails() throws {
        let write = try #require(writes(try read(.jar, [cookie("a", "1")]))[.engine])
        _ = try read(.engine, [cookie("a", "2")])
        #expect(state.cookie(name("a"))?.value == "2")
        // A read shows whether the write was applied before or after the change, and a further write corrects the
        // state.
        let number = try #require(reads(state.writeEnded(.engine, write, .written, now: start))[.engine])
        let effects = state.readEnded(.engine, number: number, cookies: [cookie("a", "1")], now: start)
        #expect(writes(effects)[.engine]?.change == .set(cookie("a", "2")))
        #expect(state.counters.conflicts == 1)
    }

    @Test mutating func deletionsAreAppliedBothWaysAndDiscarded() throws {
        try synchronize(cookie("a", "1"))
        let write = try #require(writes(try read(.engine, []))[.jar])
        #expect(write.change == .remove(name("a")))
        #expect(state.tombstones.count == 1)
        _ = state.writeEnded(.jar, write, .written, now: start)
        #expect(state.tombstones.count == 0 && state.isQuiet)
        try synchronize(cookie("a", "2"))
        #expect(writes(try read(.jar, []))[.engine]?.change == .remove(name("a")))
    }

    @Test mutating func unsupportedAttributesAreNoChange() throws {
        try synchronize(cookie("a", "1", expires: 100.7))
        var shown = cookie("a", "1", expires: 100, sameSite: .none)
        shown.created = .distantPast
        #expect(writes(try read(.engine, [shown])).isEmpty)
        // A new value keeps the properties that the engine cannot represent.
        shown.value = "2"
        let write = try #require(writes(try read(.engine, [shown]))[.jar])
        #expect(write.change == .set(cookie("a", "2", expires: 100.7)))
        // The other observed change is that of the jar.
        #expect(state.counters.observed == 2)
    }

    @Test mutating func expiredCookiesAreDropped() throws {
        #expect(writes(try read(.engine, [cookie("a", "1", expires: -1)])).isEmpty)
        #expect(writes(try read(.jar, [cookie("a", "1", expires: 0)])).isEmpty)
        try synchronize(cookie("b", "1", expires: 10))
        let later = start.addingTimeInterval(11)
        let number = try #require(reads(state.signalled(.engine, now: later))[.engine])
        #expect(state.readEnded(.engine, number: number, cookies: [], now: later).isEmpty)
        #expect(state.cookie(name("b")) == nil && state.isQuiet && state.tombstones.count == 0)
    }

    @Test(arguments: [Reconciliation.Outcome.written, .refused])
    mutating func writeOfExpiredCookieRemovesNoNewerCookie(_ outcome: Reconciliation.Outcome) throws {
        let write = try #require(writes(try read(.jar, [cookie("a", "1", expires: 10)]))[.engine])
        let later = start.addingTimeInterval(11)
        // A page sets the cookie and the read shows it, before the engine replaces it by the expired cookie.
        let number = try #require(reads(state.signalled(.engine, now: later))[.engine])
        _ = state.writeEnded(.engine, write, outcome, now: later)
        let effects = state.readEnded(.engine, number: number, cookies: [cookie("a", "2")], now: later)
        #expect(writes(effects)[.jar]?.change == .set(cookie("a", "2")))
        let second = try #require(reads(effects)[.engine])
        let again = state.readEnded(.engine, number: second, cookies: [], now: later)
        #expect(writes(again)[.engine]?.change == .set(cookie("a", "2")))
    }

    @Test mutating func failuresAreRetriedUpToLimit() throws {
        var write = try #require(writes(try read(.jar, [cookie("a", "1")]))[.engine])
        var attempts = 1
        while true {
            _ = state.writeEnded(.engine, write, .failed, now: start)
            let effects = state.resumed(.engine, now: start)
            guard let number = reads(effects)[.engine] else { break }
            let after = state.readEnded(.engine, number: number, cookies: [], now: start)
            write = try #require(writes(after)[.engine])
            attempts += 1
        }
        #expect(attempts == Reconciliation.Limits().attempts)
        #expect(state.counters.abandoned == 1)
        var ticket = state.barrier()
        #expect(state.progress(of: &ticket) == .failed([.engine]))
        // A signal allows one more attempt.
        #expect(writes(try read(.engine, []))[.engine] != nil)
    }

    @Test mutating func appliedWriteThatFailedIsNotRepeated() throws {
        let write = try #require(writes(try read(.jar, [cookie("a", "1")]))[.engine])
        _ = state.writeEnded(.engine, write, .failed, now: start)
        let number = try #require(reads(state.resumed(.engine, now: start))[.engine])
        #expect(state.readEnded(.engine, number: number, cookies: [cookie("a", "1")], now: start).isEmpty)
    }

    @Test mutating func cookieRejectedByOneStoreRemainsInOthers() throws {
        let write = try #require(writes(try read(.jar, [cookie("a", "1")]))[.engine])
        let effects = state.writeEnded(.engine, write, .refused, now: start)
        let number = try #require(reads(effects)[.engine])
        #expect(state.readEnded(.engine, number: number, cookies: [], now: start).isEmpty)
        #expect(state.cookie(name("a"))?.value == "1" && state.isQuiet)
        #expect(writes(try read(.jar, [cookie("a", "2")]))[.engine]?.change == .set(cookie("a", "2")))
    }

    @Test mutating func clearedCookiesDoNotReturn() throws {
        try synchronize(cookie("a", "1"))
        try synchronize(cookie("b", "1", domain: "www.bank.example"))
        let bank = cookie("b", "1", domain: "www.bank.example")
        let write = try #require(writes(try read(.jar, [cookie("a", "2"), bank]))[.engine])
        let number = try #require(reads(state.signalled(.jar, now: start))[.jar])
        let effects = state.clear(.domains(["shop.example"]), now: start)
        // The engine is cleared after the write in progress there.
        #expect(!effects.contains(.clear(.engine, .domains(["shop.example"]))))
        #expect(state.cookie(name("a")) == nil && state.cookie(name("b", domain: "www.bank.example")) != nil)
        #expect(
            state.writeEnded(.engine, write, .written, now: start)
                .contains(.clear(.engine, .domains(["shop.example"]))))
        // An echo of the earlier state does not restore the cookie.
        _ = state.readEnded(.jar, number: number, cookies: [cookie("a", "1"), bank], now: start)
        #expect(state.cookie(name("a")) == nil)
        // A new cookie of a login remains, and is not written to the engine until the engine is cleared.
        let next = try #require(reads(state.clearEnded(.jar, succeeded: true, now: start))[.jar])
        let login = state.readEnded(.jar, number: next, cookies: [cookie("a", "4"), bank], now: start)
        #expect(writes(login)[.engine] == nil)
        let cleared = state.clearEnded(.engine, succeeded: true, now: start)
        #expect(writes(cleared)[.engine]?.change == .set(cookie("a", "4")))
    }

    @Test mutating func recordsAreLimited() throws {
        var limits = Reconciliation.Limits()
        limits.identities = 3
        limits.tombstones = 1
        state = Self.begun([.init(.jar), .init(.engine)], limits: limits)
        _ = try read(.engine, (0..<5).map { cookie("\($0)", "1") })
        #expect(state.counters.dropped == 2 && state.counters.observed == 3)
        let number = try #require(reads(state.signalled(.engine, now: start))[.engine])
        _ = state.readEnded(.engine, number: number, cookies: [], now: start)
        // The removals are in progress, so the deletions cannot be forgotten yet.
        #expect(state.tombstones.count == 3 && state.counters.discardedDeletions == 0)
    }

    @Test mutating func writesRunSerially() throws {
        var limits = Reconciliation.Limits()
        limits.writes = 2
        state = Self.begun([.init(.jar), .init(.engine)], limits: limits)
        var effects = try read(.engine, (0..<5).map { cookie("\($0)", "1") })
        var order: [String] = []
        while let write = effects.lazy.compactMap({ effect -> Reconciliation.Write? in
            if case .write(_, let write) = effect { write } else { nil }
        }).first {
            order.append(write.change.identity.name)
            effects.removeFirst()
            effects += state.writeEnded(.jar, write, .written, now: start)
        }
        #expect(order == ["0", "1", "2", "3", "4"] && state.isQuiet)
    }
}
