// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import PageRecovery

/// Pages whose health a test plays: their signals, and what their scripts say.
@MainActor
struct BlankPageStage {
    let fixture = Fixture()
    let clock = ManualClock()
    /// The document of the package `shop`, as the engine names it.
    let url = "containerkit://shop.example/index.html"

    /// A script in the document of the package has thrown.
    static let boot = #""errors":[{"text":"Error: boot","file":"containerkit://shop.example/index.html"}]"#

    /// What a look shows of a page that is white, with one more of its values set.
    static func look(_ change: String = boot) -> String {
        let values = [
            #""html":true"#, #""hidden":false"#, #""used":false"#, #""painted":false"#, #""empty":false"#,
            #""scripts":true"#, #""background":false"#, #""errors":[]"#, #""failed":[]"#,
        ]
        let name = change.prefix { $0 != ":" }
        return "{\"look\":{" + (values.filter { !$0.hasPrefix(name) } + [change]).joined(separator: ",") + "}}"
    }

    /// All pixels are the same.
    static let picture = PageSnapshot(width: 2, height: 1, pixels: Data(repeating: 255, count: 8), png: Data())

    /// One whose pages are looked at once: three seconds after they have loaded.
    func container(
        covering hosts: [String] = [], change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        try await fixture.container(covering: hosts) {
            var options = BlankPageOptions()
            options.clock = clock
            options.firstPaint = options.grace
            $0.pages.blankPages = options
            change(&$0)
        }
    }

    /// Has a view load a document, as the engine tells of it.
    func load(_ url: String, in view: FakeView) {
        view.onSignal?(.started(url: url))
        view.onSignal?(.committed(url: url))
        view.onSignal?(.finished(url: url))
    }

    /// Says something as the script in a view's document, and waits for what it is to do.
    func say(_ text: String, in view: FakeView) async throws -> String {
        let handler = try #require(view.handlers[HealthScript.name])
        return try await handler(ScriptMessage(json: text, documentURL: url))
    }

    /// Has the script in a view's document begin, and returns once that was heard.
    func speak(in view: FakeView) async throws {
        // The second word ends the wait of the first.
        let words = (0..<2).map { _ in Task { try await say("{}", in: view) } }
        #expect(try await words[0].value == "null")
    }

    /// Returns once no page waits for a time.
    func untilNobodySleeps() async throws {
        while clock.sleeperCount != 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Lets the page's time pass until it is looked at, and says what the look shows.
    func show(_ look: String, in view: FakeView) async throws {
        view.picture = Self.picture
        let asked = Task { try await say("{}", in: view) }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(3))
        #expect(try await asked.value == "\"look\"")
        Task { try await say(look, in: view) }
    }

    func nextStep(_ events: AsyncStream<ContainerEvent>) async throws -> BlankPageStep {
        for await case .blankPage(_, let step) in events { return step }
        throw CancellationError()
    }

    /// Shows twice that a page is white, each time once it has loaded: what becomes of its packages then.
    func showTwice(
        _ look: String, at url: String? = nil, in view: FakeView, _ events: AsyncStream<ContainerEvent>
    ) async throws -> [BlankPageStep.Kind] {
        var kinds: [BlankPageStep.Kind] = []
        for _ in 0..<2 {
            load(url ?? self.url, in: view)
            try await show(look, in: view)
            kinds.append(try await nextStep(events).kind)
        }
        return kinds
    }
}
