// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import PageRecovery

/// Conditions under which a page must not be recovered, without an engine.
@Suite("Page health: no recovery", .timeLimit(.minutes(1)))
struct PageHealthSafetyTests {
    @Test("A page that replies but has no snapshot does not count as unresponsive")
    func withoutPicture() {
        let page = Patient()
        page.load()
        var looks = 0
        while let deadline = page.health.deadline {
            page.now = deadline
            #expect(page.apply(.clock(isBusy: false)) == [.examine])
            #expect(page.apply(.examined(ProbeResult(hasScripts: true))).isEmpty)
            looks += 1
        }
        #expect(page.steps.isEmpty && looks > 2 && page.now == .seconds(240))
        // Silence counts only after two consecutive examinations without a reply.
        let mute = Patient()
        mute.load()
        for (second, seen) in [(3, nil), (40, ProbeResult(hasScripts: true)), (75, nil)] {
            mute.now = .seconds(second)
            #expect(mute.apply(.clock(isBusy: false)) == [.examine] && mute.apply(.examined(seen)).isEmpty)
        }
        #expect(mute.health.deadline != nil)
        // However short the time limit is, two examinations are required.
        let hasty = Patient {
            $0.silence = .zero
            $0.signals.insert(.unresponsive)
        }
        hasty.load()
        hasty.now = .seconds(3)
        #expect(hasty.apply(.clock(isBusy: false)) == [.examine] && hasty.apply(.examined(nil)).isEmpty)
        #expect(hasty.apply(.clock(isBusy: false)) == [.examine] && hasty.apply(.examined(nil)) == [.endProcess])
    }

    @Test("A document that never sent a message, for example from the page cache, does not count as unresponsive")
    func neverSpoke() {
        let page = Patient()
        page.start()
        page.apply(.committed(url: "https://a.example/", isWatched: true), .finished)
        var ends = false
        while let deadline = page.health.deadline {
            page.now = deadline
            page.apply(.clock(isBusy: false))
            ends = ends || page.apply(.examined(nil)).contains(.endProcess)
        }
        #expect(!ends && page.steps.isEmpty)
        // Messages of the former document do not count for the current document.
        let next = Patient()
        next.load()
        next.apply(.started(url: "https://a.example/2", byPerson: true))
        next.apply(.committed(url: "https://a.example/2", isWatched: true), .finished)
        while next.look(nil) {}
        #expect(next.now == .seconds(3))
    }

    @Test(
        "A page that becomes visible has its full time before it is examined, and earlier results are discarded"
    )
    func shown() {
        let page = Patient()
        page.load()
        page.look(ProbeResult(isHidden: true))
        page.now = .seconds(1_000)
        page.apply(.shown)
        #expect(page.apply(.clock(isBusy: false)).isEmpty && page.health.deadline == .seconds(1_003))
        page.now = .seconds(1_003)
        #expect(page.apply(.clock(isBusy: false)) == [.examine])
        page.apply(.shown)
        #expect(page.apply(.examined(.empty)).isEmpty && page.health.deadline == .seconds(1_006))
        // A page that is examined once, and then hidden for the rest of its time.
        let left = Patient()
        left.load()
        left.look(ProbeResult.broken)
        left.now = .seconds(4)
        left.apply(.hidden)
        left.now = .seconds(60)
        left.apply(.shown)
        left.look(ProbeResult.broken)
        #expect(left.steps.isEmpty && left.health.deadline == .seconds(90))
    }

    @Test("Activity of a hidden page does not lead to an examination")
    func hidden() {
        for hides in [true, false] {
            let page = Patient()
            page.load()
            if hides { page.apply(.hidden) } else { page.look(ProbeResult(isHidden: true)) }
            for second in 1...200 {
                page.now = .seconds(second)
                page.apply(.activity)
                #expect(page.health.deadline == nil && page.apply(.clock(isBusy: false)).isEmpty)
            }
            page.apply(.paused, .resumed)
            #expect(page.health.deadline == nil)
        }
    }

