// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ResourceLoading
import Testing
import WebEngine

@testable import PagePrompts

/// Questions of any kind that wait for the app.
@MainActor
@Suite("Page questions", .timeLimit(.minutes(1)))
struct PageQuestionQueueTests {
    /// The delegate of a feature other than prompts.
    @MainActor
    final class Delegate {
        let gate = CallGate()
        var answer = 1
    }

    struct Number: PageQuestion {
        var survivesNavigation = false
        var blocksPage = false
        var holdsDocument = false
        var safeAnswer: Int { 0 }

        func put(to delegate: Delegate) async throws -> Int {
            await delegate.gate.pass()
            return delegate.answer
        }
    }

    struct Text: PageQuestion {
        var safeAnswer: String { "safe" }

        func put(to delegate: Delegate) async throws -> String {
            await delegate.gate.pass()
            return "text"
        }
    }

    /// The recorded ends of questions, in order.
    @MainActor
    final class Ends {
        private(set) var all: [String] = []
        private let (changes, change) = AsyncStream<Void>.makeStream()

        func append(_ answer: some Any, _ ending: PageRequestEnding) {
            all.append("\(answer) \(ending)")
            change.yield()
        }

        func wait(for count: Int) async {
            while all.count < count { for await _ in changes { break } }
        }
    }

    private let clock = ManualClock()
    private let delegate = Delegate()
    private let ends = Ends()
    private let page = PageID(rawValue: 1)

    private func queue(waitingLimit: Int = 4) -> PageQuestionQueue {
        var options = PageRequestOptions()
        options.waitingLimit = waitingLimit
        return PageQuestionQueue(options, clock: clock)
    }

    @Test("The limit applies to questions of all kinds together, for each page")
    func limit() async {
        let queue = queue(waitingLimit: 2)
        delegate.gate.close()
        queue.send(Number(), of: page, by: delegate) { ends.append($0, $1) }
        queue.send(Text(), of: page, by: delegate) { ends.append($0, $1) }
        #expect(queue.send(Number(), of: page, by: delegate) { ends.append($0, $1) } == nil)
        #expect(queue.send(Text(), of: PageID(rawValue: 2), by: delegate) { ends.append($0, $1) } != nil)
        #expect(ends.all == ["0 tooMany"] && queue.isWaiting(page))
        delegate.gate.open()
        await ends.wait(for: 4)
        #expect(Set(ends.all) == ["0 tooMany", "1 answered", "text answered"] && !queue.isWaiting(page))
    }

    @Test("Without a delegate a question gets its safe answer at once")
    func noDelegate() {
        #expect(queue().send(Text(), of: page, by: nil) { ends.append($0, $1) } == nil)
        #expect(ends.all == ["safe noDelegate"])
    }

    @Test("A question ends once: by withdrawal, its page, its time limit or the engine")
    func endsOnce() async throws {
        let queue = queue()
        delegate.gate.close()
        let withdraw = try #require(queue.send(Number(), of: page, by: delegate) { ends.append($0, $1) })
        withdraw()
        withdraw()
        queue.send(Number(), of: page, by: delegate) { ends.append($0, $1) }
        queue.end(page)
        withdraw()
        let prompt = EnginePrompt(.dialog(.alert, message: "")) { _ in }
        queue.send(Text(), of: page, by: delegate, for: prompt) { ends.append($0, $1) }
        prompt.withdraw()
        #expect(ends.all == ["0 withdrawn", "0 pageGone", "safe pageGone"])
        queue.send(Number(), of: page, by: delegate) { ends.append($0, $1) }
        queue.send(Number(holdsDocument: true), of: page, by: delegate) { ends.append($0, $1) }
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(10))
        await ends.wait(for: 4)
        #expect(queue.isWaiting(page))
        clock.advance(by: .seconds(50))
        await ends.wait(for: 5)
        #expect(ends.all.suffix(2) == ["0 timedOut", "0 timedOut"] && !queue.isWaiting(page))
        delegate.gate.open()
    }

    @Test("A question that survives a navigation continues to wait, and ends with its page")
    func navigation() {
        let queue = queue()
        delegate.gate.close()
        queue.send(Number(survivesNavigation: true), of: page, by: delegate) { ends.append($0, $1) }
        queue.send(Number(blocksPage: true), of: page, by: delegate) { ends.append($0, $1) }
        #expect(queue.isBlocked(page))
        queue.release(page)
        #expect(ends.all == ["0 pageGone"] && queue.isWaiting(page) && !queue.isBlocked(page))
        queue.end(page)
        #expect(ends.all == ["0 pageGone", "0 pageGone"] && !queue.isWaiting(page))
        delegate.gate.open()
    }

    @Test("A question can be withdrawn after its queue is released")
    func releasedQueue() throws {
        var queue: PageQuestionQueue? = queue()
        delegate.gate.close()
        let withdraw = try #require(queue?.send(Number(), of: page, by: delegate) { ends.append($0, $1) })
        queue = nil
        withdraw()
        #expect(ends.all == ["0 withdrawn"])
        delegate.gate.open()
    }
}
