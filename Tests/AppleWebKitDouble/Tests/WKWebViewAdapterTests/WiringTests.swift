// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ResourceLoading
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

/// The delegates of a view pass the calls of WebKit to its prompts and downloads, and its engine has real stores.
@MainActor
@Suite("Parts of a view", .timeLimit(.minutes(1)))
struct WiringTests {
    private let fixture: Fixture
    private var view: WKWebViewView { fixture.view }
    private var page: PageDriver { fixture.page }

    init() throws {
        fixture = try Fixture(["app": { _, sink in .refusal(to: sink, "not used") }])
    }

    private final class Prompts {
        var subjects: [EnginePrompt.Subject] = []
        var held: [EnginePrompt] = []
    }

    /// Answers each prompt of the view with yes, or holds dialogs without an answer.
    private func receive(holdingDialogs: Bool = false) -> Prompts {
        let list = Prompts()
        view.prompts?.onPrompt = {
            list.subjects.append($0.subject)
            if holdingDialogs, case .dialog = $0.subject { list.held.append($0) } else { $0.answer(.yes) }
        }
        return list
    }

    @Test("Dialogs, windows, permissions and other schemes reach the receiver of the view")
    func prompts() async throws {
        try await fixture.open("https://a.example/")
        let list = receive()
        await page.alert("a")
        #expect(await page.confirm("b"))
        #expect(await page.prompt("c", default: "d") == "d")
        #expect(page.openWindow(request("https://b.example/"), type: .linkActivated) == nil)
        #expect(await page.navigate(request("mailto:a@b.example"), type: .linkActivated).decide() == .allow)
        #expect(
            list.subjects == [
                .dialog(.alert, message: "a"), .dialog(.confirm, message: "b"),
                .dialog(.prompt(defaultText: "d"), message: "c"),
                .newWindow(url: "https://b.example/", isUserGesture: true),
                .otherScheme(url: "mailto:a@b.example", isUserGesture: true),
            ])
    }

    @Test("Texts of prompts with the prefix of the app are answered without a dialog")
    func responder() async throws {
        try await fixture.open("https://a.example/")
        view.scripting.answerPrompts(startingWith: "app:") { "answer to \($0)" }
        #expect(await page.prompt("app:1") == "answer to app:1")
        #expect(await page.prompt("other") == nil)
    }

    @Test("The end of the process, a new document and the end of the view withdraw a dialog", arguments: 0..<3)
    func withdrawal(end: Int) async throws {
        try await fixture.open("https://a.example/")
        let list = receive(holdingDialogs: true)
        let dialog = Task { await page.confirm("a") }
        try await until { !list.held.isEmpty }
        switch end {
        case 0: page.terminateProcess()
        case 1: await fixture.navigate("https://a.example/b")
        default: view.discard()
        }
        #expect(await !result(of: dialog))
    }

    @Test("A script that closes its window ends the view")
    func close() async throws {
        try await fixture.open("https://a.example/")
        page.closeWindow()
        #expect(view.hasEnded && fixture.signals.last == "ended")
    }

    @Test("A link with a download attribute, and an attachment, are downloads; without a receiver nothing is saved")
    func downloads() async throws {
        try await fixture.open("https://a.example/")
        #expect(await page.navigate(request("https://a.example/f"), isDownload: true).decide() == .cancel)
        var named: [String] = []
        view.downloads?.onDownload = { if case .named(let url, _) = $0 { named.append(url) } }
        #expect(await page.navigate(request("https://a.example/f"), isDownload: true).decide() == .download)
        #expect(await page.navigate(request("app://a.example/f"), isDownload: true).decide() == .cancel)
        #expect(named == ["app://a.example/f"])
    }

    @Test("Cookies of the engine are those of its data store")
    func cookies() async throws {
        try await fixture.engine.cookies.set(EngineCookie(name: "a", value: "1", domain: "a.example"))
        let stored = await fixture.web.configuration.websiteDataStore.httpCookieStore.allCookies()
        #expect(stored.map(\.name) == ["a"])
        #expect(try await fixture.engine.cookies.all().map(\.value) == ["1"])
    }

    @Test("The proxy of the engine is that of its data store")
    func proxy() {
        fixture.engine.networking.setProxy(EngineProxy(.socks5, host: "127.0.0.1", port: 1080))
        #expect(fixture.web.configuration.websiteDataStore.proxyConfigurations.count == 1)
        fixture.engine.networking.setProxy(nil)
        #expect(fixture.web.configuration.websiteDataStore.proxyConfigurations.isEmpty)
    }
}