    @Test("The result of an examination is ignored if the page asks a question during the examination")
    func asksMeanwhile() {
        let page = Patient()
        page.load()
        page.now = .seconds(3)
        #expect(page.apply(.clock(isBusy: false)) == [.examine])
        page.apply(.awaitsAnswer, .examined(.empty))
        #expect(page.steps.isEmpty && page.health.deadline == .seconds(6))
    }

    @Test("A document whose load was stopped is not recovered, however it looks")
    func stoppedDocument() {
        for look in [ProbeResult.white, .empty, .broken] {
            let page = Patient()
            page.start()
            page.apply(.committed(url: "https://a.example/", isWatched: true), .spoke, .loadStopped, .finished)
            page.watch(look)
            #expect(page.steps.isEmpty)
        }
    }

    @Test(
        "A white document whose load a navigation replaces is examined again if the navigation becomes a download",
        arguments: [.loadStopped, .loadFailed("a download", isReal: false)] as [PageHealth.Event])
    func replacedLoad(download: PageHealth.Event) {
        let page = Patient()
        page.commit()
        page.now = .seconds(5)
        // The engine reports that the former load has stopped before it reports the start of the next one.
        page.apply(.loadStopped, .finished)
        page.start("https://a.example/file")
        #expect(page.health.deadline == nil, "no examination during the navigation")
        page.now = .seconds(6)
        page.apply(download)
        page.watch(.empty)
        #expect(page.kinds == [.reloaded])
    }

    @Test("A document whose load was stopped stays healthy if a navigation follows later, or after other evidence")
    func stoppedBeforeDownload() {
        let later = Patient()
        later.commit()
        later.apply(.loadStopped, .finished)
        later.now = .seconds(10)
        later.start("https://a.example/file")
        later.apply(.loadStopped)
        later.watch(.empty)
        #expect(later.steps.isEmpty)
        for evidence in [PageHealth.Event.isWell, .painted, .used] {
            let page = Patient()
            page.commit()
            page.apply(.loadStopped, .finished, evidence)
            page.start("https://a.example/file")
            page.apply(.loadStopped)
            page.watch(.empty)
            #expect(page.steps.isEmpty, "\(evidence)")
        }
    }

    @Test(
        "A navigation replaces a stopped load if it follows within one second",
        arguments: [(.zero, true), (.seconds(1), true), (.milliseconds(1_001), false)] as [(Duration, Bool)])
    func replacementLimit(pause: Duration, isReplacement: Bool) {
        let page = Patient()
        page.commit()
        page.now = .seconds(5)
        page.apply(.loadStopped, .finished)
        page.now += pause
        page.start("https://a.example/file")
        page.apply(.loadStopped)
        page.watch(.empty)
        #expect(page.kinds == (isReplacement ? [.reloaded] : []))
    }

    @Test("The load of a step or of the app does not replace a load that was stopped before the end of the process")
    func stoppedBeforeProcessEnd() {
        // The step loads the document again.
        let page = Patient()
        page.commit()
        page.apply(.loadStopped, .finished, .processEnded("crashed"))
        page.start()
        #expect(page.kinds == [.reloaded] && page.health.phase == .recovering)
        page.apply(.loadFailed("stopped", isReal: false))
        #expect(page.health.deadline == nil, "there is no document that could be examined")
        page.start()
        page.apply(.loadFailed("offline", isReal: true))
        #expect(page.kinds == [.reloaded, .showedErrorPage])
        // The app loads another document in place of the error page.
        let posted = Patient()
        posted.apply(.hasBody)
        posted.commit()
        posted.apply(.loadStopped, .finished, .processEnded("crashed"))
        posted.start("https://a.example/2")
        #expect(posted.kinds == [.showedErrorPage] && posted.health.phase == .errorPage)
        posted.apply(.loadFailed("offline", isReal: true))
        #expect(posted.kinds == [.showedErrorPage] && posted.health.deadline == nil)
        // No step follows the end of the process.
        let left = Patient { $0.signals.remove(.processEnded) }
        left.commit()
        left.apply(.loadStopped, .finished, .processEnded("crashed"))
        left.start()
        left.apply(.loadStopped)
        #expect(left.steps.isEmpty && left.health.deadline == nil)
    }

