// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
@_spi(Driver) import WebKit

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct SchemeTaskTests {
    @Test func collectsTheResponse() async {
        let setup = Setup()
        let task = setup.startTask()
        #expect(task.request.url == url("app://a.example/data"))
        task.didReceive(response())
        task.didReceive(response("app://a.example/second"))
        task.didReceive(Data("ab".utf8))
        task.didReceive(Data("c".utf8))
        task.didFinish()
        let received = setup.page.tasks[0]
        #expect(received.responses.map(\.url) == [url("app://a.example/"), url("app://a.example/second")])
        #expect(received.data == Data("abc".utf8))
        guard case .finished = received.end else { return #expect(Bool(false), "not finished") }
        setup.page.stop(received)
        #expect(setup.handler.stopped.isEmpty)
    }

    @Test func failsBeforeAResponse() {
        let setup = Setup()
        setup.startTask().didFailWithError(URLError(.timedOut))
        guard case .failed(let error) = setup.page.tasks[0].end else { return #expect(Bool(false), "not failed") }
        #expect((error as? URLError)?.code == .timedOut)
    }

    @Test func stopsOnce() {
        let setup = Setup()
        let task = setup.startTask()
        setup.page.stop(setup.page.tasks[0])
        setup.page.stop(setup.page.tasks[0])
        #expect(setup.handler.stopped.count == 1)
        #expect(setup.handler.stopped.first === task)
    }

    @Test func stopsTasksOfAReleasedView() {
        let handler = RecordingHandler()
        let configuration = WKWebViewConfiguration()
        configuration.setURLSchemeHandler(handler, forURLScheme: "app")
        weak var released: WKWebView?
        do {
            let view = WKWebView(frame: .zero, configuration: configuration)
            released = view
            view.page.startTask(request("app://a.example/"))
        }
        #expect(released == nil)
        #expect(handler.stopped.count == 1)
    }

    @Test func copiesTheConfiguration() {
        let configuration = WKWebViewConfiguration()
        let view = WKWebView(frame: .zero, configuration: configuration)
        configuration.setURLSchemeHandler(RecordingHandler(), forURLScheme: "app")
        view.configuration.setURLSchemeHandler(RecordingHandler(), forURLScheme: "app")
        #expect(view.configuration.urlSchemeHandler(forURLScheme: "app") == nil)
        #expect(view.page.startTask(request("app://a.example/")) == nil)
        #expect(configuration.urlSchemeHandler(forURLScheme: "App") != nil)
        #expect(view.configuration.userContentController === configuration.userContentController)
        #expect(view.configuration.websiteDataStore === configuration.websiteDataStore)
        #expect(configuration.copy() as? WKWebViewConfiguration !== configuration)
    }

    @Test func knowsNativeSchemes() {
        #expect(WKWebView.handlesURLScheme("https"))
        #expect(WKWebView.handlesURLScheme("Blob"))
        #expect(!WKWebView.handlesURLScheme("app"))
    }
}
