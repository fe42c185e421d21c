// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
@_spi(Driver) import WebKit

/// Each misuse ends the process, and the error output names the rule.
@Suite(.timeLimit(.minutes(2)))
struct MisuseTests {
    private func expect(_ result: ExitTest.Result?, names rule: String) {
        let output = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(output.contains("Fatal error: \(rule)"), "\(output.prefix(200))")
    }

    // MARK: Scheme tasks

    @Test func callAfterStop() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            let task = setup.startTask()
            setup.page.stop(setup.page.tasks[0])
            task.didReceive(response())
        }
        expect(result, names: "a URL scheme task was called after it was stopped")
    }

    @Test func callInsideStop() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let configuration = WKWebViewConfiguration()
            let handler = FinishingHandler()
            configuration.setURLSchemeHandler(handler, forURLScheme: "app")
            let view = WKWebView(frame: .zero, configuration: configuration)
            view.page.startTask(request("app://a.example/"))
            view.page.stop(view.page.tasks[0])
        }
        expect(result, names: "a URL scheme task was called after it was stopped")
    }

    @Test func callAfterFinish() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            let task = setup.startTask()
            task.didReceive(response())
            task.didFinish()
            task.didFinish()
        }
        expect(result, names: "a URL scheme task was called after it was completed")
    }

    @Test func callAfterFailure() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            let task = setup.startTask()
            task.didFailWithError(URLError(.timedOut))
            task.didReceive(response())
        }
        expect(result, names: "a URL scheme task was called after it was completed")
    }

    @Test func dataBeforeResponse() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.startTask().didReceive(Data("a".utf8))
        }
        expect(result, names: "a URL scheme task received data before a response")
    }

    @Test func finishBeforeResponse() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.startTask().didFinish()
        }
        expect(result, names: "a URL scheme task finished before a response")
    }

    @Test func responseAfterData() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            let task = setup.startTask()
            task.didReceive(response())
            task.didReceive(Data("a".utf8))
            task.didReceive(response())
        }
        expect(result, names: "a URL scheme task received a response after data")
    }

    @Test func taskOffMain() async {
        await #expect(processExitsWith: .failure) {
            let task = await MainActor.run { UncheckedTask(task: Setup().startTask()) }
            await Task.detached { task.task.didReceive(response()) }.value
        }
    }

    @Test func configurationOffMain() async {
        await #expect(processExitsWith: .failure) {
            await Task.detached { _ = WKWebViewConfiguration() }.value
        }
    }

    // MARK: Configuration

    @Test func secondHandler() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let configuration = WKWebViewConfiguration()
            configuration.setURLSchemeHandler(RecordingHandler(), forURLScheme: "app")
            configuration.setURLSchemeHandler(RecordingHandler(), forURLScheme: "APP")
        }
        expect(result, names: "the URL scheme 'app' already has a handler")
    }

    @Test(arguments: ["https", "http", "file", "about", "data", "blob", "javascript", "ws", "HTTPS"])
    func nativeScheme(_ scheme: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            @MainActor [scheme] in
            WKWebViewConfiguration().setURLSchemeHandler(RecordingHandler(), forURLScheme: scheme)
        }
        expect(result, names: "'\(scheme)' is a URL scheme of WebKit itself")
    }

    @Test(arguments: ["", "1a", "a b", "a_b", "ä", "a:"])
    func invalidScheme(_ scheme: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            @MainActor [scheme] in
            WKWebViewConfiguration().setURLSchemeHandler(RecordingHandler(), forURLScheme: scheme)
        }
        expect(result, names: "'\(scheme)' is not a valid URL scheme")
    }

    @Test func sameMessageHandler() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let controller = WKUserContentController()
            controller.addScriptMessageHandler(MessageHandler(), contentWorld: .world(name: "w"), name: "a")
            controller.add(MessageHandler(), contentWorld: .world(name: "w"), name: "a")
        }
        expect(result, names: "the world already has a script message handler named 'a'")
    }

    // MARK: Completion handlers

    @Test func actionPolicyTwice() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.delegate.onAction = {
                $1(.allow); $1(.allow)
            }
            await setup.navigation().decide()
        }
        expect(result, names: "the completion handler of decidePolicyFor navigationAction was called twice")
    }

    @Test func actionPolicyDropped() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.delegate.onAction = { _, _ in }
            await setup.navigation().decide()
        }
        expect(result, names: "the completion handler of decidePolicyFor navigationAction was released without a call")
    }

    @Test func actionPolicyNever() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            var held: [Any] = []
            setup.delegate.onAction = { held.append($1) }
            let navigation = setup.navigation()
            let decision = Task { await navigation.decide() }
            while held.isEmpty { await Task.yield() }
            setup.page.drain()
            _ = await decision.value
        }
        expect(result, names: "the completion handler of decidePolicyFor navigationAction was never called")
    }

    @Test func responsePolicyDropped() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.delegate.onResponse = { _, _ in }
            await setup.navigation().run()
        }
        expect(result, names: "the completion handler of decidePolicyFor navigationResponse was released without")
    }

    @Test func challengeDropped() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.delegate.onChallenge = { _ in }
            _ = await setup.page.challenge(challenge())
        }
        expect(result, names: "the completion handler of didReceive challenge was released without a call")
    }

    @Test func alertDropped() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.delegate.onAlert = { _ in }
            await setup.page.alert("a")
        }
        expect(result, names: "the completion handler of runJavaScriptAlertPanelWithMessage was released")
    }

    @Test func confirmTwice() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.delegate.onConfirm = {
                $0(true); $0(false)
            }
            _ = await setup.page.confirm("a")
        }
        expect(result, names: "the completion handler of runJavaScriptConfirmPanelWithMessage was called twice")
    }

    @Test func promptDropped() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.delegate.onPrompt = { _, _, _ in }
            _ = await setup.page.prompt("a")
        }
        expect(result, names: "the completion handler of runJavaScriptTextInputPanelWithPrompt was released")
    }

    @Test func captureTwice() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.delegate.onCapture = {
                $0(.deny); $0(.grant)
            }
            _ = await setup.page.requestCapture(.camera)
        }
        expect(result, names: "the completion handler of requestMediaCapturePermissionFor origin was called twice")
    }

    @Test func destinationDropped() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.delegate.onAction = { $1(.download) }
            setup.delegate.onDestination = { _ in }
            let navigation = setup.navigation()
            await navigation.decide()
            _ = await navigation.download?.respond(response(), suggestedFilename: "a")
        }
        expect(result, names: "the completion handler of decideDestinationUsing response was released without a call")
    }

    @Test func windowOfAnotherConfiguration() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let setup = Setup()
            setup.delegate.onWindow = { _ in WKWebView(frame: .zero, configuration: setup.view.configuration) }
            _ = setup.page.openWindow(request("https://a.example/"))
        }
        expect(result, names: "createWebViewWith returned a view that was not created with the given configuration")
    }

    @Test func messageReplyTwice() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let (setup, handler) = (Setup(), MessageHandler())
            setup.view.configuration.userContentController.addScriptMessageHandler(
                handler, contentWorld: .page, name: "a")
            handler.onReply = {
                $1(nil, nil); $1(nil, "b")
            }
            _ = await setup.page.post("", to: "a")
        }
        expect(result, names: "the completion handler of didReceive message was called twice")
    }

    @Test func messageReplyDropped() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let (setup, handler) = (Setup(), MessageHandler())
            setup.view.configuration.userContentController.addScriptMessageHandler(
                handler, contentWorld: .page, name: "a")
            handler.onReply = { _, _ in }
            _ = await setup.page.post("", to: "a")
        }
        expect(result, names: "the completion handler of didReceive message was released without a call")
    }
}

/// A handler that finishes a task which is being stopped.
@MainActor
private final class FinishingHandler: NSObject, WKURLSchemeHandler {
    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {}
    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
        urlSchemeTask.didFailWithError(URLError(.cancelled))
    }
}

/// Unchecked: the misuse that the test makes is the use off the main actor.
private struct UncheckedTask: @unchecked Sendable {
    let task: any WKURLSchemeTask
}
