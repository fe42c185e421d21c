// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing

@testable import PageRecovery

/// Random sequences of events of a page.
@Suite("Page health with random events", .timeLimit(.minutes(1)))
struct PageHealthInterleavingTests {
    /// A page with the invariants that must hold for it.
    private final class Witness {
        let page = Patient {
            $0.silence = .seconds(12)
            $0.signals = Set(BlankPageSignal.allCases).subtracting([.noFirstPaint])
        }
        var processEnds = 0
        private var sinceRenewal: [BlankPageStep] = []
        private var isAway = false
        private var isOutOfSight = false
        private var isExamining = false
        private var hasSpoken = false
        private var hasPainted = false
        private var wasHidden = false
        private var silences = 0
        /// The times of reloads of a page that was healthy, since the user has last restored the steps.
        private var reloads: [Duration] = []

        func apply(_ event: PageHealth.Event) {
            let isAnswered = isExamining
            let wasDue = page.health.deadline.map { $0 <= page.now } ?? false
            page.steps = []
            record(event)
            let actions = page.apply(event)
            // During an absence of the app, only a retry by the user is performed at once.
            #expect(!isAway || actions.isEmpty || event == .retryRequested)
            if actions.contains(.examine) {
                #expect(wasDue)
                isExamining = true
            }
            if actions.contains(.endProcess) {
                processEnds += 1
                #expect(event == .examined(nil) && silences >= 2 && hasSpoken && !hasPainted)
            }
            if case .examined = event, isAnswered { #expect(page.health.deadline.map { $0 > page.now } ?? true) }
            for step in page.steps { check(step, after: event) }
        }

        private func record(_ event: PageHealth.Event) {
            switch event {
            case .paused: isAway = true
            case .resumed where isAway: (isAway, isExamining, silences) = (false, false, 0)
            case .hidden, .shown, .awaitsAnswer: (isExamining, silences) = (false, 0)
            case .started, .processEnded, .processReplaced: isExamining = false
            case .committed:
                (hasSpoken, hasPainted, silences, isExamining) = (false, false, 0, false)
                wasHidden = false
            case .spoke: (hasSpoken, silences) = (true, 0)
            case .painted: (hasPainted, silences) = (true, 0)
            case .used: silences = 0
            case .examined(let seen) where isExamining:
                isExamining = false
                silences = seen == nil ? silences + 1 : 0
                // The page has replied.
                if seen != nil { hasSpoken = true }
                if seen?.isPainted == true { hasPainted = true }
            default: break
            }
            if event == .hidden { wasHidden = true }
            if case .visibilityChanged(let isVisible) = event { isOutOfSight = !isVisible }
            if isOutOfSight, case .processEnded = event { wasHidden = true }
            if case .examined(let seen?) = event, seen.isHidden { wasHidden = true }
            if case .started(_, byPerson: true) = event { reloads = [] }
        }

        /// Checks the invariants of a step: at most three steps until the user leaves the error page, in order, and
        /// no step because of the appearance unless the examination showed a blank page.
        private func check(_ step: BlankPageStep, after event: PageHealth.Event) {
            if step.kind == .retried {
                reloads = []
                return #expect(sinceRenewal.last?.kind == .showedErrorPage)
            }
            if step.isFree {
                #expect(step.kind == .reloaded && step.number == 0 && step.signal == .processEnded)
                #expect(hasPainted || wasHidden || !hasSpoken)
                reloads = reloads.filter { page.now - $0 < .seconds(600) } + [page.now]
                return #expect(reloads.count <= 3)
            }
            if step.number == 1 { sinceRenewal = [] }
            sinceRenewal.append(step)
            #expect(sinceRenewal.map(\.number) == Array(1...sinceRenewal.count) && sinceRenewal.count <= 3)
            #expect(sinceRenewal.count < 3 || step.kind == .showedErrorPage)
            switch event {
            case .examined(let result?): #expect(result.isUniform == true)
            case .processEnded, .loadFailed, .packageDropped, .resumed, .visibilityChanged: break
            default: Issue.record("\(step) by \(event)")
            }
        }
    }

    /// Runs random events.
    /// - Returns: the number of times that a process was ended.
    private func run(_ seed: Int, favouring favourite: (inout SeededGenerator) -> PageHealth.Event?) -> Int {
        var numbers = SeededGenerator(seed: UInt64(seed))
        let witness = Witness()
        let urls = ["https://a.example/", "https://a.example/2"]
        for _ in 0..<600 {
            witness.page.now += .milliseconds(numbers.number(below: 5_000))
            witness.page.hasPackages = numbers.number(below: 2) == 0
            let looks: [ProbeResult?] = [
                nil, .white, .empty, .broken, .painted, ProbeResult(isHidden: true), ProbeResult(),
                ProbeResult(isPainted: true, isUniform: true),
            ]
            let events: [PageHealth.Event] = [
                .started(url: urls[numbers.number(below: 2)], byPerson: numbers.number(below: 4) == 0),
                .committed(url: urls[numbers.number(below: 2)], isWatched: numbers.number(below: 4) > 0), .finished,
                .loadFailed("x", isReal: numbers.number(below: 2) == 0), .processEnded("x"), .activity, .hasBody,
                .hasNoContent, .spoke, .hidden, .shown, .retryRequested, .examined(looks[numbers.number(below: 8)]),
                .packageDropped(true), .paused, .resumed, .clock(isBusy: numbers.number(below: 4) == 0),
                .clock(isBusy: false), .awaitsAnswer, .painted, .used, .processReplaced,
                .visibilityChanged(isVisible: numbers.number(below: 4) > 0),
            ]
            witness.apply(favourite(&numbers) ?? events[numbers.number(below: events.count)])
        }
        return witness.processEnds
    }

    @Test("The invariants hold for any sequence of events", arguments: 0..<64)
    func any(seed: Int) {
        _ = run(seed) { _ in nil }
    }

    @Test("If pages are often unresponsive, their processes are ended for that reason")
    func silent() {
        var ends = 0
        for seed in 0..<128 {
            ends += run(seed) { numbers in
                switch numbers.number(below: 8) {
                case 0: .spoke
                case 1...3: .clock(isBusy: false)
                case 4...6: .examined(nil)
                default: nil
                }
            }
        }
        #expect(ends > 20)
    }
}

extension SeededGenerator {
    /// Returns a number from zero up to, but not including, a bound.
    fileprivate mutating func number(below bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }
}