    @Test("The document that replaces a stopped load is examined like any other")
    func replacement() {
        let page = Patient()
        page.commit()
        page.apply(.loadStopped, .finished)
        page.load("https://a.example/next")
        page.watch(.empty)
        #expect(page.kinds == [.reloaded] && page.health.document.url == "https://a.example/next")
    }

    @Test("A navigation of a page that is stopped before its commit shows no error page and keeps no body")
    func stoppedNavigation() {
        let page = Patient()
        page.start()
        page.apply(.committed(url: "https://a.example/", isWatched: true), .finished)
        page.start("https://a.example/form")
        page.apply(.hasBody, .loadStopped)
        #expect(page.steps.isEmpty)
        page.start("https://a.example/file")
        page.apply(.processEnded("crashed"))
        #expect(page.kinds == [.reloaded], "the stopped request with a body is no part of the next one")
    }

    @Test("The record that a document request has a body lasts until the commit, whatever is requested meanwhile")
    func body() {
        let page = Patient()
        page.start()
        page.apply(.hasBody, .committed(url: "https://a.example/", isWatched: true), .finished)
        // A download, which is a navigation that was stopped.
        page.start("https://a.example/file")
        page.apply(.loadFailed("a download", isReal: false))
        page.start("https://a.example/file")
        page.apply(.processEnded("crashed"))
        #expect(page.kinds == [.reloaded], "a document requested by GET is requested again")
        let posted = Patient()
        posted.start()
        posted.apply(.hasBody, .committed(url: "https://a.example/", isWatched: true), .finished)
        posted.start("https://a.example/file")
        posted.apply(.loadFailed("a download", isReal: false), .processEnded("crashed"))
        #expect(posted.kinds == [.showedErrorPage])
        let empty = Patient()
        empty.start()
        empty.apply(.hasNoContent, .committed(url: "https://a.example/", isWatched: true), .spoke, .finished)
        empty.start("https://a.example/file")
        empty.apply(.loadFailed("a download", isReal: false))
        empty.watch(ProbeResult.empty)
        #expect(empty.steps.isEmpty)
        // The request may be reported before its navigation.
        let early = Patient()
        early.apply(.hasBody)
        early.load()
        early.apply(.processEnded("crashed"))
        #expect(early.kinds == [.showedErrorPage])
    }

    @Test("An error or a failed resource counts after the page had its time to paint since its last activity")
    func time() {
        for seen in [ProbeResult.broken, .incomplete] {
            let page = Patient()
            page.load()
            #expect(page.look(seen) && page.now == .seconds(3) && page.steps.isEmpty)
            page.now = .seconds(20)
            page.apply(.activity)
            page.now = .seconds(30)
            #expect(page.apply(.clock(isBusy: false)).isEmpty)
            #expect(page.look(seen) && page.now == .seconds(50) && page.kinds == [.reloaded])
            // A page that is never quiet does not count as finished.
            let restless = Patient()
            restless.load()
            while let deadline = restless.health.deadline {
                restless.now = min(restless.now + .seconds(5), deadline)
                restless.apply(.activity)
                if restless.health.deadline == restless.now { restless.look(seen) }
            }
            #expect(restless.steps.isEmpty && restless.now == .seconds(240))
        }
    }

    @Test("A page that computes for a long time before it paints counts as responsive as soon as it sends a message")
    func computing() {
        let hangs = { (change: (inout BlankPageOptions) -> Void) in
            Patient {
                $0.signals.insert(.unresponsive)
                change(&$0)
            }
        }
        let page = hangs { _ in }
        page.load()
        while let deadline = page.health.deadline, deadline <= .seconds(93) {
            page.now = deadline
            #expect(page.apply(.clock(isBusy: false)) == [.examine] && page.apply(.examined(nil)).isEmpty)
        }
        page.apply(.spoke, .painted)
        #expect(page.steps.isEmpty && page.health.deadline == nil)
        // A message between two silences.
        let slow = hangs { $0.silence = .seconds(30) }
        slow.load()
        slow.look(nil)
        slow.apply(.spoke)
        slow.now = .seconds(40)
        #expect(slow.apply(.clock(isBusy: false)) == [.examine] && slow.apply(.examined(nil)).isEmpty)
    }

