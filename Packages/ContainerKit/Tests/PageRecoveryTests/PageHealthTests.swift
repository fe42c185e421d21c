// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import PageRecovery

/// The recovery steps of a blank page, without an engine.
@Suite("Health of a page", .timeLimit(.minutes(1)))
struct PageHealthTests {
    private static let all: [BlankPageStep.Kind] = [.reloaded, .reloadedWithoutPackage, .showedErrorPage]

    @Test("A page that stays blank is reloaded, then reloaded without its package, then replaced by the error page")
    func ladder() {
        for (seen, signal) in [
            (ProbeResult.empty, BlankPageSignal.emptyDocument), (ProbeResult.broken, .bootError),
            (ProbeResult.incomplete, .failedResource),
        ] {
            let page = Patient()
            for _ in 0..<3 {
                page.load()
                page.watch(seen)
            }
            #expect(page.kinds == Self.all && page.steps.map(\.number) == [1, 2, 3])
            #expect(page.steps.allSatisfy { $0.signal == signal })
            page.apply(.processEnded("crashed"))
            #expect(page.steps.count == 3 && page.health.deadline == nil)
        }
    }

    @Test("Without a package the second step is the error page; a lower limit makes the last step the error page")
    func shorterLadders() {
        let page = Patient()
        page.hasPackages = false
        for _ in 0..<2 {
            page.load()
            page.watch(ProbeResult.empty)
        }
        #expect(page.kinds == [.reloaded] && page.health.deadline == nil, "no package was responsible")
        let dead = Patient()
        dead.hasPackages = false
        for _ in 0..<2 {
            dead.load()
            dead.apply(.processEnded("crashed"))
        }
        #expect(dead.kinds == [.reloaded, .showedErrorPage] && dead.steps.map(\.number) == [1, 2])
        for limit in 0...2 {
            let page = Patient { $0.stepLimit = limit }
            for _ in 0..<max(limit, 1) {
                page.load()
                page.watch(ProbeResult.empty)
            }
            page.apply(.processEnded("crashed"))
            #expect(page.kinds == [[], [.showedErrorPage], [.reloaded, .showedErrorPage]][limit])
        }
    }

    @Test(
        "A healthy page is examined and not recovered",
        arguments: [
            ProbeResult.painted, ProbeResult(isUniform: false), ProbeResult(isHTML: false),
            ProbeResult(isUsed: true, bootErrors: [.boot]), ProbeResult(isPainted: true, bootErrors: [.boot]),
        ])
    func fine(_ seen: ProbeResult) {
        let page = Patient()
        page.load()
        #expect(page.look(seen))
        #expect(page.steps.isEmpty && page.health.deadline == nil)
    }

    @Test("A blank page without a script, or with a background, is never reloaded")
    func blank() {
        for seen in [ProbeResult.white, ProbeResult(hasScripts: true, hasBackground: true, isUniform: true)] {
            let page = Patient()
            page.load()
            while page.look(seen) {}
            #expect(page.steps.isEmpty && page.now == .seconds(30))
        }
    }

    @Test("A page that boots slowly gets its full time after each activity, up to the limit of patience")
    func slow() {
        let seen = ProbeResult(hasScripts: true, isUniform: true)
        let page = Patient { $0.signals.insert(.noFirstPaint) }
        page.load()
        #expect(page.look(seen) && page.now == .seconds(3))
        page.now = .seconds(32)
        page.apply(.activity)
        #expect(page.apply(.clock(isBusy: false)).isEmpty)
        page.now = .seconds(62)
        // While a request is pending, the examination is postponed repeatedly.
        #expect(page.apply(.clock(isBusy: true)).isEmpty && page.health.deadline == .seconds(72))
        page.now = .seconds(71)
        page.apply(.activity)
        #expect(page.health.deadline == .seconds(101))
        for second in [100, 129, 158, 187, 215] {
            page.now = .seconds(second)
            page.apply(.activity)
        }
        #expect(page.health.deadline == .seconds(240) && page.steps.isEmpty)
        #expect(page.look(seen) && page.kinds == [.reloaded] && page.steps[0].signal == .noFirstPaint)
    }

