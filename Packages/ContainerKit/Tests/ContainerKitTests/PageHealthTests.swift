// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import ContainerKit

/// What is done about a page that stays white, without an engine.
@Suite("Health of a page", .timeLimit(.minutes(1)))
struct PageHealthTests {
    /// A health and the time.
    private final class Patient {
        var health: PageHealth
        var now = Duration.zero
        var steps: [WhitePageStep] = []
        /// Whether the page has packages to lose.
        var hasPackages = true

        init(hearsRetries: Bool = true, _ change: (inout WhitePageOptions) -> Void = { _ in }) {
            var options = WhitePageOptions()
            change(&options)
            health = PageHealth(options, hearsRetries: hearsRetries)
        }

        /// Takes events, and does what comes out but looking.
        @discardableResult
        func take(_ events: PageHealth.Event...) -> [PageHealth.Action] {
            var all: [PageHealth.Action] = []
            for event in events {
                let actions = health.take(event, at: now)
                all += actions
                for action in actions {
                    switch action {
                    case .examine: break
                    case .dropPackage:
                        all += take(.packageDropped(hasPackages))
                        hasPackages = false
                    case .take(let step): steps.append(step)
                    }
                }
            }
            return all
        }

        func load(_ url: String = "https://a.example/", isWatched: Bool = true) {
            take(.started, .committed(url: url, isWatched: isWatched), .finished)
        }

        /// Lets time go by until a look is due, and looks; says whether it was.
        @discardableResult
        func look(_ examination: PageExamination?) -> Bool {
            guard let deadline = health.deadline else { return false }
            now = max(now, deadline)
            guard take(.clock(isBusy: false)) == [.examine] else { return false }
            take(.examined(examination))
            return true
        }

        var kinds: [WhitePageStep.Kind] { steps.map(\.kind) }
    }

    private static let white = PageExamination(isUniform: true)
    private static let empty = PageExamination(isEmpty: true, isUniform: true)
    private static let broken = PageExamination(hasScripts: true, bootErrors: ["Error: boot"], isUniform: true)
    private static let painted = PageExamination(isPainted: true, hasScripts: true)
    private static let all: [WhitePageStep.Kind] = [.reloaded, .reloadedWithoutPackage, .showedErrorPage]

    @Test("A page that stays broken is reloaded, then without its package, then replaced; and that is all")
    func ladder() {
        for (seen, signal) in [(Self.empty, WhitePageSignal.emptyDocument), (Self.broken, .bootError)] {
            let page = Patient()
            for _ in 0..<3 {
                page.load()
                #expect(page.look(seen))
            }
            #expect(page.kinds == Self.all && page.steps.map(\.number) == [1, 2, 3])
            #expect(page.steps.allSatisfy { $0.signal == signal })
            page.load()
            page.look(seen)
            page.take(.processEnded("crashed"))
            #expect(page.steps.count == 3 && page.health.deadline == nil)
        }
    }

    @Test("Without a package the second step is the error page, and with fewer steps the last one is")
    func shorterLadders() {
        let page = Patient()
        page.hasPackages = false
        for _ in 0..<2 {
            page.load()
            page.look(Self.empty)
        }
        #expect(page.kinds == [.reloaded, .showedErrorPage] && page.steps.map(\.number) == [1, 2])
        for limit in 0...2 {
            let page = Patient { $0.stepLimit = limit }
            for _ in 0..<3 {
                page.load()
                page.look(Self.empty)
            }
            #expect(page.kinds == [[], [.showedErrorPage], [.reloaded, .showedErrorPage]][limit])
        }
    }

    @Test(
        "A page that is fine is looked at and left alone",
        arguments: [
            painted, PageExamination(isUniform: false), PageExamination(isHTML: false),
            PageExamination(isUsed: true, bootErrors: ["late"]), PageExamination(isPainted: true, bootErrors: ["one"]),
        ])
    func fine(_ seen: PageExamination) {
        let page = Patient()
        page.load()
        #expect(page.look(seen))
        #expect(page.steps.isEmpty && page.health.deadline == nil)
    }