    @Test("The pending end of a process is cancelled if the page sends a message, paints or navigates")
    func ending() {
        for events: [PageHealth.Event] in [
            [.spoke], [.painted], [.started(url: "x", byPerson: false), .loadFailed("stopped", isReal: false)],
            [.examined(ProbeResult())],
        ] {
            let page = Patient {
                $0.silence = .zero
                $0.signals.insert(.unresponsive)
            }
            page.load()
            page.look(nil)
            page.look(nil)
            #expect(page.health.isEndingProcess)
            for event in events { page.apply(event) }
            page.apply(.processEnded("crashed"))
            #expect(page.steps[0].signal == .processEnded)
        }
    }

    @Test("If the process of a healthy or hidden page ends, the page is reloaded and keeps its package")
    func killed() {
        for event in [PageHealth.Event.painted, .hidden] {
            let page = Patient()
            for _ in 0..<5 {
                page.load()
                page.apply(event, .processEnded("killed"))
                page.now += .seconds(300)
            }
            #expect(page.kinds == Array(repeating: .reloaded, count: 5) && page.hasPackages)
            let often = Patient()
            for _ in 0..<4 {
                often.load()
                often.apply(event, .processEnded("killed"))
            }
            #expect(often.kinds == [.reloaded, .reloaded, .reloaded, .showedErrorPage] && often.hasPackages)
        }
    }

    @Test("If the process of a page that never sent a message ends, the page is reloaded like a healthy page")
    func unknown() {
        let page = Patient()
        for _ in 0..<4 {
            page.start()
            page.apply(.committed(url: "https://a.example/", isWatched: false), .finished, .processEnded("killed"))
        }
        #expect(page.kinds == [.reloaded, .reloaded, .reloaded, .showedErrorPage] && page.hasPackages)
    }

    @Test("A page whose process ends while hidden is reloaded when the page becomes visible, unless another load began")
    func outOfSight() {
        let page = Patient()
        page.load()
        page.apply(.visibilityChanged(isVisible: false), .processEnded("killed"))
        page.apply(.paused, .resumed)
        #expect(page.steps.isEmpty)
        page.apply(.visibilityChanged(isVisible: true))
        #expect(page.kinds == [.reloaded] && page.hasPackages && page.steps[0].isFree)
        let moved = Patient()
        moved.load()
        moved.apply(.visibilityChanged(isVisible: false), .processEnded("killed"))
        moved.start("https://a.example/2")
        moved.apply(.visibilityChanged(isVisible: true))
        #expect(moved.steps.isEmpty)
    }

    @Test("The result of an examination is discarded if the page paints, is used, or is reported healthy")
    func wellMeanwhile() {
        for event in [PageHealth.Event.painted, .used, .isWell] {
            var health = PageHealth(BlankPageOptions())
            let page = Patient()
            page.load()
            page.watch(ProbeResult.empty)
            page.load()
            health = page.health
            var now = page.now
            while !health.awaitsDrop, let deadline = health.deadline {
                now = max(now, deadline)
                _ = health.apply(.clock(isBusy: false), at: now)
                _ = health.apply(.examined(ProbeResult.empty), at: now)
            }
            #expect(health.awaitsDrop)
            _ = health.apply(event, at: now)
            #expect(!health.awaitsDrop && health.deadline == nil)
            #expect(health.apply(.packageDropped(true), at: now).isEmpty)
        }
        // A page whose process has ended cannot be reported healthy.
        var dead = PageHealth(BlankPageOptions())
        for event in [
            PageHealth.Event.started(url: "x", byPerson: false), .committed(url: "x", isWatched: true), .spoke,
            .processEnded("1"), .processEnded("2"), .isWell,
        ] {
            _ = dead.apply(event, at: .zero)
        }
        #expect(dead.awaitsDrop && dead.apply(.packageDropped(true), at: .zero).count == 1)
    }

