// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerKit
import ContainerViews
import Foundation
import Testing
import WebEngine
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

    @Test("Permissions are granted, and a dialog waits for a person or the end of its page")
    func requests() async throws {
        await model.open(try check(25))
        let view = try view()
        #expect(await view.requestDecision(.permission([.microphone, .camera], requester: nil)) == .yes)
        #expect(model.log.lines.contains { $0.text == "granted camera, microphone" })
        for (decision, answer) in [(DialogDecision.accept(), EnginePrompt.Answer.yes), (.cancel, .no)] {
            let result = Task { await view.requestDecision(.dialog(.confirm, message: "a")) }
            try await until { !model.delegate.dialogs.isEmpty }
            let dialog = try #require(model.delegate.dialogs.first)
            #expect(dialog.message == "a" && dialog.kind == .confirm)
            model.delegate.end(dialog, with: decision)
            #expect(await result.value == answer)
            #expect(model.delegate.dialogs.isEmpty)
        }
        let result = Task { await view.requestDecision(.dialog(.confirm, message: "b")) }
        try await until { !model.delegate.dialogs.isEmpty }
        await model.pages.close()
        #expect(await result.value == .no)
        try await until { model.delegate.dialogs.isEmpty }
    }

    @Test("A download is saved beside the container")
    func downloads() async throws {
        await model.open(try check(27))
        let download = FakeDownload()
        try view().onDownload?(.engine(download))
        await download.started()
        try download.finish(Data([7]))
        let file = folder.path + "/Downloads/file.zip"
        try await until { FileManager.default.fileExists(atPath: file) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data([7]))
    }

    @Test("Check 24 opens a dialog, whose result is in the log")
    func dialogs() async throws {
        let opening = Task { await model.open(try check(24)) }
        try await until { model.pages.page != nil }
        let view = try view()
        view.evaluation = {
            // The controller also evaluates a script, for the title.
            guard view.evaluatedScripts.last == "return confirm('check 24')" else { return "null" }
            return await view.requestDecision(.dialog(.confirm, message: "check 24")) == .yes ? "true" : "false"
        }
        view.onSignal?(.committed(url: "https://checks.example/"))
        view.onSignal?(.finished(url: "https://checks.example/"))
        try await until { model.delegate.dialogs.contains { $0.message == "check 24" } }
        for dialog in model.delegate.dialogs { model.delegate.end(dialog, with: .accept()) }
        try await opening.value
        #expect(model.log.lines.contains { $0.text == "the result of the dialog is true" })
    }

    @Test(
        "Check 28 passes if the center of the picture is orange",
        arguments: [
            ([0, 128, 255, 255], CheckBoard.State.pass), ([30, 120, 250, 255], .pass), ([255, 128, 0, 255], .fail),
            ([255, 255, 128, 0], .fail),
        ] as [([UInt8], CheckBoard.State)])
    func snapshots(pixel: [UInt8], state: CheckBoard.State) async throws {
        let opening = Task { await model.open(try check(28)) }
        try await until { model.pages.page != nil }
        let view = try view()
        let pixels = [UInt8](repeating: 255, count: 16) + pixel + [UInt8](repeating: 255, count: 16)
        view.picture = PageSnapshot(width: 3, height: 3, pixels: Data(pixels), png: Data("png".utf8))
        view.onSignal?(.committed(url: "https://checks.example/"))
        view.onSignal?(.finished(url: "https://checks.example/"))
        try await opening.value
        #expect(model.board.results[28]?.state == state)
        let file = folder.path + "/Downloads/check-28.png"
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("png".utf8))
    }

    @Test("Check 28 fails without a picture")
    func failedSnapshot() async throws {
        let opening = Task { await model.open(try check(28)) }
        try await until { model.pages.page != nil }
        let view = try view()
        view.onSignal?(.committed(url: "https://checks.example/"))
        view.onSignal?(.finished(url: "https://checks.example/"))
        try await opening.value
        #expect(model.board.results[28]?.state == .fail)
    }

    @Test("The cookies of the engine are logged")
    func cookies() async throws {
        engine.jar.put(EngineCookie(name: "a", value: "1", domain: "shop.example"))
        await model.logCookies()
        #expect(model.log.lines.contains { $0.text.contains("shop.example") })
    }

    @Test("The mode of the launch applies to pages", arguments: [InterceptionMode.customScheme, .plain])
    func modes(mode: InterceptionMode) async throws {
        let options = try LaunchOptions(arguments: ["Example", "--mode", mode.rawValue])
        #expect(options.folder == "h5-\(mode.rawValue)")
        let model = try await ExampleModel(
            engine: FakeEngine(), directory: folder.path + "/" + options.folder, options: options)
        await model.open(try check(2))
        #expect(model.container.openPages.map(\.mode) == [mode])
        await model.open(try check(13))
        #expect(model.container.openPages.map(\.mode) == [.customScheme])
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

@Suite("Launch options", .timeLimit(.minutes(1)))
struct LaunchOptionsTests {
    @Test("The mode is read from the arguments; others are ignored")
    func mode() throws {
        #expect(try LaunchOptions(arguments: ["-NSDocumentRevisionsDebugMode", "YES"]).mode == .document)
        for mode in InterceptionMode.allCases {
            let options = try LaunchOptions(arguments: ["Example", "--mode", mode.rawValue, "--other"])
            #expect(options.mode == mode)
            #expect(try options.pageModes.isEmpty == [.httpsTakeover, .loopbackServer].contains(mode))
        }
    }

    @Test("An unknown or missing mode is an error in one line", arguments: [["--mode"], ["--mode", "a\nb"]])
    func unknown(arguments: [String]) throws {
        let error = try #require(#expect(throws: LaunchError.self) { try LaunchOptions(arguments: arguments) })
        #expect("\(error)".hasSuffix("scheme, document, proxy, server, takeover") && !"\(error)".contains("\n"))
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
