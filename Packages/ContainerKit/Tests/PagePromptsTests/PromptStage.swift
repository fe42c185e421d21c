// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ResourceLoading
import SchemeMode
import WebEngine
import WebEngineTesting
import WebViewPool

@testable import PagePrompts

/// A prompt controller with two open pages and a deciding app, without a container.
@MainActor
final class PromptStage: PagePromptHost {
    enum Decision: Equatable {
        case link(LinkDecision)
        case dialog(DialogDecision)
        case permission(PermissionDecision)
    }

    struct Record {
        let page: PageID
        let answer: Decision
        let ending: PageRequestEnding

        init(_ outcome: PagePromptOutcome, _ ending: PageRequestEnding) {
            page = outcome.page
            self.ending = ending
            answer =
                switch outcome {
                case .link(_, let decision): .link(decision)
                case .dialog(_, let decision): .dialog(decision)
                case .permission(_, let decision): .permission(decision)
                }
        }
    }

    let clock = ManualClock()
    let delegate = PromptDelegate()
    let view = FakeView(id: ViewID(rawValue: 1))
    let otherView = FakeView(id: ViewID(rawValue: 2))
    let controller: PagePromptController
    /// The answers that the engine received, in order.
    private(set) var answers: [EnginePrompt.Answer] = []
    /// The reasons for which views were discarded.
    private(set) var retirements: [DiscardReason] = []
    private let log = Log()

    var promptDelegate: (any PagePromptDelegate)? { delegate }
    var records: [Record] { log.records }
    var page: PageSession { session(1) }

    init(change: (inout PageRequestOptions) -> Void = { _ in }) {
        var options = PageRequestOptions()
        change(&options)
        controller = PagePromptController(options, clock: clock, names: .standard) { [log] in
            log.append(Record($0, $1))
        }
        controller.host = self
        controller.begin(session(1), in: view)
        controller.begin(session(2), in: otherView)
    }

    private func session(_ number: UInt64) -> PageSession {
        PageSession(
            id: PageID(rawValue: number), documentURL: "https://a.example/", view: ViewID(rawValue: number),
            mode: .customScheme, generations: [])
    }

    /// Sends a prompt of the page in a view.
    func requestDecision(_ subject: EnginePrompt.Subject, in view: FakeView? = nil) {
        (view ?? self.view).onPrompt?(EnginePrompt(subject) { [weak self] in self?.answers.append($0) })
    }

    /// Waits for a record, by its index, and returns it. The call retains the stage until then.
    func record(_ index: Int) async throws -> Record {
        while log.records.count <= index {
            for await _ in log.changes { break }
            try Task.checkCancellation()
        }
        return log.records[index]
    }

    func session(of view: ViewID) -> PageSession? { session(view.rawValue) }

    func realURL(of place: String) -> String { SchemeNames.standard.realURL(of: place) ?? place }

    func canOpen(_ url: String) -> Bool { url.hasPrefix("http:") || url.hasPrefix("https:") }

    func place(of url: String, for page: PageSession) async throws -> String { "place of \(url)" }

    func retire(_ page: PageSession, because reason: DiscardReason) { retirements.append(reason) }
}

/// The records of a controller, in order.
@MainActor
private final class Log {
    private(set) var records: [PromptStage.Record] = []
    let (changes, change) = AsyncStream<Void>.makeStream()

    func append(_ record: PromptStage.Record) {
        records.append(record)
        change.yield()
    }
}

/// A delegate that records the requests and returns the decisions of a test.
@MainActor
final class PromptDelegate: PagePromptDelegate {
    struct Refusal: Error {}

    private(set) var links: [LinkRequest] = []
    var linkAnswer: () throws -> LinkDecision = { .cancel }
    var dialogAnswer = DialogDecision.cancel
    /// The gate that each method passes after it has recorded its request.
    let gate = CallGate()

    func link(_ request: LinkRequest) async throws -> LinkDecision {
        links.append(request)
        await gate.pass()
        return try linkAnswer()
    }

    func dialog(_ request: DialogRequest) async throws -> DialogDecision {
        await gate.pass()
        return dialogAnswer
    }

    func permission(_ request: PermissionRequest) async throws -> PermissionDecision {
        await gate.pass()
        return .allow
    }
}
