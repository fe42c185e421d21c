// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ResourceLoading
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct EngineTests {
    private let refuse: SchemeHandler = { _, sink in SchemeTaskDelivery.refusal(to: sink, "refused") }

    @Test(arguments: ["https", "about", "blob", "ws", "", "1a", "App", "a_b", "a b", "ä"])
    func refusesSchemes(_ name: String) throws {
        let engine = WKWebViewEngine()
        let error = #expect(throws: EngineError.self) {
            try engine.register(CustomScheme(name: name, isSecure: true), handler: refuse)
        }
        #expect(error?.code == .schemeTaken && error?.location == name)
        _ = try engine.makeView()
    }

    @Test func replacesHandlers() async throws {
        let fixture = try Fixture(["app": refuse])
        var count = 0
        try fixture.engine.register(CustomScheme(name: "app", isSecure: true)) { _, sink in
            count += 1
            return SchemeTaskDelivery.refusal(to: sink, "refused")
        }
        let task = try #require(fixture.page.startTask(request("app://a.example/")))
        await task.waitForEnd()
        #expect(count == 1)
        let error = #expect(throws: EngineError.self) {
            try fixture.engine.register(CustomScheme(name: "app", isSecure: false), handler: refuse)
        }
        #expect(error?.code == .schemeTaken)
    }

    @Test func registersSchemesInEachView() throws {
        let engine = WKWebViewEngine()
        try engine.register(CustomScheme(name: "app", isSecure: true), handler: refuse)
        try engine.register(CustomScheme(name: "app-http", isSecure: false), handler: refuse)
        for _ in 0..<2 {
            let configuration = try #require(engine.makeView().webView?.configuration)
            #expect(configuration.urlSchemeHandler(forURLScheme: "app") != nil)
            #expect(configuration.urlSchemeHandler(forURLScheme: "app-http") != nil)
            #expect(configuration.websiteDataStore === engine.dataStore)
        }
    }

    @Test func numbersItsViews() throws {
        let engine = WKWebViewEngine()
        let first = try engine.makeView()
        let second = try engine.makeView()
        #expect(first.id.rawValue == 1 && second.id.rawValue == 2)
        #expect(first.webView.flatMap { engine.view(of: $0) } === first)
        #expect(engine.name.hasPrefix("WKWebView ") && WKWebViewEngine.standardMode == .document)
    }

    @Test func failsRequestsAfterItsEnd() async throws {
        var engine: WKWebViewEngine? = WKWebViewEngine()
        try engine?.register(CustomScheme(name: "app", isSecure: true), handler: refuse)
        let view = try #require(try engine?.makeView())
        weak var released: WKWebViewEngine?
        released = engine
        engine = nil
        #expect(released == nil)
        let task = try #require(view.webView?.page.startTask(request("app://a.example/")))
        guard case .failed = task.end else { return #expect(Bool(false), "not failed") }
        await #expect(throws: EngineError.self) { _ = try await view.reset() }
    }

    @Test func releasesItsViews() async throws {
        weak var released: WKWebViewView?
        weak var web: WKWebView?
        let engine = WKWebViewEngine()
        try engine.register(CustomScheme(name: "app", isSecure: true), handler: refuse)
        do {
            let view = try engine.makeView()
            view.onSignal = { _ in }
            (released, web) = (view, view.webView)
            try view.setMessageHandler(named: "a", in: .page) { _ in "null" }
            view.add(UserScript("1", at: .documentStart))
            view.answerNavigations { _ in nil }
            view.load("https://a.example/")
        }
        try await until { released == nil && web == nil }
    }

    @Test func removesEverythingWithADiscardedView() async throws {
        let fixture = try Fixture()
        try fixture.view.setMessageHandler(named: "a", in: .page) { _ in "null" }
        try fixture.view.setMessageHandler(named: "a", in: .isolated(name: "b")) { _ in "null" }
        fixture.view.add(UserScript("1", at: .documentStart))
        try await fixture.view.setContentRules(#"[{"trigger":{"url-filter":"a"},"action":{"type":"block"}}]"#)
        let controller = fixture.web.configuration.userContentController
        #expect(controller.userScripts.count == 1 && controller.contentRuleLists.count == 1)
        fixture.view.discard()
        fixture.view.discard()
        #expect(controller.userScripts.isEmpty && controller.contentRuleLists.isEmpty)
        #expect(fixture.view.hasEnded && !fixture.view.isAlive && fixture.view.webView == nil)
        for world in [WKContentWorld.page, .world(name: "b")] {
            guard case .noHandler = await fixture.page.post("x", to: "a", in: world) else {
                return #expect(Bool(false), "a handler is left")
            }
        }
        #expect(fixture.web.navigationDelegate == nil && fixture.web.uiDelegate == nil)
        fixture.view.load("https://a.example/")
        #expect(fixture.view.lastLoad == nil)
        let error = await #expect(throws: EngineError.self) { try await fixture.view.evaluate("1", in: .page) }
        #expect(error?.code == .processEnded)
        try await until { !fixture.web.isLoading }
        #expect(fixture.web.url == url("about:blank") && fixture.signals.isEmpty)
    }

    @Test func resetsToANewView() async throws {
        let fixture = try Fixture()
        try await fixture.open("https://a.example/")
        fixture.view.add(UserScript("1", at: .documentStart))
        #expect(try await fixture.view.residualState().isSuperset(of: [.history, .document, .scripts, .delegates]))
        let reset = Task { try await fixture.view.reset() }
        // The page of the new view is the test's to run.
        try await until { fixture.engine.lastView !== fixture.view }
        let successor = try #require(fixture.engine.lastView)
        try await until { successor.webView?.page.navigation != nil }
        await successor.webView?.page.navigation?.run()
        let view = try await result(of: reset)
        #expect(view === successor && view.id != fixture.view.id && fixture.view.hasEnded && view.isAlive)
        #expect(try await view.residualState().isEmpty)
    }

    @Test("A reset that fails has discarded the new view", arguments: [true, false])
    func discardsTheViewOfAFailedReset(isProcess: Bool) async throws {
        let fixture = try Fixture()
        let reset = Task { try await fixture.view.reset() }
        try await until { fixture.engine.lastView !== fixture.view }
        let successor = try #require(fixture.engine.lastView)
        let page = try #require(successor.webView?.page)
        try await until { page.navigation != nil }
        let navigation = try #require(page.navigation)
        if isProcess {
            page.terminateProcess()
        } else {
            await navigation.decide()
            navigation.start()
            navigation.fail(URLError(.cannotConnectToHost))
        }
        let error = await #expect(throws: (any Error).self) { _ = try await result(of: reset) }
        #expect(isProcess ? error is ViewProcessEnded : (error as? EngineError)?.code == .cannotConnect)
        #expect(successor.hasEnded && fixture.view.hasEnded)
    }

    @Test func reportsAReceiverOfForms() async throws {
        let view = try WKWebViewEngine().makeView()
        view.holdForms { _ in nil }
        var state: Set<ResidualState>?
        // The limit of five seconds may expire on a busy machine.
        while state == nil, !Task.isCancelled { state = try? await view.residualState() }
        #expect(state == [.delegates])
    }

    @Test func reportsTheEndOfTheProcessInAReset() async throws {
        let fixture = try Fixture()
        fixture.page.terminateProcess()
        await #expect(throws: ViewProcessEnded.self) { _ = try await fixture.view.reset() }
        await #expect(throws: ViewProcessEnded.self) { _ = try await fixture.view.residualState() }
    }

    @Test func declaresTraits() {
        let plain = WKWebViewEngine.traits(in: .plain, acceptLanguage: "de")
        #expect(plain.preflights && plain.keepsCookies && plain.acceptLanguage == nil && !plain.identifiesPage)
        #expect(WKWebViewEngine.traits(in: .loopbackProxy, acceptLanguage: "de") == plain)
        let document = WKWebViewEngine.traits(in: .document, acceptLanguage: "de")
        #expect(document.keepsCookies && !document.decodes && document.acceptLanguage == "de")
        let scheme = WKWebViewEngine.traits(in: .customScheme, acceptLanguage: "de")
        #expect(scheme.bodies == .plain && !scheme.followsRedirects && !scheme.keepsCookies && scheme.identifiesPage)
        #expect(WKWebViewEngine.acceptLanguage(of: ["de-CH", "fr"]) == "de-CH,de;q=0.9")
        #expect(WKWebViewEngine.acceptLanguage(of: ["de"]) == "de")
        #expect(WKWebViewEngine.acceptLanguage(of: []) == nil)
        #expect(WKWebViewEngine.acceptLanguage(of: ["a\r\nb"]) == nil)
    }
}

extension WKWebViewEngine {
    /// The view that was created last.
    fileprivate var lastView: WKWebViewView? { openViews.last }
}