    @Test("A page that is blank without a script, or has a background, is never loaded anew")
    func blank() {
        for seen in [Self.white, PageExamination(hasScripts: true, hasBackground: true, isUniform: true)] {
            let page = Patient()
            page.load()
            while page.look(seen) {}
            #expect(page.steps.isEmpty && page.now == .seconds(30))
        }
    }

    @Test("A page that boots slowly has its time, counted from the last that was heard of it")
    func slow() {
        let seen = PageExamination(hasScripts: true, isUniform: true)
        let page = Patient()
        page.load()
        #expect(page.look(seen) && page.now == .seconds(3))
        page.now = .seconds(32)
        page.take(.activity)
        #expect(page.take(.clock(isBusy: false)).isEmpty)
        page.now = .seconds(62)
        // While a request waits for its answer, nothing is due before that ends.
        #expect(page.take(.clock(isBusy: true)).isEmpty && page.health.deadline == nil)
        page.now = .seconds(100)
        page.take(.activity)
        #expect(page.health.deadline == .seconds(130) && page.steps.isEmpty)
        #expect(page.look(seen) && page.kinds == [.reloaded] && page.steps[0].signal == .noFirstPaint)
    }

    @Test("A page whose document does not end is looked at, too, and its errors do not count before")
    func unfinished() {
        let page = Patient()
        page.take(.started, .committed(url: "https://a.example/", isWatched: true))
        page.now = .seconds(29)
        page.take(.activity, .clock(isBusy: false))
        #expect(page.health.deadline == .seconds(59))
        page.look(PageExamination(isPainted: true, bootErrors: ["Error"]))
        #expect(page.steps.isEmpty)
    }

    @Test("A page that is hidden, or whose app is away, is not too late")
    func away() {
        let page = Patient()
        page.load()
        page.take(.paused)
        #expect(page.health.deadline == nil)
        page.now = .seconds(3_600)
        #expect(page.take(.clock(isBusy: false)).isEmpty)
        page.take(.resumed)
        #expect(page.health.deadline == .seconds(3_603))
        page.look(PageExamination(isHidden: true, bootErrors: ["Error"]))
        #expect(page.steps.isEmpty && page.health.deadline == nil)
    }

    @Test("A page that does not answer is asked three times, and left alone")
    func silent() {
        let page = Patient()
        page.load()
        var looks = 0
        while page.look(nil) { looks += 1 }
        #expect(looks == 3 && page.steps.isEmpty)
    }

    @Test("A process that ends is replaced for every page, a document that has a body asked for never again")
    func processes() {
        let plain = Patient()
        plain.load(isWatched: false)
        plain.take(.processEnded("crashed"))
        #expect(plain.kinds == [.reloaded] && plain.steps[0].detail == "crashed")
        let posted = Patient()
        posted.take(.started, .hasBody, .committed(url: "https://a.example/", isWatched: true), .finished)
        posted.take(.processEnded("crashed"))
        #expect(posted.kinds == [.showedErrorPage])
        let again = Patient()
        again.load()
        // Once more on the way, before a document is there.
        again.take(.processEnded("crashed"), .processEnded("crashed"), .processEnded("crashed"))
        #expect(again.kinds == Self.all)
    }

    @Test("What could not be had is replaced by the error page, but not a download, nor a page that is there")
    func loads() {
        let page = Patient()
        page.take(.started, .loadFailed("stopped", isReal: false))
        #expect(page.steps.isEmpty)
        page.take(.started, .loadFailed("offline", isReal: true))
        #expect(page.kinds == [.showedErrorPage] && page.steps[0].signal == .loadFailed)
        let shown = Patient()
        shown.load()
        shown.look(Self.painted)
        shown.take(.started, .loadFailed("offline", isReal: true))
        #expect(shown.steps.isEmpty)
        // White before, and now not to be had.
        let white = Patient()
        white.load()
        white.look(Self.empty)
        white.take(.started, .loadFailed("offline", isReal: true))
        #expect(white.kinds == [.reloaded, .showedErrorPage])
    }

