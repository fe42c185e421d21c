// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

/// A holder that retains a view until `drop()` is called.
private final class Holder: Sendable {
    private let view: Mutex<WebKitGTKView?>

    init(_ view: WebKitGTKView) {
        self.view = Mutex(view)
    }

    func drop() {
        view.withLock { $0 = nil }
    }
}

// Failing loads and ended views.
extension EngineCheck {
    /// Checks the exceptions of a proxy.
    /// - Parameter arguments: The port of a server, and the port of a proxy through which the server is unreachable.
    @MainActor
    func checkProxyExceptions(_ engine: WebKitGTKEngine, _ arguments: [String]) async throws {
        guard arguments.count == 2, let proxy = Int(arguments[1]) else {
            throw CheckFailure(description: "specify two ports")
        }
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: proxy, exceptions: ["exempt.invalid", "127.0.0.1"]))
        let direct = try engine.makeView()
        let load = ViewLoad(of: direct)
        direct.load("http://127.0.0.1:\(arguments[0])/")
        try await load.finished(within: .seconds(20))
        let text = try await direct.evaluate("return document.body.textContent", in: .page)
        try expect(text == "\"the page\"", text)
        let other = try engine.makeView()
        let otherLoad = ViewLoad(of: other)
        other.load("http://localhost:\(arguments[0])/")
        do {
            try await otherLoad.finished(within: .seconds(20))
        } catch is EngineError {
            return
        }
        let status = try await other.evaluate("return document.body.textContent", in: .page)
        try expect(!status.contains("the page"), "went past the proxy")
    }

    /// Checks that a waiting script ends when another page replaces the page, and that the view can be used again.
    @MainActor
    func checkPageGone(_ engine: WebKitGTKEngine) async throws {
        _ = try SchemeSite(["/page": "<p>", "/next": "<title>next</title>"], on: engine)
        let view = try engine.makeView()
        let load = ViewLoad(of: view)
        view.load("house://shop/page")
        try await load.finished(within: .seconds(20))
        // The promise is retained, because the engine would otherwise reject it.
        try await expectError(.pageGone, "a script that waits") {
            _ = try await view.evaluate(
                """
                setTimeout(() => location.href = '/next', 0);
                await new Promise(done => globalThis.done = done);
                """, in: .page)
        }
        try await load.finished(within: .seconds(20))
        let title = try await view.evaluate("return document.title", in: .page)
        try expect(title == "\"next\"", title)
    }

    /// Checks that a blocked port is a failure in a fresh and in a used view, and that the view can be used
    /// afterwards.
    @MainActor
    func checkBlockedPort(_ engine: WebKitGTKEngine) async throws {
        _ = try SchemeSite(["/page": "<p>"], on: engine)
        let view = try engine.makeView()
        for url in ["http://127.0.0.1:1/", "http://127.0.0.1:25/x", "http://127.0.0.1:6000/", "house://shop:25/page"] {
            let refused = ViewLoad(of: view)
            view.load(url)
            try await expectError(.blocked, url) { try await refused.finished(within: .seconds(20)) }
            for page in ["house://shop/page", "about:blank"] {
                let load = ViewLoad(of: view)
                view.load(page)
                try await load.finished(within: .seconds(20))
            }
        }
    }

    /// Checks that a load does not report its end if another load replaces it.
    @MainActor
    func checkLoadAfterLoad(_ engine: WebKitGTKEngine) async throws {
        let site = try SchemeSite(["/page": "<title>page</title>"], on: engine)
        let view = try engine.makeView()
        let load = ViewLoad(of: view)
        var failures: [String] = []
        var finishes: [String] = []
        load.observe {
            if case .failed(let url, _) = $0 { failures.append(url) }
            if case .finished(let url) = $0 { finishes.append(url) }
        }
        view.load("house://shop/never")
        try await site.asked(for: "/never")
        view.load("house://shop/page")
        try await load.finished(within: .seconds(20))
        try expect(failures.isEmpty && finishes == ["house://shop/page"], "\(failures) \(finishes)")
        let title = try await view.evaluate("return document.title", in: .page)
        try expect(title == "\"page\"", title)
        // A load that is stopped without a replacement reports its end.
        view.load("house://shop/never?2")
        try await site.asked(for: "/never?2")
        view.stopLoading()
        try await expectError(.loadFailed, "stopped") { try await load.finished(within: .seconds(20)) }
        // The engine does not report a load that was stopped before it began.
        let early = try engine.makeView()
        let unbegun = ViewLoad(of: early)
        early.load("house://shop/never?3")
        early.stopLoading()
        try await expectError(.loadFailed, "stopped at once") { try await unbegun.finished(within: .seconds(20)) }
    }

    /// Checks that a load that the page or the host stops after its commit, and a navigation of the page that is
    /// stopped or replaced before its commit, have not failed, and that the page keeps its document.
    @MainActor
    func checkStoppedLoads(_ engine: WebKitGTKEngine) async throws {
        let site = try SchemeSite(
            [
                "/page": "<title>kept</title>", "/other": "<title>other</title>",
                "/other?": "<title>other</title>", "/jump": "<title>jump</title><img src='/never.png?jump'>",
                "/form": "<title>form</title><form action='/other'></form><img src='/never.png?form'>",
                "/image": "<title>kept</title><p>kept</p><img src='/never.png?image'>",
                "/stops": "<title>kept</title><p>kept</p><img src='/never.png'><script>stop()</script>",
            ], on: engine)
        let view = try engine.makeView()
        let load = ViewLoad(of: view)
        var failures: [String] = []
        var stops: [String] = []
        let (finishes, finish) = AsyncStream<String>.makeStream()
        load.observe {
            if case .failed(let url, let error) = $0 { failures.append("\(url) \(error)") }
            if case .stopped(let url) = $0 { stops.append(url) }
            if case .finished(let url) = $0 { finish.yield(url) }
        }
        func expectKept(_ what: String) async throws {
            try await load.finished(within: .seconds(20))
            let title = try await view.evaluate("return document.title", in: .page)
            try expect(title == "\"kept\"" && failures.isEmpty, "\(what): \(title) \(failures)")
            try expect(!stops.isEmpty, "\(what): no stop")
            stops = []
        }
        // Each call of `stop()` ends the requests for resources that are pending.
        view.load("house://shop/stops")
        try await expectKept("window.stop() in the document")
        view.load("house://shop/image")
        try await site.asked(for: "/never.png?image")
        view.stopLoading()
        try await expectKept("stopLoading() after the commit")
        // A navigation of the page that is stopped before its commit, by the page and by the host.
        view.load("house://shop/page")
        for await url in finishes where url == "house://shop/page" { break }
        stops = []
        _ = try await view.evaluate("location.href = '/never?1'; return 1", in: .page)
        try await site.asked(for: "/never?1")
        _ = try await view.evaluate("stop(); return 1", in: .page)
        try await expectKept("window.stop() before the commit")
        _ = try await view.evaluate("location.href = '/never?2'; return 1", in: .page)
        try await site.asked(for: "/never?2")
        view.stopLoading()
        try await expectKept("stopLoading() before the commit of the page's navigation")
        // A navigation that another one replaces.
        _ = try await view.evaluate("location.href = '/never?3'; return 1", in: .page)
        try await site.asked(for: "/never?3")
        _ = try await view.evaluate("location.href = '/other'; return 1", in: .page)
        for await url in finishes where url == "house://shop/other" { break }
        var title = try await view.evaluate("return document.title", in: .page)
        try expect(title == "\"other\"" && failures.isEmpty, "replaced: \(title) \(failures)")
        // A navigation that ends the load of its document: the engine reports the stop before the start.
        for (page, script) in [("jump", "location.href = '/other'"), ("form", "document.forms[0].submit()")] {
            view.load("house://shop/\(page)")
            try await site.asked(for: "/never.png?\(page)")
            _ = try await view.evaluate("\(script); return 1", in: .page)
            try await load.finished(within: .seconds(20))
            title = try await view.evaluate("return document.title", in: .page)
            try expect(title == "\"other\"" && failures.isEmpty, "\(script): \(title) \(failures)")
        }
    }

    /// Checks that every call to a discarded view fails or has no effect.
    @MainActor
    func checkDiscardedView(_ engine: WebKitGTKEngine) async throws {
        let view = try await page("<p>", in: engine)
        let waiting = Task {
            try await view.evaluate("await new Promise(done => globalThis.done = done)", in: .page)
        }
        // When this call returns, the previous call waits in the page.
        _ = try await view.evaluate("return 1", in: .page)
        view.discard()
        try await expectError(.processEnded, "a call under way") { _ = try await waiting.value }
        try await expectEnd(of: view)
        // The view is released inside a signal, while the engine is still sending it.
        for event in ["started", "committed", "finished"] {
            var dropped: WebKitGTKView? = try engine.makeView()
            let (ends, end) = AsyncStream<Void>.makeStream()
            dropped?.onSignal = { signal in
                guard "\(signal)".hasPrefix(event) else { return }
                if event == "committed" { dropped?.discard() }
                dropped = nil
                end.yield()
            }
            dropped?.load("data:text/html,x")
            for await _ in ends { break }
        }
        // Another view may reuse the memory.
        let next = try await page("<title>next</title>", in: engine)
        let title = try await next.evaluate("return document.title", in: .page)
        try expect(title == "\"next\"", title)
    }

    /// Checks a view whose last reference is released on another thread while its page still sends messages.
    @MainActor
    func checkDroppedView(_ engine: WebKitGTKEngine) async throws {
        for _ in 0..<5 {
            let view = try await page(
                "<script>setInterval(() => { for (let n = 0; n < 20; n++) fetch('data:,x' + n) }, 1)</script>",
                in: engine)
            let (turns, turn) = AsyncStream<Void>.makeStream()
            let holder = Holder(view)
            Task.detached {
                for await _ in turns { break }
                holder.drop()
            }
            turn.yield()
        }
        try await checkWidgets(engine)
    }

    /// Checks that the engine's widgets of a view are destroyed with the view.
    @MainActor
    private func checkWidgets(_ engine: WebKitGTKEngine) async throws {
        let parts = try await {
            let view = try await page("<p>", in: engine)
            let parts = try Windows.partsOfViews()
            try expect(!parts.isEmpty && parts.allSatisfy(\.isThere), "a view without widgets")
            view.discard()
            return parts
        }()
        try await withLimit(.seconds(20), "the widgets of a view stay") {
            while parts.contains(where: \.isThere) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    /// Checks that a user can close the window of a page.
    @MainActor
    func checkClosedWindow() async throws {
        var configuration = WebKitGTKEngine.Configuration()
        configuration.showsWindows = true
        let engine = try WebKitGTKEngine(configuration)
        for destroys in [false, true] {
            let view = try await page("<p>", in: engine)
            let (ends, end) = AsyncStream<String>.makeStream()
            view.onSignal = { if case .processEnded(let reason) = $0 { end.yield(reason) } }
            try Windows.close(destroying: destroys)
            for await reason in ends {
                try expect(reason.contains("window") && !view.isAlive, "\(reason), alive: \(view.isAlive)")
                break
            }
            try await expectEnd(of: view)
        }
    }

    @MainActor
    private func expectEnd(of view: WebKitGTKView) async throws {
        view.load("about:blank")
        view.stopLoading()
        view.add(UserScript("1", at: .documentStart))
        view.discard()
        try await expectError(.processEnded, "evaluate") { _ = try await view.evaluate("return 1", in: .page) }
        try await expectError(.processEnded, "snapshot") { _ = try await view.snapshot() }
        try await expectError(.processEnded, "warmUp") { try await view.warmUp() }
        try await expectError(.processEnded, "setMessageHandler") {
            try view.setMessageHandler(named: "late", in: .page) { _ in "1" }
        }
    }
}
