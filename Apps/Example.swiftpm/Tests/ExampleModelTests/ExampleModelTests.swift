// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerKit
import ContainerViews
import Foundation
import Testing
import WebEngineTesting

@testable import ExampleModel

@MainActor
@Suite("Example model", .timeLimit(.minutes(1)))
struct ExampleModelTests {
    private let engine = FakeEngine()
    private let folder: TemporaryFolder
    private let model: ExampleModel<FakeEngine>

    init() async throws {
        folder = try TemporaryFolder()
        model = try await ExampleModel(engine: engine, directory: folder.path + "/container")
    }

    private func check(_ number: Int) throws -> ManualCheck {
        try #require(ManualCheck.all.first { $0.id == number })
    }

    /// The view of the open page. The engine may have newer views, which the container prepares when it is idle.
    private func view() throws -> FakeView { try #require(model.pages.page).view }

    @Test("The packages of the app are installed, and their pages open in their modes")
    func baseline() async throws {
        #expect(model.container.installedPackages.map { "\($0.id)" } == ["checks", "scheme-checks"])
        await model.open(try check(2))
        #expect(model.container.openPages.map(\.mode) == [.document])
        await model.open(try check(13))
        #expect(model.container.openPages.map(\.mode) == [.customScheme])
        let view = try view()
        let sink = await engine.load(view)
        #expect(sink?.status == 200)
        #expect(sink?.text.contains("Check 13") == true)
        try await until { model.log.lines.contains { $0.text.contains("https://scheme-checks.example/13.html") } }
    }

    @Test("A page reports its result, and gets the JSON of a message back")
    func handlers() async throws {
        await model.open(try check(16))
        let view = try view()
        let checks = try #require(view.handlers["checks"])
        let message = ScriptMessage(json: #"{"number":16,"state":"pass","detail":"a"}"#, documentURL: "")
        #expect(try await checks(message) == "null")
        #expect(model.board.results == [16: .init(state: .pass, detail: "a")])
        #expect(try await checks(ScriptMessage(json: "[1]", documentURL: "")) == "null")
        #expect(model.log.lines.contains { $0.text == "unknown message [1]" })
        let echo = try #require(view.handlers["echo"])
        let reply = try await echo(ScriptMessage(json: #"{"a":"\"x\""}"#, documentURL: ""))
        #expect(try JSONDecoder().decode(String.self, from: Data(reply.utf8)) == #"{"a":"\"x\""}"#)
    }

    @Test("Check 17 passes if the message of the exception arrives")
    func exceptions() async throws {
        for (text, state) in [("Error: check 17", CheckBoard.State.pass), ("unknown", .fail)] {
            let opening = Task { await model.open(try check(17)) }
            try await until { model.pages.page != nil }
            let view = try view()
            view.evaluation = { throw EngineError(.script, text) }
            view.onSignal?(.committed(url: "https://checks.example/"))
            view.onSignal?(.finished(url: "https://checks.example/"))
            try await opening.value
            #expect(model.board.results[17]?.state == state)
            await model.pages.close()
        }
    }

    @Test("A failed page of the package fails check 6; other failures do not")
    func failures() async throws {
        await model.open(try check(12))
        let other = "https://other.example/"
        await model.open(other)
        try view().onSignal?(.failed(url: other, error: EngineError(.loadFailed, "no such host")))
        try await until { model.log.lines.contains { $0.text.contains("failed") } }
        #expect(model.board.results.isEmpty)
        await model.open(try check(6))
        let url = try #require(check(6).page)
        try view().onSignal?(.failed(url: url, error: EngineError(.loadFailed, "stopped")))
        try await until { model.board.results[6]?.state == .fail }
    }
}

@MainActor
@Suite("Check board and event log", .timeLimit(.minutes(1)))
struct CheckBoardTests {
    @Test("Messages that are no results, and numbers of no check, are ignored")
    func hostile() {
        let board = CheckBoard()
        for message in [
            "", "null", "{}", #"{"number":"2","state":"pass","detail":""}"#,
            #"{"number":2,"state":"green","detail":""}"#,
        ] {
            #expect(!board.record(message: message))
        }
        #expect(board.record(message: #"{"number":999,"state":"pass","detail":""}"#))
        #expect(board.results.isEmpty)
        board.record(2, .fail, String(repeating: "a", count: 1_000))
        #expect(board.results[2]?.detail.count == 200)
    }

    @Test("The log keeps the newest lines")
    func log() {
        let log = EventLog()
        for number in 0..<(EventLog.limit + 5) { log.add("\(number)" + String(repeating: "a", count: 500)) }
        #expect(log.lines.count == EventLog.limit && log.lines.first?.id == EventLog.limit + 5)
        #expect(log.lines.allSatisfy { $0.text.count == 300 })
        log.record(.rulesChanged)
        #expect(log.lines.first?.text == "rulesChanged")
    }
}
