// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
@_spi(Driver) import WebKit

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ScriptTests {
    @Test func evaluates() async throws {
        let setup = Setup()
        #expect(try await setup.view.callAsyncJavaScript("", contentWorld: .page) == nil)
        setup.page.onScript = { script in
            if script.functionBody == "throw" { throw WKError(.javaScriptExceptionOccurred, exception: "E") }
            return script.world === WKContentWorld.page ? NSNull() : script.arguments["a"]
        }
        #expect(try await setup.view.callAsyncJavaScript("", contentWorld: .page) is NSNull)
        let value = try await setup.view.callAsyncJavaScript(
            "", arguments: ["a": 1], contentWorld: .world(name: "w"))
        #expect(value as? Int == 1)
        let error = await #expect(throws: WKError.self) {
            try await setup.view.callAsyncJavaScript("throw", contentWorld: .page)
        }
        #expect(error?.code == .javaScriptExceptionOccurred)
        #expect(error?.errorUserInfo["WKJavaScriptExceptionMessage"] as? String == "E")
        let result = await withCheckedContinuation { continuation in
            setup.view.callAsyncJavaScript("", in: nil, in: .page) { result in
                continuation.resume(returning: (try? result.get()) is NSNull)
            }
        }
        #expect(result)
    }

    @Test func endsCallsWithTheirDocument() async throws {
        let setup = Setup()
        await setup.navigation().run()
        let ends: [(WKError.Code, @MainActor () async -> Void)] = [
            (.javaScriptExceptionOccurred, { await setup.navigation().run() }),
            (.webContentProcessTerminated, { setup.page.terminateProcess() }),
        ]
        for (code, end) in ends {
            var isRunning = false
            setup.page.onScript = { _ in
                isRunning = true
                try await until { !isRunning }
                return nil
            }
            let call = Task { try await setup.view.callAsyncJavaScript("", contentWorld: .page) == nil }
            try await until { isRunning }
            await end()
            let error = await #expect(throws: WKError.self) { try await call.value }
            #expect(error?.code == code)
            isRunning = false
        }
    }

    @Test func postsMessages() async {
        let setup = Setup()
        let controller = setup.view.configuration.userContentController
        let (replying, silent) = (MessageHandler(), MessageHandler())
        controller.addScriptMessageHandler(replying, contentWorld: .page, name: "a")
        controller.add(silent, contentWorld: .world(name: "w"), name: "a")
        guard case .value(let value) = await setup.page.post(["b": 1], to: "a") else {
            return #expect(Bool(false), "no value")
        }
        #expect((value as? [String: Int]) == ["b": 1])
        guard case .none = await setup.page.post("", to: "a", in: .world(name: "w"), inFrame: true) else {
            return #expect(Bool(false), "a reply")
        }
        #expect(silent.messages[0].frameInfo.isMainFrame == false && silent.messages[0].name == "a")
        #expect(
            silent.messages[0].world === WKContentWorld.world(name: "w") && silent.messages[0].webView === setup.view)
        replying.onReply = { $1(nil, "no") }
        guard case .error("no") = await setup.page.post("", to: "a") else { return #expect(Bool(false), "no error") }
        replying.onReply = { $1(URLError(.cancelled), nil) }
        guard case .error = await setup.page.post("", to: "a") else { return #expect(Bool(false), "a value") }
        controller.removeScriptMessageHandler(forName: "a", contentWorld: .page)
        guard case .noHandler = await setup.page.post("", to: "a") else { return #expect(Bool(false), "a handler") }
        controller.add(replying, name: "a")
        controller.removeAllScriptMessageHandlers()
        guard case .noHandler = await setup.page.post("", to: "a") else { return #expect(Bool(false), "a handler") }
    }

    @Test func retainsMessageHandlers() {
        let controller = WKUserContentController()
        weak var kept: MessageHandler?
        do {
            let handler = MessageHandler()
            kept = handler
            controller.add(handler, name: "a")
        }
        #expect(kept != nil)
        controller.removeScriptMessageHandler(forName: "a")
        #expect(kept == nil)
    }

    @Test func keepsUserScripts() {
        let controller = WKUserContentController()
        controller.addUserScript(
            WKUserScript(source: "a", injectionTime: .atDocumentEnd, forMainFrameOnly: true, in: .defaultClient))
        #expect(controller.userScripts.map(\.source) == ["a"])
        #expect(controller.userScripts[0].world === WKContentWorld.defaultClient)
        controller.removeAllUserScripts()
        #expect(controller.userScripts.isEmpty)
    }

    @Test func compilesContentRules() async throws {
        let store = try #require(WKContentRuleListStore.default())
        let rules = #"[{"trigger": {"url-filter": ".*"}, "action": {"type": "block"}}]"#
        let list = try #require(
            try await store.compileContentRuleList(forIdentifier: "a", encodedContentRuleList: rules))
        let controller = WKUserContentController()
        controller.add(list)
        #expect(controller.contentRuleLists.map(\.source) == [rules])
        controller.remove(list)
        #expect(controller.contentRuleLists.isEmpty)
        for faulty in ["", "{}", #"[{"trigger": {}, "action": {"type": "block"}}]"#] {
            let error = await #expect(throws: WKError.self) {
                try await store.compileContentRuleList(forIdentifier: "a", encodedContentRuleList: faulty)
            }
            #expect(error?.code == .contentRuleListStoreCompileFailed)
        }
    }
}
