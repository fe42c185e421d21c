// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

/// The double ends the process if a completion handler is called twice, or is released without a call.
@MainActor
@Suite("Prompts", .timeLimit(.minutes(1)))
struct PromptTests {
    private let setup = ForwardingDelegate()
    private var prompts: WKWebViewPrompts { setup.prompts }
    private var page: PageDriver { setup.page }

    /// Answers each prompt inside the closure, and returns a list of the subjects.
    private func answer(_ answer: EnginePrompt.Answer) -> SubjectList {
        let list = SubjectList()
        prompts.onPrompt = {
            list.subjects.append($0.subject)
            $0.answer(answer)
            // Later answers have no effect.
            $0.answer(.no)
        }
        return list
    }

    private final class SubjectList {
        var subjects: [EnginePrompt.Subject] = []
    }

    // MARK: Dialogs

    @Test("Dialogs get the answers of the app")
    func dialogs() async {
        let list = answer(.yes)
        await page.alert("a")
        #expect(await page.confirm("b"))
        #expect(await page.prompt("c", default: "d", inFrame: true) == "d")
        #expect(await page.prompt("e") == "")
        #expect(
            list.subjects == [
                .dialog(.alert, message: "a"), .dialog(.confirm, message: "b"),
                .dialog(.prompt(defaultText: "d"), message: "c"), .dialog(.prompt(defaultText: ""), message: "e"),
            ])
        _ = answer(.text("t"))
        #expect(await page.prompt("c", default: "d") == "t")
        #expect(await page.confirm("b"))
        _ = answer(.no)
        await page.alert("a")
        #expect(await !page.confirm("b"))
        #expect(await page.prompt("c", default: "d") == nil)
        page.drain()
    }

    @Test("Without a receiver, dialogs and permissions get their safe answers at once")
    func noReceiver() async {
        await page.alert("a")
        #expect(await !page.confirm("b"))
        #expect(await page.prompt("c", default: "d") == nil)
        #expect(await page.requestCapture(.camera) == .deny)
        page.drain()
    }

    @Test("A prompt that the receiver releases gets its safe answer")
    func released() async {
        var count = 0
        prompts.onPrompt = { _ in count += 1 }
        await page.alert("a")
        #expect(await !page.confirm("b"))
        #expect(await page.prompt("c", default: "d") == nil)
        #expect(await page.requestCapture(.microphone) == .deny)
        #expect(count == 4)
        page.drain()
    }

    @Test("An answer may come later")
    func late() async throws {
        var held: EnginePrompt?
        prompts.onPrompt = { held = $0 }
        let dialog = Task { await page.confirm("a") }
        try await until { held != nil }
        held?.answer(.yes)
        #expect(await result(of: dialog))
        held = nil
        page.drain()
    }

    @Test(
        "A prompt that is held forever is withdrawn once, when the process or the view ends", arguments: [true, false])
    func withdrawn(_ isProcess: Bool) async throws {
        var held: [EnginePrompt] = []
        var withdrawals = 0
        prompts.onPrompt = {
            $0.onWithdrawal = { withdrawals += 1 }
            held.append($0)
        }
        let dialogs = [Task { await page.confirm("a") }, Task { await page.confirm("b") }]
        try await until { held.count == 2 }
        isProcess ? page.terminateProcess() : prompts.end()
        for dialog in dialogs { #expect(await !result(of: dialog)) }
        #expect(withdrawals == 2)
        for prompt in held { prompt.answer(.yes) }
        prompts.withdrawAll()
        #expect(withdrawals == 2)
        page.drain()
    }

    @Test("After the end of the view, a receiver gets no prompt")
    func ended() async throws {
        prompts.end()
        let list = answer(.yes)
        prompts.answerPrompts(startingWith: "") { $0 }
        await page.alert("a")
        #expect(await !page.confirm("b"))
        #expect(await page.prompt("c", default: "d") == nil)
        #expect(await page.requestCapture(.camera) == .deny)
        let navigation = try setup.navigate("tel:1")
        #expect(await navigation.decide() == .cancel)
        #expect(list.subjects.isEmpty)
        page.drain()
    }

    @Test("Prompts that are released with the receiver, the view and the object are answered")
    func releasedView() async throws {
        var setup: ForwardingDelegate? = ForwardingDelegate()
        var held: EnginePrompt?
        setup?.prompts.onPrompt = { held = $0 }
        weak var prompts: WKWebViewPrompts?
        prompts = setup?.prompts
        let page = setup?.page
        let dialog = Task { await page?.confirm("a") }
        try await until { held != nil }
        setup = nil
        held = nil
        #expect(await result(of: dialog) == false)
        try await until { prompts == nil }
        page?.drain()
    }

    @Test("Prompts with a prefix are answered without a receiver, and the last prefix applies")
    func responder() async {
        let list = answer(.no)
        prompts.answerPrompts(startingWith: "old:") { _ in "old" }
        prompts.answerPrompts(startingWith: "key:") { "\($0)!" }
        #expect(await page.prompt("key:a", default: "b") == "key:a!")
        #expect(await page.prompt("old:a") == nil)
        #expect(list.subjects == [.dialog(.prompt(defaultText: ""), message: "old:a")])
        page.drain()
    }

    @Test("A completion handler is called once, and also if its guard is released")
    func completionGuard() async throws {
        var values: [Int] = []
        do {
            let reply = CompletionGuard(otherwise: 0) { values.append($0) }
            reply.complete(1)
            reply.complete(2)
            #expect(values == [1])
        }
        do { _ = CompletionGuard(otherwise: 3) { values.append($0) } }
        try await until { values.count == 2 }
        #expect(values == [1, 3])
    }

    // MARK: Permissions

    @Test(
        "Each kind of capture is a permission",
        arguments: [
            (.camera, [.camera]), (.microphone, [.microphone]),
            (.cameraAndMicrophone, [.camera, .microphone]),
        ] as [(WKMediaCaptureType, Set<PagePermission>)])
    func capture(_ type: WKMediaCaptureType, _ permissions: Set<PagePermission>) async {
        let list = answer(.yes)
        #expect(await page.requestCapture(type) == .grant)
        #expect(list.subjects == [.permission(permissions, requester: nil)])
        _ = answer(.no)
        #expect(await page.requestCapture(type) == .deny)
        page.drain()
    }

    @Test("The motion of the device is another permission, and the host of a frame is its requester")
    func motion() async throws {
        let list = answer(.yes)
        let navigation = try setup.navigate("https://b.example/", inFrame: true)
        var decisions: [WKPermissionDecision] = []
        await navigation.decide()
        let frames = FrameRecorder()
        setup.view.uiDelegate = frames
        _ = await page.prompt("a", inFrame: true)
        let frame = try #require(frames.frame)
        prompts.requestDeviceMotion(by: frame) { decisions.append($0) }
        #expect(decisions == [.grant])
        #expect(list.subjects == [.permission([.other], requester: frame.securityOrigin.host)])
        prompts.onPrompt = nil
        prompts.requestDeviceMotion(by: frame) { decisions.append($0) }
        #expect(decisions == [.grant, .deny])
    }

    // MARK: Windows

    @Test(
        "A new window is a prompt, and no view",
        arguments: [
            (WKNavigationType.linkActivated, true), (.formSubmitted, true), (.other, false),
        ])
    func window(_ type: WKNavigationType, _ isUserGesture: Bool) throws {
        let list = answer(.yes)
        let request = URLRequest(url: try makeURL("https://a.example/#b"))
        #expect(page.openWindow(request, type: type) == nil)
        #expect(list.subjects == [.newWindow(url: "https://a.example/#b", isUserGesture: isUserGesture)])
    }

    @Test("The close of a window is reported until the view ends")
    func close() {
        var count = 0
        page.closeWindow()
        prompts.onClose = { count += 1 }
        page.closeWindow()
        #expect(count == 1)
        prompts.end()
        page.closeWindow()
        #expect(count == 1)
    }

    // MARK: Navigations

    @Test("Web schemes are not asked about", arguments: ["https", "HTTP", "about", "blob", "data"])
    func webScheme(_ scheme: String) async throws {
        let list = answer(.no)
        #expect(try await setup.navigate("\(scheme):a").decide() == .allow)
        #expect(list.subjects.isEmpty)
    }

    @Test("Other schemes are prompts; without a receiver those of the app are allowed")
    func otherScheme() async throws {
        #expect(try await setup.navigate("tel:1").decide() == .cancel)
        #expect(try await setup.navigate("APP://a.example/").decide() == .allow)
        let list = answer(.yes)
        #expect(try await setup.navigate("tel:1").decide() == .allow)
        #expect(try await setup.navigate("app://a.example/", .other, inFrame: true).decide() == .allow)
        #expect(
            list.subjects == [
                .otherScheme(url: "tel:1", isUserGesture: true),
                .otherScheme(url: "app://a.example/", isUserGesture: false),
            ])
        _ = answer(.no)
        #expect(try await setup.navigate("app://a.example/").decide() == .cancel)
        prompts.onPrompt = { _ in }
        #expect(try await setup.navigate("tel:1").decide() == .cancel)
        page.drain()
    }

    @Test("Main documents are prompts, and are shown without a receiver")
    func document() async throws {
        let shown = try setup.navigate("https://a.example/")
        await shown.run()
        #expect(shown.stage == .ended && page.documentURL?.absoluteString == "https://a.example/")
        let list = answer(.no)
        let refused = try setup.navigate("https://b.example/")
        await refused.run()
        #expect(page.documentURL?.absoluteString == "https://a.example/")
        #expect(list.subjects == [.document(url: "https://b.example/")])
        let frame = try setup.navigate("https://c.example/", inFrame: true)
        await frame.decide()
        let response = URLResponse(
            url: try makeURL("https://c.example/"), mimeType: "text/html", expectedContentLength: 0,
            textEncodingName: nil)
        #expect(await frame.respond(response) == .allow)
        #expect(list.subjects.count == 1)
        page.drain()
    }

    @Test("A gesture belongs to the last navigation, without its fragment")
    func gesture() async throws {
        #expect(!prompts.isUserGesture(for: ""))
        await (try setup.navigate("https://a.example/#b")).decide()
        #expect(prompts.isUserGesture(for: "https://a.example/#c"))
        #expect(!prompts.isUserGesture(for: "https://a.example/d"))
        await (try setup.navigate("https://a.example/", .other)).decide()
        #expect(!prompts.isUserGesture(for: "https://a.example/"))
    }
}

/// A delegate that records the frame of a `prompt` dialog.
@MainActor
private final class FrameRecorder: NSObject, WKUIDelegate {
    private(set) var frame: WKFrameInfo?
    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
    ) -> WKWebView? { nil }
    func webViewDidClose(_ webView: WKWebView) {}
    func webView(
        _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable () -> Void
    ) { completionHandler() }
    func webView(
        _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable (Bool) -> Void
    ) { completionHandler(false) }
    func webView(
        _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (String?) -> Void
    ) {
        self.frame = frame
        completionHandler(nil)
    }
    func webView(
        _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
        initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
        decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
    ) { decisionHandler(.deny) }
}
