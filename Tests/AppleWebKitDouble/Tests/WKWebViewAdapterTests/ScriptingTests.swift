// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ScriptingTests {
    private let a = "https://a.example/"

    // MARK: Evaluation

    @Test func evaluates() async throws {
        let fixture = try Fixture()
        var scripts: [PageScript] = []
        fixture.page.onScript = { script in
            scripts.append(script)
            return ["a": NSNull(), "b": [true, 1.5]] as [String: Any]
        }
        #expect(try await fixture.view.evaluate("return x", in: .page) == #"{"a":null,"b":[true,1.5]}"#)
        _ = try await fixture.view.evaluate("return y", in: .isolated(name: "w"))
        #expect(scripts.map(\.functionBody) == ["return x", "return y"])
        #expect(scripts[0].world === WKContentWorld.page && scripts[1].world === WKContentWorld.world(name: "w"))
    }

    @Test func mapsErrorsOfScripts() async throws {
        let fixture = try Fixture()
        let errors: [(WKError, EngineError.Code)] = [
            (WKError(.javaScriptExceptionOccurred, exception: "TypeError:\nx"), .script),
            (WKError(.javaScriptResultTypeIsUnsupported), .script), (WKError(.webViewInvalidated), .processEnded),
            (WKError(.webContentProcessTerminated), .processEnded),
        ]
        for (thrown, code) in errors {
            fixture.page.onScript = { _ in throw thrown }
            let error = await #expect(throws: EngineError.self) { try await fixture.view.evaluate("x", in: .page) }
            #expect(error?.code == code)
            if code == .script, thrown.code == .javaScriptExceptionOccurred {
                #expect(error?.message == "TypeError: x")
            }
        }
    }

    /// A promise that never settles must not keep a call.
    @Test func endsCallsWithTheirPage() async throws {
        let fixture = try Fixture()
        let (starts, start) = AsyncStream<Void>.makeStream()
        fixture.page.onScript = { _ in
            start.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return nil
        }
        var started = starts.makeAsyncIterator()
        func call() -> Task<String, any Error> { Task { try await fixture.view.evaluate("x", in: .page) } }
        let replaced = call()
        _ = await started.next()
        try await fixture.open(a)
        #expect(await error(of: replaced)?.code == .pageGone)
        let cancelled = call()
        _ = await started.next()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { _ = try await result(of: cancelled) }
        let killed = call()
        _ = await started.next()
        fixture.page.terminateProcess()
        #expect(await error(of: killed)?.code == .processEnded)
        try await fixture.open(a)
        let discarded = call()
        _ = await started.next()
        fixture.view.discard()
        #expect(await error(of: discarded)?.code == .processEnded)
    }

    private func error(of task: Task<String, any Error>) async -> EngineError? {
        do { _ = try await result(of: task) } catch { return error as? EngineError }
        return nil
    }

    // MARK: Values

    @Test func writesJSON() throws {
        let values: [(Any?, String)] = [
            (nil, "null"), (Optional<Any>.none as Any, "null"), (NSNull(), "null"), (true, "true"), (false, "false"),
            (NSNumber(value: true), "true"), (NSNumber(value: 1), "1"), (NSNumber(value: 0), "0"), (1, "1"),
            (NSNumber(value: 1.0), "1"), (-0.0, "0"), (0.1, "0.1"), (1e21, "1e+21"), (Double.nan, "null"),
            (Double.infinity, "null"), (NSNumber(value: Double.nan), "null"),
            (9_007_199_254_740_991, "9007199254740991"),
            ("a\"\\\n\u{1}é\u{2028}", #""a\"\\\n\u0001é\#u{2028}""#), (NSString("x"), #""x""#), ([Any](), "[]"),
            ([String: Any](), "{}"), ([1, nil, "a"] as [Any?], #"[1,null,"a"]"#),
            (["b": 1, "a": [NSNull()]] as [String: Any], #"{"a":[null],"b":1}"#),
            (Date(timeIntervalSince1970: 0), #""1970-01-01T00:00:00.000Z""#),
            (Date(timeIntervalSince1970: 951_782_400.123), #""2000-02-29T00:00:00.123Z""#),
            (Date(timeIntervalSince1970: -1), #""1969-12-31T23:59:59.000Z""#),
            (Date(timeIntervalSince1970: -62_198_755_200), #""-000001-01-01T00:00:00.000Z""#),
            (Date(timeIntervalSince1970: 8.64e12), #""+275760-09-13T00:00:00.000Z""#),
            (Date(timeIntervalSince1970: 8.65e12), "null"), (Date(timeIntervalSince1970: .nan), "null"),
        ]
        for (value, expected) in values {
            #expect(try ScriptValue.json(of: value) == expected, "\(String(describing: value))")
        }
    }

    @Test func limitsValues() {
        var nested: [Any] = []
        for _ in 0..<ScriptValue.depthLimit - 1 { nested = [nested] }
        #expect(throws: Never.self) { try ScriptValue.json(of: nested) }
        #expect(throws: EngineError.self) { try ScriptValue.json(of: [[nested]]) }
        var shared: [Any] = [String(repeating: "x", count: 1000)]
        for _ in 0..<20 { shared = [shared, shared] }
        #expect(throws: EngineError.self) { try ScriptValue.json(of: shared, upTo: 100_000) }
        #expect(throws: EngineError.self) { try ScriptValue.json(of: NSObject()) }
    }

    // MARK: Messages

    @MainActor
    private final class Reply {
        var text: String

        init(_ text: String) { self.text = text }
    }

    @Test func repliesToMessages() async throws {
        let fixture = try Fixture()
        try await fixture.open(a)
        var messages: [ScriptMessage] = []
        let reply = Reply(#"{"a":[1,null]}"#)
        try fixture.view.setMessageHandler(named: "h", in: .page) { message in
            messages.append(message)
            if reply.text == "throw" { throw EngineError(.script, "no") }
            return reply.text
        }
        guard case .value(let value) = await fixture.page.post(["x": true], to: "h") else {
            return #expect(Bool(false), "no value")
        }
        #expect(try ScriptValue.json(of: value) == reply.text)
        #expect(messages == [ScriptMessage(json: #"{"x":true}"#, documentURL: a)])
        reply.text = "null"
        guard case .value(let null) = await fixture.page.post("x", to: "h"), null is NSNull else {
            return #expect(Bool(false), "not null")
        }
        for text in ["", "{", "throw"] {
            reply.text = text
            guard case .error = await fixture.page.post("x", to: "h") else {
                return #expect(Bool(false), "no error for \(text)")
            }
        }
        #expect(fixture.view.pendingHandlers.isEmpty)
        fixture.page.drain()
    }

    @Test func replacesHandlers() async throws {
        let fixture = try Fixture()
        let gate = CallGate()
        gate.close()
        try fixture.view.setMessageHandler(named: "h", in: .page) { _ in
            await gate.pass()
            return "1"
        }
        try fixture.view.setMessageHandler(named: "h", in: .isolated(name: "w")) { _ in "3" }
        let pending = Task { await isRejected(fixture) }
        for await _ in gate.arrivals { break }
        #expect(fixture.view.pendingHandlers == ["h"])
        try fixture.view.setMessageHandler(named: "h", in: .page) { _ in "2" }
        #expect(await result(of: pending))
        gate.open()
        guard case .value(let value) = await fixture.page.post("x", to: "h") else {
            return #expect(Bool(false), "no value")
        }
        #expect(try ScriptValue.json(of: value) == "2" && fixture.view.messageHandlers.count == 2)
        let error = #expect(throws: EngineError.self) {
            try fixture.view.setMessageHandler(named: "", in: .page) { _ in "" }
        }
        #expect(error?.code == .handlerTaken)
        fixture.page.drain()
    }

    @Test func limitsPendingMessages() async throws {
        let fixture = try Fixture()
        try fixture.view.setMessageHandler(named: "h", in: .page) { _ in
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return "1"
        }
        let posts = (0..<MessageHandler.limit).map { _ in Task { await isRejected(fixture) } }
        try await until { fixture.view.messageHandlers[0].pendingCount == MessageHandler.limit }
        guard case .error = await fixture.page.post("x", to: "h") else { return #expect(Bool(false), "accepted") }
        try await fixture.open(a)
        #expect(fixture.view.pendingHandlers.isEmpty)
        fixture.view.discard()
        for post in posts { #expect(await result(of: post)) }
        fixture.page.drain()
    }

    @Test func limitsTheBytesOfPendingMessages() async throws {
        let fixture = try Fixture()
        fixture.view.messageBudget.limit = 100
        let gate = CallGate()
        gate.close()
        var arrivals = gate.arrivals.makeAsyncIterator()
        for name in ["h", "i"] {
            try fixture.view.setMessageHandler(named: name, in: .page) { _ in
                await gate.pass()
                return "1"
            }
        }
        // Two quotation marks make 40 bytes of 38.
        let text = String(repeating: "x", count: 38)
        var posts: [Task<Bool, Never>] = []
        for name in ["h", "i"] {
            posts.append(Task { await isRejected(fixture, text, name) })
            _ = await arrivals.next()
        }
        #expect(fixture.view.messageBudget.used == 80)
        // The limit is that of all handlers together, and of bytes.
        #expect(await isRejected(fixture, text))
        #expect(await isRejected(fixture, String(repeating: "é", count: 10)))
        #expect(fixture.view.messageBudget.used == 80)
        // A handler that does not end has its message after its removal.
        try fixture.view.setMessageHandler(named: "h", in: .page) { _ in "1" }
        #expect(await result(of: posts[0]) && fixture.view.messageBudget.used == 80)
        gate.open()
        #expect(await !result(of: posts[1]))
        try await until { fixture.view.messageBudget.used == 0 }
        // A handler that throws holds its message until it throws.
        try fixture.view.setMessageHandler(named: "i", in: .page) { _ in throw EngineError(.script, "no") }
        #expect(await isRejected(fixture, text, "i"))
        for _ in 0..<50 { await Task.yield() }
        #expect(fixture.view.messageBudget.used == 0)
        #expect(await !isRejected(fixture, text))
        #expect(await isRejected(fixture, String(repeating: "x", count: 99)))
        fixture.page.drain()
    }

    @Test(
        "A message of a frame of another origin does not have the URL of the page",
        arguments: [
            (nil, "https://a.example:8443/x#y"), ("https://a.example:8443/other", "https://a.example:8443/x#y"),
            ("https://a.example/x", "https://a.example"), ("http://a.example:8443/x", "http://a.example:8443"),
            ("https://b.example:8443/", "https://b.example:8443"),
            ("https://a.example:84430/", "https://a.example:84430"), ("https://[::1]:8443/", "https://[::1]:8443"),
            ("data:text/html,x", "null"), ("about:srcdoc", "null"),
        ] as [(String?, String)])
    func namesTheSenders(frame: String?, sender: String) async throws {
        let fixture = try Fixture()
        try await fixture.open("https://a.example:8443/x#y")
        var senders: [String] = []
        try fixture.view.setMessageHandler(named: "h", in: .page) { message in
            senders.append(message.documentURL)
            return "1"
        }
        _ = await fixture.page.post("x", to: "h", inFrame: frame != nil, origin: frame.map { url($0) })
        #expect(senders == [sender])
    }

    @Test("A message of a frame is no pending message of the page", arguments: [true, false])
    func countsMessagesOfThePage(isOfFrame: Bool) async throws {
        let fixture = try Fixture()
        let gate = CallGate()
        gate.close()
        try fixture.view.setMessageHandler(named: "h", in: .page) { _ in
            await gate.pass()
            return "1"
        }
        let post = Task {
            if case .value = await fixture.page.post("x", to: "h", inFrame: isOfFrame) { true } else { false }
        }
        for await _ in gate.arrivals { break }
        #expect(fixture.view.messageHandlers[0].pendingCount == 1)
        #expect(fixture.view.pendingHandlers == (isOfFrame ? [] : ["h"]))
        gate.open()
        #expect(await result(of: post))
        fixture.page.drain()
    }

    private func isRejected(_ fixture: Fixture, _ body: String = "x", _ name: String = "h") async -> Bool {
        if case .error = await fixture.page.post(body, to: name) { true } else { false }
    }

    /// The configuration retains its handlers, so that a handler that retains the view would leak both.
    @Test func repliesAfterTheReleaseOfTheView() async throws {
        let engine = WKWebViewEngine()
        var view: WKWebViewView? = try engine.makeView()
        let web = try #require(view?.webView)
        try view?.setMessageHandler(named: "h", in: .page) { _ in "1" }
        weak var released: WKWebViewView?
        released = view
        view = nil
        #expect(released == nil)
        guard case .error = await web.page.post("x", to: "h") else { return #expect(Bool(false), "no error") }
        #expect(await web.page.navigate(request(a)).decide() == .allow)
        #expect(await !web.page.confirm("?"))
    }

    // MARK: Rules, prompts, scripts

    @Test func replacesContentRules() async throws {
        let fixture = try Fixture()
        let controller = fixture.web.configuration.userContentController
        try await fixture.view.setContentRules(rules("a"))
        let first = controller.contentRuleLists
        try await fixture.view.setContentRules(rules("a"))
        #expect(controller.contentRuleLists == first && first.count == 1)
        try await fixture.view.setContentRules(rules("b"))
        #expect(controller.contentRuleLists.map(\.source) == [rules("b")])
        let error = await #expect(throws: EngineError.self) { try await fixture.view.setContentRules("x") }
        #expect(error?.code == .storage && controller.contentRuleLists.map(\.source) == [rules("b")])
    }

    private func rules(_ filter: String) -> String {
        #"[{"trigger":{"url-filter":"\#(filter)"},"action":{"type":"block"}}]"#
    }

    @Test("The number of lists that WebKit stores is limited, also for several engines")
    func limitsStoredRules() async throws {
        let store = try #require(WKContentRuleListStore.default())
        for fixture in [try Fixture(), try Fixture()] {
            let controller = fixture.web.configuration.userContentController
            for number in 0..<ContentRuleStore.limit + 6 {
                try await fixture.view.setContentRules(rules("number\(number)"))
                await #expect(throws: EngineError.self) { try await fixture.view.setContentRules("x") }
                // A list that is used remains cached.
                try await fixture.view.setContentRules(rules("number0"))
            }
            let used = controller.contentRuleLists
            try await fixture.view.setContentRules(rules("number\(ContentRuleStore.limit + 5)"))
            try await fixture.view.setContentRules(rules("number0"))
            #expect(controller.contentRuleLists == used && used.map(\.source) == [rules("number0")])
        }
        // Other tests have lists of their own.
        #expect(store.sources.keys.count { $0.hasPrefix("containerkit-") } <= ContentRuleStore.limit)
    }

    @Test func appliesTheRulesOfTheLastCall() async throws {
        let store = try #require(WKContentRuleListStore.default())
        let gate = CallGate()
        gate.close()
        let slow = [rules("slow1"), rules("slow2"), rules("slow3")]
        store.beforeResult = { if slow.contains($0) { await gate.pass() } }
        defer { store.beforeResult = nil }
        var arrivals = gate.arrivals.makeAsyncIterator()
        let fixture = try Fixture()
        let controller = fixture.web.configuration.userContentController
        let first = Task { try await fixture.view.setContentRules(slow[0]) }
        _ = await arrivals.next()
        try await fixture.view.setContentRules(rules("last"))
        let other = try Fixture()
        let kept = Task { try await other.view.setContentRules(slow[1]) }
        _ = await arrivals.next()
        await #expect(throws: EngineError.self) { try await other.view.setContentRules("x") }
        let ended = try Fixture()
        let late = Task { try await ended.view.setContentRules(slow[2]) }
        _ = await arrivals.next()
        ended.view.discard()
        gate.open()
        try await result(of: first)
        #expect(controller.contentRuleLists.map(\.source) == [rules("last")])
        // The rules of a later call that were rejected replace none.
        try await result(of: kept)
        #expect(other.web.configuration.userContentController.contentRuleLists.map(\.source) == [slow[1]])
        var error = await #expect(throws: EngineError.self) { try await result(of: late) }
        #expect(error?.code == .processEnded)
        error = await #expect(throws: EngineError.self) { try await ended.view.setContentRules(rules("last")) }
        #expect(error?.code == .processEnded)
        #expect(ended.web.configuration.userContentController.contentRuleLists.isEmpty)
    }

    @Test func answersPrompts() async throws {
        let fixture = try Fixture()
        fixture.view.answerPrompts(startingWith: "ck:") { "answer to \($0)" }
        #expect(await fixture.page.prompt("ck:1", inFrame: true) == "answer to ck:1")
        #expect(await fixture.page.prompt("1") == nil)
        #expect(await !fixture.page.confirm("?"))
        await fixture.page.alert("!")
        #expect(await fixture.page.requestCapture(.camera) == .deny)
        let (disposition, _) = await fixture.page.challenge(challenge())
        #expect(disposition == .performDefaultHandling)
        fixture.page.drain()
    }

    @Test func guardsScriptsByPlaces() {
        let script = UserScript(
            "let x = 1", at: .documentStart, places: ["app://*.a.example/*", "https://b.example/x"])
        #expect(
            script.guardedSource == #"""
                if (((l, p, h) => /^app:\/\/(?:[^/]+\.)?a\.example\/.*$/.test(p+'//'+h+l.pathname) || \#
                /^https:\/\/b\.example\/x$/.test(p+'//'+h+l.pathname))(location, location.protocol, \#
                location.hostname)) {
                let x = 1
                }
                """#)
        #expect(UserScript("x", at: .documentStart).guardedSource == "x")
    }

    private func challenge() -> URLAuthenticationChallenge {
        let space = URLProtectionSpace(
            host: "a.example", port: 443, protocol: "https", realm: nil,
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        return URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: Sender())
    }

    private final class Sender: NSObject, URLAuthenticationChallengeSender {
        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
        func cancel(_ challenge: URLAuthenticationChallenge) {}
        func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
        func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
    }
}
