// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading
package import WebEngine

/// A request of a page that waits for a decision of the app.
package protocol PageQuestion: Sendable {
    /// The delegate protocol of the app for this kind of question.
    associatedtype Delegate
    associatedtype Answer: Sendable

    /// The answer that applies if the app does not answer.
    var safeAnswer: Answer { get }

    /// A Boolean value that indicates whether the response to a document request waits for the answer. In this case
    /// ``PageRequestOptions/documentLimit`` applies.
    var holdsDocument: Bool { get }

    /// A Boolean value that indicates whether the scripts of the page wait for the answer.
    var blocksPage: Bool { get }

    /// A Boolean value that indicates whether the question remains valid when the page navigates to another document.
    var survivesNavigation: Bool { get }

    /// Asks the delegate and returns its answer.
    @MainActor
    func put(to delegate: Delegate) async throws -> Answer
}

extension PageQuestion {
    package var holdsDocument: Bool { false }
    package var blocksPage: Bool { false }
    package var survivesNavigation: Bool { false }
}

/// The questions that wait for the app, by page. Each question is answered once.
///
/// The limit of waiting questions applies to all kinds of questions of a page together.
///
/// Isolation: the main actor.
@MainActor
package final class PageQuestionQueue {
    private let options: PageRequestOptions
    private let clock: any Clock<Duration>
    private var waiting: [PageID: [any PendingQuestion]] = [:]

    /// Creates a queue without questions.
    /// - Parameters:
    ///   - options: the limits.
    ///   - clock: the clock of the time limits.
    package init(_ options: PageRequestOptions, clock: any Clock<Duration>) {
        self.options = options
        self.clock = clock
    }

    /// Sends a question to the app.
    /// - Parameters:
    ///   - question: the question.
    ///   - page: the page of the question.
    ///   - delegate: the delegate of the app; `nil` if there is none.
    ///   - prompt: the prompt of the engine, if there is one. Its withdrawal ends the question. `then` must answer the
    ///     prompt.
    ///   - then: a closure that receives the answer and its cause, once. If the app is not asked, it is called before
    ///     this method returns.
    /// - Returns: a closure that withdraws the question, which then gets its safe answer; `nil` if the app is not
    ///   asked.
    @discardableResult
    package func send<Question: PageQuestion>(
        _ question: Question, of page: PageID, by delegate: Question.Delegate?, for prompt: EnginePrompt? = nil,
        then: @escaping @MainActor (Question.Answer, PageRequestEnding) -> Void
    ) -> (@MainActor () -> Void)? {
        guard let delegate else {
            then(question.safeAnswer, .noDelegate)
            return nil
        }
        guard waiting[page, default: []].count < options.waitingLimit else {
            then(question.safeAnswer, .tooMany)
            return nil
        }
        let entry = WaitingQuestion(question) { [weak self] entry, answer, ending in
            self?.remove(entry, of: page)
            then(answer, ending)
        }
        waiting[page, default: []].append(entry)
        prompt?.onWithdrawal = { [weak entry] in entry?.end(.pageGone) }
        entry.begin(delegate, question.holdsDocument ? options.documentLimit : options.limit, clock)
        // The closure retains the entry, because the queue may be released before the question is withdrawn.
        return { entry.end(.withdrawn) }
    }

    /// Returns a Boolean value that indicates whether a question of a page waits.
    package func isWaiting(_ page: PageID) -> Bool { waiting[page] != nil }

    /// Returns a Boolean value that indicates whether the scripts of a page wait for an answer.
    package func isBlocked(_ page: PageID) -> Bool {
        waiting[page]?.contains { $0.blocksPage } == true
    }

    /// Ends the questions of a page that navigates to another document, except those that survive a navigation.
    package func release(_ page: PageID) {
        for question in waiting[page] ?? [] where !question.survivesNavigation { question.end(.pageGone) }
    }

    /// Ends all questions of a page.
    package func end(_ page: PageID) {
        for question in waiting[page] ?? [] { question.end(.pageGone) }
    }

    private func remove(_ question: any PendingQuestion, of page: PageID) {
        waiting[page]?.removeAll { $0 === question }
        if waiting[page]?.isEmpty == true { waiting[page] = nil }
    }
}

/// A waiting question of any kind.
@MainActor
private protocol PendingQuestion: AnyObject {
    var blocksPage: Bool { get }
    var survivesNavigation: Bool { get }

    /// Ends the question with its safe answer. Does nothing if the question has ended.
    func end(_ ending: PageRequestEnding)
}

/// A waiting question. The app's answer, the time limit or a withdrawal ends it, whichever is first.
@MainActor
private final class WaitingQuestion<Question: PageQuestion>: PendingQuestion {
    private let question: Question
    private var onEnd: (@MainActor (WaitingQuestion, Question.Answer, PageRequestEnding) -> Void)?
    private var tasks: [Task<Void, Never>] = []

    var blocksPage: Bool { question.blocksPage }
    var survivesNavigation: Bool { question.survivesNavigation }

    init(
        _ question: Question,
        onEnd: @escaping @MainActor (WaitingQuestion, Question.Answer, PageRequestEnding) -> Void
    ) {
        self.question = question
        self.onEnd = onEnd
    }

    /// Starts the delegate method and the time limit in separate tasks, because a delegate may ignore its
    /// cancellation. The end cancels both.
    func begin(_ delegate: Question.Delegate, _ limit: Duration, _ clock: any Clock<Duration>) {
        let decisionTask = Task { [weak self, question] in
            do {
                let answer = try await question.put(to: delegate)
                self?.end(answer, .answered)
            } catch {
                self?.end(.failed("\(error)"))
            }
        }
        let timer = Task { [weak self] in
            try? await clock.sleep(for: limit)
            guard !Task.isCancelled else { return }
            self?.end(.timedOut)
        }
        tasks = [decisionTask, timer]
    }

    func end(_ ending: PageRequestEnding) { end(question.safeAnswer, ending) }

    private func end(_ answer: Question.Answer, _ ending: PageRequestEnding) {
        guard let onEnd else { return }
        self.onEnd = nil
        for task in tasks { task.cancel() }
        tasks = []
        onEnd(self, answer, ending)
    }
}
