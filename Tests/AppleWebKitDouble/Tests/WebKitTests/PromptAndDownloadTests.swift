// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
@_spi(Driver) import WebKit

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct PromptAndDownloadTests {
    @Test func showsDialogs() async {
        let setup = Setup()
        await setup.page.alert("a")
        #expect(await setup.page.confirm("a"))
        var frames: [Bool] = []
        setup.delegate.onPrompt = { text, frame, reply in
            frames.append(frame.isMainFrame)
            reply(text.map { "\($0)!" })
        }
        #expect(await setup.page.prompt("a", default: "b", inFrame: true) == "b!")
        #expect(frames == [false])
        #expect(await setup.page.requestCapture(.camera) == .deny)
        setup.page.drain()
        setup.view.uiDelegate = nil
        await setup.page.alert("a")
        #expect(await setup.page.confirm("a") == false)
        #expect(await setup.page.prompt("a", default: "b") == nil)
        #expect(await setup.page.requestCapture(.camera) == .prompt)
    }

    @Test func answersLater() async throws {
        let setup = Setup()
        var reply: (@MainActor @Sendable (Bool) -> Void)?
        setup.delegate.onConfirm = { reply = $0 }
        let dialog = Task { await setup.page.confirm("a") }
        try await until { reply != nil }
        reply?(true)
        #expect(await dialog.value)
        reply = nil
        setup.page.drain()
    }

    @Test func opensWindows() {
        let setup = Setup()
        #expect(setup.page.openWindow(request("app://a.example/")) == nil)
        #expect(setup.delegate.actions[0].targetFrame == nil)
        setup.delegate.onWindow = { WKWebView(frame: .zero, configuration: $0) }
        let opened = setup.page.openWindow(request("app://a.example/"), type: .linkActivated)
        #expect(opened?.url == url("app://a.example/"))
        #expect(opened?.configuration.urlSchemeHandler(forURLScheme: "app") === setup.handler)
        setup.page.closeWindow()
        #expect(setup.delegate.calls == ["close"])
    }

    @Test func downloads() async throws {
        let setup = Setup()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        setup.delegate.onResponse = { $1(.download) }
        setup.delegate.onDestination = { $0(file) }
        let navigation = setup.navigation()
        await navigation.run()
        #expect(setup.delegate.calls == ["action", "start", "response", "download", "failProvisional"])
        let download = try #require(navigation.download)
        #expect(await download.respond(response(), suggestedFilename: "a") == file)
        try download.receive(Data("ab".utf8))
        try download.receive(Data("c".utf8))
        download.finish()
        download.finish()
        #expect(setup.delegate.calls.last == "downloaded")
        #expect(try Data(contentsOf: file) == Data("abc".utf8))
        #expect(download.download.progress.completedUnitCount == 3)
        #expect(download.download.originalRequest?.url == url("https://a.example/"))

        // The file exists now.
        let second = setup.navigation()
        await second.run()
        #expect(await second.download?.respond(response(), suggestedFilename: "a") == nil)
        #expect((setup.delegate.errors.last as? URLError)?.code == .cannotCreateFile)
    }

    @Test func cancelsDownloads() async {
        let setup = Setup()
        setup.delegate.onAction = { $1(.download) }
        let refused = setup.navigation()
        await refused.run()
        #expect(setup.delegate.calls == ["action", "download"])
        #expect(await refused.download?.respond(response(), suggestedFilename: "a") == nil)
        #expect((setup.delegate.errors.last as? URLError)?.code == .cancelled)
        let cancelled = setup.navigation()
        await cancelled.run()
        #expect(await cancelled.download?.download.cancel() == nil)
        cancelled.download?.fail(URLError(.timedOut))
        #expect(cancelled.download?.isEnded == true && setup.delegate.errors.count == 1)
        #expect(await setup.page.challenge(challenge()).0 == .performDefaultHandling)
    }
}
