// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
@_spi(Driver) import WebKit

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct NavigationTests {
    private let all = ["action", "start", "response", "commit", "finish"]

    @Test func loadsADocumentOfTheHandler() async throws {
        let setup = Setup()
        setup.handler.onStart = { task in
            task.didReceive(response())
            task.didReceive(Data("a".utf8))
            task.didFinish()
        }
        var ended = false
        setup.page.onNavigation = {
            await $0.run()
            ended = true
        }
        let navigation = setup.view.load(request("app://a.example/"))
        #expect(navigation != nil && setup.view.isLoading && setup.view.url == url("app://a.example/"))
        try await until { ended }
        #expect(setup.delegate.calls == all)
        #expect(!setup.view.isLoading && setup.view.estimatedProgress == 1)
        #expect(setup.page.tasks.count == 1)
        #expect(setup.delegate.actions[0].navigationType == .other)
        #expect(setup.delegate.actions[0].targetFrame?.isMainFrame == true)
    }

    @Test func failsBeforeAndAfterTheCommit() async {
        let setup = Setup()
        setup.handler.onStart = { $0.didFailWithError(URLError(.badServerResponse)) }
        await setup.page.navigate(request("app://a.example/")).run()
        #expect(setup.delegate.calls == ["action", "start", "failProvisional"])
        setup.delegate.calls = []
        setup.handler.onStart = { task in
            task.didReceive(response())
            task.didFailWithError(URLError(.networkConnectionLost))
        }
        await setup.page.navigate(request("app://a.example/")).run()
        #expect(setup.delegate.calls == ["action", "start", "response", "commit", "fail"])
        #expect(
            setup.delegate.errors.compactMap { ($0 as? URLError)?.code } == [
                .badServerResponse, .networkConnectionLost,
            ])
    }

    @Test func cancelsByPolicy() async {
        let setup = Setup()
        setup.delegate.onAction = { $1(.cancel) }
        await setup.navigation().run()
        #expect(setup.delegate.calls == ["action"])
        setup.delegate.onAction = { $1(.allow) }
        setup.delegate.onResponse = { $1(.cancel) }
        setup.delegate.calls = []
        await setup.navigation().run()
        #expect(setup.delegate.calls == ["action", "start", "response", "failProvisional"])
        let error = setup.delegate.errors.last as? NSError
        #expect(error?.domain == "WebKitErrorDomain" && error?.code == 102)
        #expect(setup.view.backForwardList.currentItem == nil)
    }

    @Test func passesTheActionOfAFrame() async {
        let setup = Setup()
        let navigation = setup.page.navigate(request("app://b.example/"), type: .formSubmitted, inFrame: true)
        await navigation.decide()
        await navigation.respond(response(), canShow: false)
        #expect(setup.delegate.calls == ["action", "response"])
        #expect(setup.delegate.actions[0].targetFrame?.isMainFrame == false)
        #expect(setup.delegate.actions[0].navigationType == .formSubmitted)
        #expect(!setup.view.isLoading)
    }

    @Test func scrollsToAFragment() async {
        let setup = Setup()
        setup.view.load(request("https://a.example/"))
        await setup.page.navigation?.run()
        setup.view.load(request("https://a.example/#1"))
        await setup.page.navigation?.run()
        #expect(setup.delegate.calls == all + ["action"] && setup.view.url == url("https://a.example/#1"))
        #expect(!setup.view.isLoading && setup.view.backForwardList.currentItem?.url == setup.view.url)
        // The same URL is loaded again.
        setup.view.load(request("https://a.example/#1"))
        await setup.page.navigation?.run()
        #expect(setup.delegate.calls == all + ["action"] + all && setup.view.backForwardList.backList.count == 1)
    }

    @Test func replacesAProvisionalNavigation() async {
        let setup = Setup()
        setup.view.load(request("app://a.example/"))
        let first = setup.page.navigation
        await first?.decide()
        first?.start()
        setup.view.load(request("https://b.example/"))
        #expect(setup.delegate.calls == ["action", "start"])
        await setup.page.navigation?.run()
        #expect(setup.delegate.calls == ["action", "start", "action", "failProvisional"] + all.dropFirst())
        #expect((setup.delegate.errors.first as? URLError)?.code == .cancelled)
        #expect(setup.handler.stopped.count == 1)
        #expect(setup.view.url == url("https://b.example/"))
    }

    @Test func replacesACommittedNavigation() async {
        let setup = Setup()
        let first = setup.navigation()
        await first.decide()
        first.start()
        first.commit()
        let second = setup.page.navigate(request("https://b.example/"))
        #expect(setup.view.url == url("https://a.example/"))
        await second.run()
        #expect(setup.delegate.calls == ["action", "start", "commit", "action", "fail"] + all.dropFirst())
        #expect(!setup.view.isLoading)
    }

    @Test func continuesIfItsSuccessorIsCancelled() async {
        let setup = Setup()
        let first = setup.navigation()
        await first.decide()
        first.start()
        setup.delegate.onAction = { $1(.cancel) }
        await setup.page.navigate(request("https://b.example/")).run()
        #expect(setup.page.navigation === first && setup.view.isLoading)
        first.commit()
        first.finish()
        #expect(setup.delegate.calls == ["action", "start", "action", "commit", "finish"])
    }

    @Test func dropsANavigationThatHasNotStarted() async {
        let setup = Setup()
        setup.view.load(request("https://a.example/"))
        let first = setup.page.navigation
        setup.view.load(request("https://b.example/"))
        await first?.run()
        #expect(setup.delegate.calls.isEmpty)
    }

    @Test func stopsALoad() async throws {
        let setup = Setup()
        let navigation = setup.page.navigate(request("app://a.example/"))
        await navigation.decide()
        navigation.start()
        setup.view.stopLoading()
        #expect(setup.delegate.calls == ["action", "start"])
        try await until { !setup.view.isLoading }
        #expect(setup.delegate.calls == ["action", "start", "failProvisional"])
        #expect(setup.handler.stopped.count == 1)
        #expect(!setup.view.isLoading)
    }

    @Test func redirects() async {
        let setup = Setup()
        let navigation = setup.navigation()
        await navigation.decide()
        navigation.start()
        navigation.redirect(to: url("https://b.example/"))
        navigation.commit()
        navigation.finish()
        #expect(setup.delegate.calls == ["action", "start", "redirect", "commit", "finish"])
        #expect(setup.view.backForwardList.currentItem?.url == url("https://b.example/"))
    }

    @Test func keepsTheBackForwardList() async {
        let setup = Setup()
        let list = setup.view.backForwardList
        #expect(setup.view.goBack() == nil && setup.view.reload() == nil)
        for path in ["a", "b", "c"] { await setup.page.navigate(request("https://a.example/\(path)")).run() }
        setup.page.title = "C"
        #expect(list.currentItem?.title == "C" && setup.view.title == "C")
        #expect(list.backList.map(\.url.path) == ["/a", "/b"])
        setup.view.goBack()
        await setup.page.navigation?.run()
        #expect(list.forwardItem?.title == "C" && setup.view.title == nil)
        #expect(setup.delegate.actions.last?.navigationType == .backForward)
        #expect(setup.view.canGoBack && setup.view.canGoForward && list.currentItem?.url.path == "/b")
        setup.view.reload()
        await setup.page.navigation?.run()
        #expect(setup.delegate.actions.last?.navigationType == .reload)
        #expect(list.forwardList.map(\.url.path) == ["/c"])
        if let item = list.item(at: -1) { setup.view.go(to: item) }
        await setup.page.navigation?.run()
        await setup.page.navigate(request("https://a.example/d")).run()
        #expect(list.backList.map(\.url.path) == ["/a"] && list.currentItem?.url.path == "/d")
        #expect(list.forwardItem == nil)
    }

    @Test func loadsSimulatedRequests() async {
        let setup = Setup()
        setup.view.loadSimulatedRequest(request("app://a.example/"), responseHTML: "<p>")
        let navigation = setup.page.navigation
        await navigation?.run()
        #expect(setup.delegate.calls == all)
        #expect(setup.handler.started.isEmpty)
        #expect(navigation?.simulated?.data == Data("<p>".utf8))
        #expect(setup.view.backForwardList.currentItem?.url == url("app://a.example/"))
        setup.view.loadHTMLString("<b>", baseURL: nil)
        await setup.page.navigation?.run()
        #expect(setup.view.url == url("about:blank"))
        #expect(setup.view.backForwardList.currentItem?.url == url("app://a.example/"))
        #expect(!setup.view.canGoBack)
    }

    @Test func endsTheProcess() async {
        let setup = Setup()
        await setup.page.navigate(request("https://a.example/")).run()
        _ = setup.startTask()
        setup.page.title = "A"
        setup.page.terminateProcess()
        #expect(setup.delegate.calls.last == "terminate")
        #expect(setup.view.url == nil && setup.view.title == nil)
        #expect(setup.handler.stopped.count == 1)
        setup.view.reload()
        await setup.page.navigation?.run()
        #expect(setup.view.url == url("https://a.example/"))
    }

    @Test func doesNotRetainDelegates() {
        let view = WKWebView(frame: .zero, configuration: WKWebViewConfiguration())
        view.navigationDelegate = RecordingDelegate()
        view.uiDelegate = RecordingDelegate()
        #expect(view.navigationDelegate == nil && view.uiDelegate == nil)
    }

    @Test func asksForCredentials() async {
        let setup = Setup()
        setup.delegate.onChallenge = { $0(.useCredential, URLCredential(user: "a", password: "b", persistence: .none)) }
        let (disposition, credential) = await setup.page.challenge(challenge())
        #expect(disposition == .useCredential && credential?.user == "a")
    }
}