    @Test(
        "A pending request, or a document that arrives slowly, postpones an examination by two minutes at most")
    func patience() {
        let page = Patient()
        page.load()
        while let deadline = page.health.deadline, deadline < .seconds(240) {
            page.now = deadline
            #expect(page.apply(.clock(isBusy: true)).isEmpty)
        }
        page.now = .seconds(240)
        #expect(page.apply(.clock(isBusy: true)) == [.examine])
        page.apply(.examined(ProbeResult.broken))
        #expect(page.steps.isEmpty && page.health.deadline == nil, "the page may still show the pending response")
        let dripping = Patient { $0.signals.insert(.noFirstPaint) }
        dripping.commit()
        while let deadline = dripping.health.deadline, deadline > dripping.now {
            dripping.now = min(dripping.now + .seconds(5), deadline)
            dripping.apply(.activity)
        }
        #expect(dripping.now == .seconds(240))
        dripping.look(ProbeResult.broken)
        #expect(dripping.kinds == [.reloaded] && dripping.steps[0].signal == .noFirstPaint)
    }

    @Test("A page that paints nothing without an error is not recovered by default")
    func shy() {
        let page = Patient()
        page.load()
        while page.look(ProbeResult(hasScripts: true, isUniform: true)) {}
        // This also applies to an empty document of a server, and to failures on a page with a background colour.
        for seen in [
            ProbeResult(isEmpty: true, isUniform: true),
            ProbeResult(hasScripts: true, hasBackground: true, bootErrors: [.boot], isUniform: true),
            ProbeResult(hasBackground: true, failedResources: ["https://a.example/app.js"], isUniform: true),
        ] {
            page.load("https://a.example/2")
            while page.look(seen) {}
        }
        #expect(page.steps.isEmpty)
    }

