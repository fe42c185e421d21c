// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import ResourceLoading
import Testing

@_spi(Facade) @testable import OfflinePackage

@Suite(.timeLimit(.minutes(1)))
struct TrialPeriodTests {
    let page = PageID(rawValue: 1)
    let other = PageID(rawValue: 2)

    func trial() -> TrialPeriod { TrialPeriod(of: 8, version: "2", over: 7) }

    @Test func healthyPageConfirmsVersion() {
        var trial = trial()
        #expect(trial.apply(.bootBegan(page), of: 8, at: .seconds(1)) == nil)
        #expect(trial.deadline == .seconds(11))
        #expect(trial.apply(.healthy(page), of: 8, at: .seconds(10)) == .healthy)
        #expect(trial.deadline == nil)
        // Later events have no effect.
        #expect(trial.apply(.failed(page, "late"), of: 8, at: .seconds(11)) == nil)
        #expect(trial.verdict == .healthy && trial.failure == nil)
    }

    @Test func missingReportFailsVersion() {
        var trial = trial()
        _ = trial.apply(.bootBegan(page), of: 8, at: .zero)
        #expect(trial.apply(.clock, of: 8, at: .milliseconds(9_999)) == nil)
        #expect(trial.apply(.clock, of: 8, at: .seconds(10)) == .failed("the page did not report within 10.0 seconds"))
        #expect(trial.failure == .timedOut)
    }

    @Test func lateHealthyReportIsIgnored() {
        var trial = trial()
        _ = trial.apply(.bootBegan(page), of: 8, at: .zero)
        #expect(trial.apply(.healthy(page), of: 8, at: .seconds(10)) != .healthy)
        #expect(trial.verdict != .healthy && trial.verdict != nil)
    }

    @Test func reloadDoesNotExtendLimit() {
        var trial = trial()
        _ = trial.apply(.bootBegan(page), of: 8, at: .zero)
        _ = trial.apply(.bootBegan(page), of: 8, at: .seconds(9))
        #expect(trial.deadline == .seconds(10))
    }

    @Test func failedPageFailsVersion() {
        var trial = trial()
        #expect(trial.apply(.failed(page, "white page"), of: 8, at: .zero) == .failed("white page"))
        #expect(trial.failure == .failed)
    }

    @Test func staleReportsAreIgnored() {
        var trial = trial()
        for stale in [Int64(7), 9] {
            #expect(trial.apply(.failed(page, "old"), of: stale, at: .zero) == nil)
            #expect(trial.apply(.healthy(page), of: stale, at: .zero) == nil)
            #expect(trial.apply(.bootBegan(page), of: stale, at: .zero) == nil)
        }
        #expect(trial == self.trial())
    }

    @Test func closedPageHasNoEffect() {
        var trial = trial()
        _ = trial.apply(.bootBegan(page), of: 8, at: .zero)
        _ = trial.apply(.bootBegan(other), of: 8, at: .seconds(5))
        _ = trial.apply(.closed(page), of: 8, at: .seconds(6))
        #expect(trial.deadline == .seconds(15))
        _ = trial.apply(.closed(other), of: 8, at: .seconds(7))
        #expect(trial.deadline == nil && trial.verdict == nil && trial.unfinishedBoots == 0)
        #expect(trial.apply(.clock, of: 8, at: .seconds(100)) == nil)
    }

    @Test func processesThatEndDuringBootFailVersion() throws {
        var trial = trial()
        for process in 1...3 {
            _ = trial.apply(.bootBegan(page), of: 8, at: .zero)
            _ = trial.apply(.bootBegan(other), of: 8, at: .zero)
            #expect(trial.unfinishedBoots == process)
            trial = try JSONDecoder().decode(TrialPeriod.self, from: JSONEncoder().encode(trial))
            let verdict = trial.apply(.relaunched, of: 8, at: .zero)
            #expect((verdict == nil) == (process < 3))
        }
        #expect(trial.verdict == .failed("3 processes in a row ended during a boot"))
        trial = try JSONDecoder().decode(TrialPeriod.self, from: JSONEncoder().encode(trial))
        #expect(trial.failure == .relaunched)
    }

    @Test func pauseDoesNotCountAsMissingReport() {
        var trial = trial()
        _ = trial.apply(.bootBegan(page), of: 8, at: .zero)
        // The event arrives after the process was suspended.
        #expect(trial.apply(.paused, of: 8, at: .seconds(60)) == nil)
        #expect(trial.deadline == nil)
        #expect(trial.apply(.clock, of: 8, at: .seconds(100)) == nil)
        #expect(trial.apply(.bootBegan(other), of: 8, at: .seconds(100)) == nil)
        #expect(trial.apply(.resumed, of: 8, at: .seconds(200)) == nil)
        #expect(trial.deadline == .seconds(210))
        // A repeated event has no effect.
        #expect(trial.apply(.resumed, of: 8, at: .seconds(205)) == nil)
        #expect(trial.apply(.clock, of: 8, at: .seconds(210)) == .failed("the page did not report within 10.0 seconds"))
    }

    @Test func healthyReportFromBackgroundCounts() {
        var trial = trial()
        _ = trial.apply(.bootBegan(page), of: 8, at: .zero)
        _ = trial.apply(.paused, of: 8, at: .seconds(1))
        #expect(trial.apply(.healthy(page), of: 8, at: .seconds(60)) == .healthy)
    }

    @Test func processThatEndsInBackgroundHasNoEffect() throws {
        var trial = trial()
        for _ in 1...5 {
            _ = trial.apply(.bootBegan(page), of: 8, at: .zero)
            _ = trial.apply(.paused, of: 8, at: .seconds(1))
            _ = trial.apply(.bootBegan(other), of: 8, at: .seconds(2))
            #expect(trial.unfinishedBoots == 0)
            trial = try JSONDecoder().decode(TrialPeriod.self, from: JSONEncoder().encode(trial))
            #expect(trial.apply(.relaunched, of: 8, at: .zero) == nil)
        }
        // After the return to the foreground, the process counts again.
        _ = trial.apply(.bootBegan(page), of: 8, at: .zero)
        _ = trial.apply(.paused, of: 8, at: .zero)
        _ = trial.apply(.resumed, of: 8, at: .zero)
        #expect(trial.unfinishedBoots == 1)
        _ = trial.apply(.closed(page), of: 8, at: .zero)
        #expect(trial.unfinishedBoots == 0)
    }

    /// Tests every order of events of two pages and the clock. A verdict never changes and follows from the events
    /// before it.
    @Test func everyInterleaving() {
        let events: [(TrialPeriod.Event, Int64)] = [
            (.bootBegan(page), 8), (.bootBegan(other), 8), (.healthy(page), 8), (.failed(other, "x"), 8),
            (.closed(page), 8), (.clock, 8), (.healthy(page), 7),
        ]
        var orders = 0
        func go(_ trial: TrialPeriod, _ rest: [Int], _ step: Int, _ began: Set<UInt64>) {
            if rest.isEmpty { orders += 1 }
            for index in rest {
                var next = trial
                let (event, generation) = events[index]
                // Each step takes three seconds, so that some orders exceed the limit.
                let verdict = next.apply(event, of: generation, at: .seconds(3 * step))
                if trial.verdict != nil || generation != 8 {
                    #expect(verdict == nil && next == trial)
                } else if case .healthy = verdict {
                    guard case .healthy = event else {
                        Issue.record("healthy by \(event)")
                        continue
                    }
                }
                go(next, rest.filter { $0 != index }, step + 1, began)
            }
        }
        go(trial(), Array(events.indices), 0, [])
        #expect(orders == 5_040)
    }
}