    @Test("Who tries again has all steps again; so has a page that comes to another document that is well")
    func renewal() {
        let page = Patient()
        for _ in 0..<3 {
            page.load()
            page.look(Self.empty)
        }
        #expect(page.take(.retryAsked).count == 1 && page.kinds.last == .retried && page.steps.last?.number == 0)
        page.hasPackages = true
        page.steps = []
        for _ in 0..<3 {
            page.load()
            page.look(Self.empty)
        }
        #expect(page.kinds == Self.all)
        page.load("https://a.example/other")
        page.look(Self.painted)
        page.take(.processEnded("crashed"))
        #expect(page.kinds.last == .reloaded)
        // The same one that is well in between may be what ends its process.
        page.load("https://a.example/other")
        page.look(Self.painted)
        page.take(.processEnded("crashed"))
        page.load("https://a.example/other")
        page.look(Self.painted)
        page.take(.processEnded("crashed"))
        #expect(page.kinds.last == .showedErrorPage)
    }

    @Test("Signals that are switched off do nothing; a picture of one colour counts where it is switched on")
    func signals() {
        let page = Patient { $0.signals = [] }
        page.load()
        page.look(Self.empty)
        page.take(.processEnded("crashed"), .started, .loadFailed("offline", isReal: true))
        #expect(page.steps.isEmpty)
        let uniform = Patient { $0.signals.insert(.uniformPicture) }
        uniform.load()
        uniform.look(PageExamination(isPainted: true, isUniform: true))
        #expect(uniform.kinds == [.reloaded] && uniform.steps[0].signal == .uniformPicture)
    }

    /// Whatever comes in whatever order: no more than three steps without a retry or another document that is well, in
    /// their order, and none for a page by its looks that the look did not show white.
    @Test("Any interleaving keeps the bounds", arguments: 0..<64)
    func interleavings(seed: Int) {
        var generator = Numbers(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1)
        let page = Patient()
        var sinceRenewal: [WhitePageStep] = []
        for _ in 0..<600 {
            page.now += .milliseconds(Int(generator.next() % 5_000))
            page.hasPackages = generator.next() % 2 == 0
            let seen = [nil, Self.white, Self.empty, Self.broken, Self.painted, PageExamination(isHidden: true)]
            let examination = seen[Int(generator.next() % 6)]
            let urls = ["https://a.example/", "https://a.example/2"]
            let events: [PageHealth.Event] = [
                .started, .committed(url: urls[Int(generator.next() % 2)], isWatched: generator.next() % 4 > 0),
                .finished, .loadFailed("x", isReal: generator.next() % 2 == 0), .processEnded("x"), .activity, .hasBody,
                .examined(examination), .packageDropped(true), .paused, .resumed,
                .clock(isBusy: generator.next() % 4 == 0), .clock(isBusy: false),
            ]
            let event = events[Int(generator.next() % UInt64(events.count))]
            let wasDue = page.health.deadline.map { $0 <= page.now } ?? false
            page.steps = []
            let actions = page.take(event)
            if actions.contains(.examine) { #expect(wasDue) }
            for step in page.steps {
                if step.number == 1 { sinceRenewal = [] }
                sinceRenewal.append(step)
                #expect(sinceRenewal.map(\.number) == Array(1...sinceRenewal.count) && sinceRenewal.count <= 3)
                #expect(sinceRenewal.count < 3 || step.kind == .showedErrorPage)
                switch event {
                case .examined(let examination?): #expect(examination.isUniform == true)
                case .processEnded, .loadFailed, .packageDropped: break
                default: Issue.record("\(step) by \(event)")
                }
            }
        }
    }

    /// Numbers that a seed repeats.
    private struct Numbers {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state >> 11
        }
    }
}