    @Test(
        "A failed script or style sheet counts if nothing is painted and the page has loaded")
    func failedResources() {
        let page = Patient()
        page.load()
        page.watch(ProbeResult.incomplete)
        #expect(
            page.kinds == [.reloaded] && page.now == .seconds(30) && page.steps[0].detail == "https://a.example/app.js")
        var seen = ProbeResult.incomplete
        seen.isPainted = true
        let painted = Patient()
        painted.load()
        painted.look(seen)
        #expect(painted.steps.isEmpty && painted.health.deadline == nil)
        seen = ProbeResult.incomplete
        seen.isUniform = false
        let shown = Patient()
        shown.load()
        shown.look(seen)
        #expect(shown.steps.isEmpty && shown.health.deadline == nil)
        let off = Patient { $0.signals.remove(.failedResource) }
        off.load()
        while off.look(ProbeResult.incomplete) {}
        let loading = Patient()
        loading.commit()
        loading.look(ProbeResult.incomplete)
        #expect(off.steps.isEmpty && loading.steps.isEmpty && loading.health.deadline != nil)
    }

    @Test("A page that reports a paint is not examined, unless uniform snapshots count")
    func painting() {
        let page = Patient()
        page.load()
        page.apply(.painted)
        #expect(page.health.deadline == nil)
        let uniform = Patient { $0.signals.insert(.uniformPicture) }
        uniform.load()
        uniform.apply(.painted)
        #expect(uniform.health.deadline == .seconds(3))
    }

    @Test("A page whose document does not finish is examined too, but its errors do not count before it finishes")
    func unfinished() {
        let page = Patient()
        page.commit()
        page.now = .seconds(29)
        page.apply(.activity, .clock(isBusy: false))
        #expect(page.health.deadline == .seconds(59))
        page.look(ProbeResult(isPainted: true, bootErrors: [.boot]))
        #expect(page.steps.isEmpty)
    }

    @Test("The time limits of a page exclude the time during which the page is hidden or the app is absent")
    func away() {
        let page = Patient()
        page.load()
        page.apply(.paused)
        #expect(page.health.deadline == nil)
        page.now = .seconds(3_600)
        #expect(page.apply(.clock(isBusy: false)).isEmpty)
        page.apply(.resumed)
        #expect(page.health.deadline == .seconds(3_603))
        page.look(ProbeResult(isHidden: true, bootErrors: [.boot]))
        #expect(page.steps.isEmpty && page.health.deadline == nil)
    }

    @Test("Events during an absence of the app are handled on its return, unless another document was committed")
    func deferred() {
        let events: [(PageHealth.Event, BlankPageStep.Kind)] = [
            (.processEnded("crashed"), .reloadedWithoutPackage),
            (.loadFailed("offline", isReal: true), .showedErrorPage),
        ]
        for (event, kind) in events {
            let page = Patient()
            page.load()
            page.apply(.processEnded("before"))
            page.start()
            page.apply(.paused, event)
            #expect(page.kinds == [.reloaded])
            page.apply(.resumed)
            #expect(page.kinds == [.reloaded, kind])
            let moved = Patient()
            moved.load()
            moved.apply(.paused, event)
            moved.commit("https://a.example/2")
            moved.apply(.resumed)
            #expect(moved.steps.isEmpty)
        }
        var health = PageHealth(BlankPageOptions())
        for event in [
            PageHealth.Event.started(url: "x", byPerson: false), .committed(url: "x", isWatched: false), .spoke,
            .finished, .processEnded("1"),
        ] {
            _ = health.apply(event, at: .zero)
        }
        guard case .dropPackage(let step) = health.apply(.processEnded("2"), at: .zero).first else {
            Issue.record("no package is dropped")
            return
        }
        #expect(health.apply(.paused, at: .zero).isEmpty && health.apply(.packageDropped(true), at: .zero).isEmpty)
        #expect(health.apply(.resumed, at: .zero) == [.perform(step)])
    }

    @Test(
        "A page that navigates is neither examined nor recovered, but is examined again if the navigation fails")
    func onWay() {
        let page = Patient()
        page.load()
        page.now = .seconds(3)
        #expect(page.apply(.clock(isBusy: false)) == [.examine])
        page.start("https://a.example/2")
        page.apply(.examined(ProbeResult.empty))
        #expect(page.steps.isEmpty && page.health.deadline == nil)
        page.now = .seconds(300)
        page.apply(.loadFailed("a download", isReal: false))
        page.watch(ProbeResult.empty)
        #expect(page.kinds == [.reloaded])
        // This also applies to a page whose package is about to be dropped.
        var health = PageHealth(BlankPageOptions())
        for event in [
            PageHealth.Event.started(url: "x", byPerson: false), .committed(url: "x", isWatched: false), .spoke,
            .finished, .processEnded("1"),
        ] {
            _ = health.apply(event, at: .zero)
        }
        #expect(health.apply(.processEnded("2"), at: .zero).count == 1 && health.awaitsDrop)
        _ = health.apply(.started(url: "y", byPerson: false), at: .zero)
        #expect(!health.awaitsDrop && health.apply(.packageDropped(true), at: .zero).isEmpty)
    }

    @Test("A document that is empty according to its response is not recovered, but the next document is")
    func noContent() {
        let page = Patient()
        page.apply(.hasNoContent)
        page.load()
        while page.look(ProbeResult.empty) {}
        #expect(page.steps.isEmpty)
        page.load("https://a.example/2")
        page.watch(ProbeResult.empty)
        #expect(page.kinds == [.reloaded])
    }

    @Test("Each question to the app gives the page its full time again, however long the answer takes")
    func asking() {
        let page = Patient()
        page.load()
        for hour in 1...3 {
            page.now = .seconds(3_600 * hour)
            page.apply(.awaitsAnswer, .examined(nil))
        }
        #expect(page.steps.isEmpty && page.health.deadline == page.now + .seconds(3))
    }

    @Test(
        "The process of a page that is unresponsive for three minutes is ended, unless it painted or asks a question"
    )
    func silent() {
        /// Examines the page until no examination is due. Returns `true` if the process of the page was ended.
        let ends = { (page: Patient, before: [PageHealth.Event]) -> Bool in
            page.load()
            for event in before { page.apply(event) }
            while let deadline = page.health.deadline {
                page.now = deadline
                page.apply(.clock(isBusy: false))
                if page.apply(.examined(nil)) == [.endProcess] { return true }
            }
            return false
        }
        let on = { (change: (inout BlankPageOptions) -> Void) in
            Patient {
                $0.signals.insert(.unresponsive)
                change(&$0)
            }
        }
        let page = on { _ in }
        #expect(ends(page, []) && page.now == .seconds(183))
        page.apply(.processEnded("the process was ended"))
        #expect(page.kinds == [.reloaded] && page.steps[0].signal == .unresponsive)
        // The process of the reloaded page ends by itself.
        page.load()
        page.apply(.processEnded("crashed"))
        #expect(page.steps.last?.signal == .processEnded)
        #expect(!ends(Patient(), []))
        #expect(!ends(on { $0.signals.insert(.uniformPicture) }, [.painted]))
        #expect(!ends(on { $0.stepLimit = 0 }, []))
        let asked = on { _ in }
        asked.load()
        for second in [3, 33, 63, 93, 123, 153, 182] {
            asked.now = .seconds(second)
            asked.apply(.clock(isBusy: false), .examined(nil))
        }
        asked.apply(.awaitsAnswer)
        asked.now = .seconds(185)
        #expect(asked.apply(.clock(isBusy: false)) == [.examine] && asked.apply(.examined(nil)).isEmpty)
    }

    @Test("A process that ends is replaced for every page, but a document with a body is never requested again")
    func processes() {
        let plain = Patient()
        plain.load(isWatched: false)
        plain.apply(.processEnded("crashed"))
        #expect(plain.kinds == [.reloaded] && plain.steps[0].detail == "crashed")
        let posted = Patient()
        posted.apply(.hasBody)
        posted.load()
        posted.apply(.processEnded("crashed"))
        #expect(posted.kinds == [.showedErrorPage])
        let again = Patient()
        again.load()
        // Once more during the navigation, before the commit.
        again.apply(.processEnded("crashed"), .processEnded("crashed"), .processEnded("crashed"))
        #expect(again.kinds == Self.all)
    }

    @Test("A failed load shows the error page, unless it is a download or the view shows a document")
    func loads() {
        let page = Patient()
        page.start("https://a.example/2")
        page.apply(.loadFailed("stopped", isReal: false))
        #expect(page.steps.isEmpty)
        page.start("https://a.example/2")
        page.apply(.loadFailed("offline", isReal: true))
        #expect(page.kinds == [.showedErrorPage] && page.steps[0].signal == .loadFailed)
        let shown = Patient()
        shown.load()
        shown.look(ProbeResult.painted)
        shown.start("https://a.example/2")
        shown.apply(.loadFailed("offline", isReal: true))
        #expect(shown.steps.isEmpty)
        // The page was blank before, and now its load fails.
        let white = Patient()
        white.load()
        white.watch(ProbeResult.empty)
        white.start("https://a.example/2")
        white.apply(.loadFailed("offline", isReal: true))
        #expect(white.kinds == [.reloaded, .showedErrorPage])
    }

    @Test("Retrying or leaving the error page by a gesture restores all steps, nothing else does")
    func renewal() {
        let page = Patient()
        for _ in 0..<3 {
            page.load()
            page.watch(ProbeResult.empty)
        }
        #expect(page.apply(.retryRequested).count == 1 && page.kinds.last == .retried && page.steps.last?.number == 0)
        page.hasPackages = true
        page.steps = []
        for _ in 0..<3 {
            page.load()
            page.watch(ProbeResult.empty)
        }
        #expect(page.kinds == Self.all)
        // Leaving the error page by a script or by the app does not restore the steps.
        page.load("https://a.example/other")
        page.apply(.processEnded("crashed"))
        #expect(page.steps.count == 3)
        page.apply(.started(url: "https://a.example/", byPerson: true))
        page.load("https://a.example/other")
        page.apply(.processEnded("crashed"))
        #expect(page.kinds.last == .reloaded && page.steps.last?.number == 1)
        // Before the error page is shown, navigations of the user change nothing.
        for url in ["https://a.example/3", "https://a.example/4"] {
            page.apply(.started(url: url, byPerson: true))
            page.load(url)
            page.apply(.processEnded("crashed"))
        }
        #expect(page.steps.suffix(3).map(\.number) == [1, 2, 3])
    }

    @Test("A page that navigates to another document each time gets no additional steps, healthy or not")
    func moving() {
        for isWatched in [false, true] {
            let page = Patient()
            for load in 0..<10 {
                page.load("https://a.example/?\(load)", isWatched: isWatched)
                page.look(ProbeResult.painted)
                page.apply(.processEnded("crashed"))
                if page.kinds.last == .showedErrorPage { break }
            }
            // A page that was healthy is reloaded at most three times in ten minutes.
            #expect(page.kinds == Array(repeating: .reloaded, count: isWatched ? 3 : 2) + [.showedErrorPage])
        }
    }

    @Test("Steps expire after ten minutes, but the error page does not")
    func calm() {
        let page = Patient()
        for _ in 0..<5 {
            page.load(isWatched: false)
            page.now += .seconds(600)
            page.apply(.processEnded("crashed"))
        }
        #expect(page.kinds == Array(repeating: .reloaded, count: 5) && page.steps.allSatisfy { $0.number == 1 })
        for _ in 0..<3 { page.apply(.processEnded("crashed")) }
        #expect(page.kinds.suffix(2) == [.reloadedWithoutPackage, .showedErrorPage])
        page.now += .seconds(600)
        page.apply(.processEnded("crashed"))
        #expect(page.steps.count == 7)
    }

    @Test("Disabled signals have no effect; a uniform snapshot counts if its signal is enabled")
    func signals() {
        let page = Patient { $0.signals = [] }
        page.load()
        page.watch(ProbeResult.empty)
        page.apply(.processEnded("crashed"))
        page.start()
        page.apply(.loadFailed("offline", isReal: true))
        #expect(page.steps.isEmpty)
        let uniform = Patient { $0.signals.insert(.uniformPicture) }
        uniform.load()
        uniform.look(ProbeResult(isPainted: true, isUniform: true))
        #expect(uniform.kinds == [.reloaded] && uniform.steps[0].signal == .uniformPicture)
    }
}