    @Test("A form submission that became a download does not affect the next document")
    func savedForm() {
        let page = Patient()
        page.load()
        page.start("https://a.example/file")
        page.apply(.hasBody, .hasNoContent, .loadFailed("a download", isReal: false))
        page.load("https://a.example/2")
        page.apply(.painted, .processEnded("killed"))
        #expect(page.kinds == [.reloaded])
    }

    @Test("The end of a process during a load by the host causes no step, but a failure of that load does")
    func replaced() {
        let page = Patient()
        page.load()
        page.start("https://b.example/")
        page.apply(.processReplaced)
        #expect(page.steps.isEmpty && page.health.isNavigating)
        page.apply(.loadFailed("offline", isReal: true))
        #expect(page.kinds == [.showedErrorPage])
    }

    @Test("A form that posts to its own URL is not sent again if the process ends during the navigation")
    func ownForm() {
        let page = Patient()
        page.load()
        page.start()
        page.apply(.hasBody, .processEnded("crashed"))
        #expect(page.kinds == [.showedErrorPage])
    }

    @Test("An examination is repeated after one second at the earliest, however short the limits are")
    func floor() {
        let page = Patient {
            ($0.grace, $0.firstPaint) = (.zero, .zero)
            $0.patience = .seconds(10)
        }
        page.load()
        page.look(ProbeResult(hasScripts: true))
        #expect(page.health.deadline == .seconds(1))
    }

    @Test("A document that does not finish and has one colour is examined repeatedly, with a pause between")
    func pause() {
        let page = Patient { $0.signals.insert(.uniformPicture) }
        page.commit()
        let seen = ProbeResult(isPainted: true, isUniform: true)
        var times: [Duration] = []
        while page.steps.isEmpty, let deadline = page.health.deadline, times.count < 100 {
            #expect(deadline > page.now)
            page.look(seen)
            times.append(page.now)
        }
        #expect(times == [30, 60, 90, 120, 150, 180, 210, 240].map { .seconds($0) })
        #expect(page.kinds == [.reloaded] && page.steps[0].signal == .uniformPicture)
    }

    @Test("The end of a process during a navigation counts for the requested document, not for the former document")
    func onWay() {
        let page = Patient()
        page.load("https://a.example/")
        page.start("https://b.example/")
        page.apply(.processEnded("crashed"))
        #expect(page.kinds == [.reloaded] && page.health.lostURL == "https://b.example/")
        // No package is responsible for a document that was never committed.
        page.start("https://b.example/")
        page.apply(.processEnded("crashed"))
        #expect(page.kinds == [.reloaded, .showedErrorPage] && page.health.lostURL == "https://b.example/")
        // The former document has its own steps, which apply after its next commit.
        let other = Patient()
        other.load("https://a.example/")
        other.start("https://b.example/")
        other.apply(.processEnded("crashed"))
        other.load("https://a.example/")
        #expect(other.health.lostURL == nil)
        other.apply(.processEnded("crashed"))
        #expect(other.kinds == [.reloaded, .reloaded])
        // A document that was requested with a body is not requested again.
        let posted = Patient()
        posted.load("https://a.example/")
        posted.start("https://b.example/")
        posted.apply(.hasBody, .processEnded("crashed"))
        #expect(posted.kinds == [.showedErrorPage] && posted.health.lostURL == "https://b.example/")
        // A reload is not a navigation to another document.
        let reloaded = Patient()
        for _ in 0..<2 {
            reloaded.load("https://a.example/")
            reloaded.start("https://a.example/")
            reloaded.apply(.processEnded("crashed"))
        }
        #expect(reloaded.kinds == [.reloaded, .reloadedWithoutPackage] && reloaded.health.lostURL == nil)
    }
}
