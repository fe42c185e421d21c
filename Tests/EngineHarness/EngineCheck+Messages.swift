// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

// Messages from pages.
extension EngineCheck {
    @MainActor
    func checkMessages(_ engine: WebKitGTKEngine) async throws {
        let view = try await page("<p>", in: engine) { view in
            try view.setMessageHandler(named: "echo", in: .page) { message in "{\"got\":\(message.json)}" }
            try view.setMessageHandler(named: "refuse", in: .page) { _ in throw CheckFailure(description: "no thanks") }
        }
        let reply = try await view.evaluate(
            "return await webkit.messageHandlers.echo.postMessage({ a: [1, 'ü'] })", in: .page)
        try expect(reply == #"{"got":{"a":[1,"ü"]}}"#, "reply: \(reply)")
        let refusal = try await view.evaluate(
            "try { await webkit.messageHandlers.refuse.postMessage(1) } catch (error) { return String(error) }",
            in: .page)
        try expect(refusal.contains("no thanks"), "refusal: \(refusal)")
        try view.setMessageHandler(named: "echo", in: .page) { _ in "\"second\"" }
        let again = try await view.evaluate("return await webkit.messageHandlers.echo.postMessage(0)", in: .page)
        try expect(again == "\"second\"", "replaced handler: \(again)")
    }

    /// Checks that a reply that is not JSON rejects the promise, and that the page continues.
    @MainActor
    func checkMessageReplies(_ engine: WebKitGTKEngine) async throws {
        let view = try await page("<p>", in: engine) { view in
            try view.setMessageHandler(named: "raw", in: .page) { message in
                let text = try JSONDecoder().decode(String.self, from: Data(message.json.utf8))
                return text
            }
        }
        for text in ["", "not json", "{\"a\":", "1\\u0000garbage", "undefined", "'a'"] {
            let refusal = try await view.evaluate(
                """
                try { return [await webkit.messageHandlers.raw.postMessage("\(text.replacing("\"", with: "\\\""))")] }
                catch (error) { return String(error) }
                """, in: .page)
            try expect(refusal.contains("not JSON"), "\(text): \(refusal)")
        }
        let reply = try await view.evaluate("return await webkit.messageHandlers.raw.postMessage('[1]')", in: .page)
        try expect(reply == "[1]", "reply: \(reply)")
    }

    /// Checks the limit of pending messages, and that pending messages are cancelled with their view.
    @MainActor
    func checkMessageLimit() async throws {
        var configuration = WebKitGTKEngine.Configuration()
        configuration.messageLimit = 2
        let engine = try WebKitGTKEngine(configuration)
        let (gate, open) = AsyncStream<Void>.makeStream()
        let view = try await page("<p>", in: engine) { view in
            try view.setMessageHandler(named: "slow", in: .page) { _ in
                for await _ in gate { break }
                return "1"
            }
        }
        let third = try await view.evaluate(
            """
            const post = () => webkit.messageHandlers.slow.postMessage(0);
            globalThis.first = [post(), post()];
            try { return [await post()] } catch (error) { return String(error) }
            """, in: .page)
        try expect(third.contains("too many") && third.contains("2"), "third: \(third)")
        open.finish()
        let replies = try await view.evaluate(
            "return [...await Promise.all(first), await webkit.messageHandlers.slow.postMessage(0)]", in: .page)
        try expect(replies == "[1,1,1]", "replies: \(replies)")

        let (starts, start) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Bool>.makeStream()
        try view.setMessageHandler(named: "slow", in: .page) { _ in
            start.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            end.yield(Task.isCancelled)
            return "2"
        }
        let asking = Task {
            try await view.evaluate("return await webkit.messageHandlers.slow.postMessage(0)", in: .page)
        }
        for await _ in starts { break }
        view.discard()
        for await isCancelled in ends {
            try expect(isCancelled, "the handler was not cancelled")
            break
        }
        try await expectError(.processEnded, "evaluate") { _ = try await asking.value }
        try await checkOwedMessages(engine)
    }

    /// Checks that a message without a reply counts for its own document and not for a later document.
    @MainActor
    private func checkOwedMessages(_ engine: WebKitGTKEngine) async throws {
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let view = try await page("<script>webkit.messageHandlers.login.postMessage(0)</script>", in: engine) { view in
            try view.setMessageHandler(named: "login", in: .page) { _ in
                start.yield()
                for await _ in AsyncStream<Void>.makeStream().stream {}
                throw CancellationError()
            }
        }
        for await _ in starts { break }
        try expect(view.pendingHandlers == ["login"], "owed: \(view.pendingHandlers)")
        let load = ViewLoad(of: view)
        view.load("data:text/html,<p>next")
        try await load.finished(within: .seconds(20))
        try expect(view.pendingHandlers.isEmpty, "pending in the next document: \(view.pendingHandlers)")
    }

    /// Checks handler names, worlds and replaced handlers.
    @MainActor
    func checkMessageNames(_ engine: WebKitGTKEngine) async throws {
        let aside = ScriptWorld.isolated(name: "aside")
        let (starts, start) = AsyncStream<Void>.makeStream()
        let view = try await page("<p>", in: engine) { view in
            try view.setMessageHandler(named: "one", in: aside) { _ in
                start.yield()
                for await _ in AsyncStream<Void>.makeStream().stream {}
                return "1"
            }
            try view.setMessageHandler(named: "two", in: .page) { _ in "2" }
        }
        try await expectError(.handlerTaken, "the same name in another world") {
            try view.setMessageHandler(named: "one", in: .page) { _ in "3" }
        }
        try await expectError(.handlerTaken, "no name") {
            try view.setMessageHandler(named: "", in: .page) { _ in "4" }
        }
        let asking = Task {
            try await view.evaluate(
                "try { return [await webkit.messageHandlers.one.postMessage(0)] } catch (error) { return String(error) }",
                in: aside)
        }
        for await _ in starts { break }
        try view.setMessageHandler(named: "one", in: aside) { _ in "5" }
        let replaced = try await asking.value
        try expect(replaced.contains("replaced"), "replaced: \(replaced)")
        let second = try await view.evaluate("return await webkit.messageHandlers.one.postMessage(0)", in: aside)
        try expect(second == "5", "second: \(second)")
        let worlds = try await view.evaluate(
            "return [typeof webkit.messageHandlers.one, await webkit.messageHandlers.two.postMessage(0)]", in: .page)
        try expect(worlds == #"["undefined",2]"#, "worlds: \(worlds)")
        // The current page has the handler immediately.
        try view.setMessageHandler(named: "late", in: .page) { _ in "6" }
        let late = try await view.evaluate("return await webkit.messageHandlers.late.postMessage(0)", in: .page)
        try expect(late == "6", "late: \(late)")
    }

    /// Checks that a message from a page during a navigation has the page's origin, not the origin of the next
    /// document.
    @MainActor
    func checkMessageOrigin(_ engine: WebKitGTKEngine) async throws {
        let site = try SchemeSite(["/page": "<p>"], on: engine)
        let view = try engine.makeView()
        try view.setMessageHandler(named: "origin", in: .page) { "\"\($0.documentURL)\"" }
        let load = ViewLoad(of: view)
        view.load("house://shop/page")
        try await load.finished(within: .seconds(20))
        // The request gets no response, so that the navigation stays pending.
        view.load("house://bank/never")
        try await site.asked(for: "/never")
        let origin = try await view.evaluate("return await webkit.messageHandlers.origin.postMessage(0)", in: .page)
        try expect(origin == "\"house://shop/page\"", "origin: \(origin)")
    }
}
