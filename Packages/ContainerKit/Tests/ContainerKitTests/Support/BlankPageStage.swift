// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import PageRecovery

/// Pages whose signals and script messages a test sends.
@MainActor
struct BlankPageStage {
    let fixture = Fixture()
    let clock = ManualClock()
    /// The URL of the document of the package `shop`, in the engine's form.
    let url = "containerkit://shop.example/index.html"

    /// The error of a script in the document of the package.
    static let boot = #""errors":[{"text":"Error: boot","file":"containerkit://shop.example/index.html"}]"#

    /// Returns the JSON result of an examination of a blank page, with one changed value.
    static func look(_ change: String = boot) -> String {
        let values = [
            #""html":true"#, #""hidden":false"#, #""used":false"#, #""painted":false"#, #""empty":false"#,
            #""scripts":true"#, #""background":false"#, #""errors":[]"#, #""failed":[]"#,
        ]
        let name = change.prefix { $0 != ":" }
        return "{\"look\":{" + (values.filter { !$0.hasPrefix(name) } + [change]).joined(separator: ",") + "}}"
    }

    /// A snapshot whose pixels are all equal.
    static let picture = PageSnapshot(width: 2, height: 1, pixels: Data(repeating: 255, count: 8), png: Data())

    /// Creates a container whose pages are examined once, three seconds after they have loaded.
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

    /// Sends the signals of a document that loads in a view.
    func load(_ url: String, in view: FakeView) {
        view.onSignal?(.started(url: url))
        view.onSignal?(.committed(url: url))
        view.onSignal?(.finished(url: url))
    }

    /// Sends a message of the script in a view's document, and waits for the reply.
    func say(_ text: String, in view: FakeView) async throws -> String {
        let handler = try #require(view.handlers[HealthScript.name])
        return try await handler(ScriptMessage(json: text, documentURL: url))
    }

    /// Sends the first message of the script in a view's document, and returns when it was received.
    func speak(in view: FakeView) async throws {
        // The second message ends the wait of the first.
        let words = (0..<2).map { _ in Task { try await say("{}", in: view) } }
        #expect(try await words[0].value == "null")
    }

    /// Waits until no task sleeps on the clock.
    func untilNobodySleeps() async throws {
        while clock.sleeperCount != 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Advances the clock until the page is examined, and sends the result.
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

    /// Shows a blank page twice, each time after the load, so that its package is dropped.
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
