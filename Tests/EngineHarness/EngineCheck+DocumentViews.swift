// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter
internal import WebViewPool

// Navigations of pages in document mode: windows, forms, downloads, dialogs, replaced navigations, reused and crashed
// views.
extension EngineCheck {
    @MainActor
    func checkDocumentViews(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let site = try await DocumentViewsSite.start()
        let container = try await site.container(engine, in: folder)
        try await checkSteps(container, site)
        let host = DocumentViewsHost()
        container.pageDelegate = host
        try await checkNewWindows(container, site, host)
        try await checkDialogs(container, site, host)
        try await checkFormState(container, site)
        try await checkReplacedNavigations(container, site)
        try await checkPooledViews(container, site)
        try await checkSavedFiles(container, site, in: folder)
        try await checkCrash(container, site)
        await container.shutDown()
        await site.stop()
    }

    /// Opens a page of the site and waits until its document has a number.
    @MainActor
    func openDocument(_ url: String, in container: Container<WebKitGTKEngine>) async throws -> Page<WebKitGTKView> {
        let page = try await open(url, in: container)
        try await seeInTime(page, "self.loaded > 0", "true")
        return page
    }

    /// Runs a script that navigates, and waits until a document is loaded whose URL has the given path, query and
    /// fragment.
    /// - Parameter isSameDocument: A Boolean value that indicates whether the document stays; `nil` if that depends on
    ///   the mode.
    @MainActor
    func navigate(
        _ page: Page<WebKitGTKView>, by script: String, to place: String, isSameDocument: Bool? = false
    ) async throws {
        let number = try await page.view.evaluate("return self.loaded ?? 0", in: .page)
        _ = try await page.view.evaluate("setTimeout(() => { \(script) })", in: .page)
        let comparison = isSameDocument.map { $0 ? "=== \(number)" : "!== \(number)" } ?? "> 0"
        try await seeInTime(
            page, "[location.pathname + location.search + location.hash, self.loaded > 0, self.loaded \(comparison)]",
            "[\"\(place)\",true,true]")
    }

    /// Expects the URL of the document and the length of the history.
    @MainActor
    private func expectPlace(_ page: Page<WebKitGTKView>, _ url: String, _ length: Int, _ what: String) async throws {
        let seen = try await page.view.evaluate("return [location.href, history.length]", in: .page)
        try expect(seen == #"["\#(url)",\#(length)]"#, "\(what): \(seen)")
    }

    /// Expects that the container has given a document, and that the engine has not requested it.
    private func expectGiven(_ path: String, _ site: DocumentViewsSite, times: Int = 1) throws {
        let (given, loaded) = (site.ofContainer(path), site.ofEngine(path))
        try expect(given == times && loaded == 0, "\(path): given \(given) times, loaded \(loaded) times")
    }

    // MARK: New windows

    /// Checks that the app receives the true URLs of new windows, that the page stays, and that the URLs open as pages.
    @MainActor
    private func checkNewWindows(
        _ container: Container<WebKitGTKEngine>, _ site: DocumentViewsSite, _ host: DocumentViewsHost
    ) async throws {
        let (home, outside) = (site.home, site.outside(of: site.home))
        let page = try await openDocument(home + "/opener", in: container)
        host.linkAnswer = .handled
        for (script, result, url) in [
            ("window.open('/window?x=1#f')", "null", home + "/window?x=1#f"),
            ("window.open('/noopener', 'name', 'noopener')", "null", home + "/noopener"),
            ("document.querySelector('#blank').click()", "undefined", home + "/blank?q"),
            ("document.querySelector('#named').click()", "undefined", home + "/named"),
            ("document.querySelector('#blankForm').submit()", "undefined", home + "/blank-form?q=1"),
            ("window.open('\(outside)/other')", "null", outside + "/other"),
        ] {
            let seen = try await page.view.evaluate("return String(\(script))", in: .page)
            let request = try await host.nextLink()
            try expect(
                seen == "\"\(result)\"" && request.reason == .newWindow && request.url == url
                    && request.page.documentURL == home + "/opener", "\(script): \(seen), \(request)")
            let isCovered = url.hasPrefix(home)
            let path = String(url.dropFirst((isCovered ? home : outside).count).prefix { $0 != "?" && $0 != "#" })
            try expect(site.ofContainer(path) + site.ofEngine(path) == 0, "\(path) was requested for no window")
            let opened = try await openDocument(request.url, in: container)
            let place = try await opened.view.evaluate(
                "return [location.href, history.length, document.referrer, opener]", in: .page)
            try expect(place == #"["\#(url)",1,"",null]"#, "\(script): \(place)")
            try expect(opened.session.mode == (isCovered ? .document : .plain), "\(url): \(opened.session.mode)")
            if isCovered { try expectGiven(path, site) }
            await container.close(opened)
            try await expectPlace(page, home + "/opener", 1, "the page after \(script)")
        }
        // The engine's decision on the window is not left open.
        try await navigate(page, by: "location.href = '/after-windows'", to: "/after-windows")
        host.linkAnswer = .openHere
        _ = try await page.view.evaluate("window.open('/here')", in: .page)
        try await seeInTime(page, "[location.pathname, self.loaded > 0, history.length]", #"["/here",true,3]"#)
        try expectGiven("/here", site)
        await container.close(page)
    }

    // MARK: Dialogs

    /// Checks dialogs, and that a page that is not left continues, also in the pool.
    @MainActor
    private func checkDialogs(
        _ container: Container<WebKitGTKEngine>, _ site: DocumentViewsSite, _ host: DocumentViewsHost
    ) async throws {
        let page = try await openDocument(site.home + "/asking", in: container)
        host.dialogAnswer = .accept(text: "typed")
        let said = try await page.view.evaluate("return [typeof alert('a'), confirm('c'), prompt('p', 'd')]", in: .page)
        try expect(said == #"["undefined",true,"typed"]"#, "dialogs: \(said)")
        for message in ["a", "c", "p"] {
            let request = try await host.nextDialog()
            try expect(
                request.message == message && request.page.documentURL == site.home + "/asking", "dialog: \(request)")
        }
        let asks = """
            sessionStorage.asked = 0;
            addEventListener('beforeunload', event => {
                sessionStorage.asked++;
                event.preventDefault();
            });
            """
        _ = try await page.view.evaluate(asks, in: .page)
        host.dialogAnswer = .cancel
        for script in ["location.assign('/left')", "location.assign('/left')", "location.reload()"] {
            _ = try await page.view.evaluate("setTimeout(() => { \(script) })", in: .page)
            let request = try await host.nextDialog()
            try expect(request.kind == .leave, "\(script): \(request)")
            try await expectPlace(page, site.home + "/asking", 1, "a refused \(script)")
        }
        host.dialogAnswer = .accept()
        try await navigate(page, by: "location.assign('/left')", to: "/left")
        let request = try await host.nextDialog()
        let asked = try await page.view.evaluate("return [sessionStorage.asked, history.length]", in: .page)
        try expect(request.kind == .leave && asked == #"["4",2]"#, "after four questions: \(asked)")
        try expect(host.hasNoDialog, "more questions than navigations")
        // A navigation of the engine after a refused one is not blocked.
        _ = try await page.view.evaluate(asks, in: .page)
        host.dialogAnswer = .cancel
        _ = try await page.view.evaluate("setTimeout(() => { location.assign('/asking') })", in: .page)
        _ = try await host.nextDialog()
        host.dialogAnswer = .accept()
        try await navigate(page, by: "document.querySelector('#posted').submit()", to: "/posted")
        _ = try await host.nextDialog()
        await container.close(page)
        // Neither is the blank page that replaces the page in the pool.
        let refused = try await openDocument(site.home + "/asking", in: container)
        _ = try await refused.view.evaluate(asks, in: .page)
        host.dialogAnswer = .cancel
        _ = try await refused.view.evaluate("setTimeout(() => { location.assign('/left') })", in: .page)
        _ = try await host.nextDialog()
        try await expectPlace(refused, site.home + "/asking", 1, "a refused navigation")
        host.dialogAnswer = .accept()
        let before = container.counters.pool
        await container.close(refused)
        let after = container.counters.pool
        try expect(after.recycled == before.recycled + 1 && after.ended == before.ended, "a page that stayed: \(after)")
    }

    // MARK: Forms and scroll positions

    /// Checks the scroll position and the form entries on back, and forms with GET and POST.
    @MainActor
    private func checkFormState(_ container: Container<WebKitGTKEngine>, _ site: DocumentViewsSite) async throws {
        let page = try await openDocument(site.home + "/entries", in: container)
        _ = try await page.view.evaluate(
            "document.querySelector('#text').value = 'typed'; scrollTo(0, 321)", in: .page)
        let ofEngine = site.ofEngine("/found")
        try await navigate(page, by: "document.querySelector('#form').submit()", to: "/found?q=typed")
        try await navigate(page, by: "history.back()", to: "/entries")
        try await seeInTime(
            page, "[scrollY, document.querySelector('#text').value, history.length]", #"[321,"\#u{E4} 1&",2]"#)
        try await navigate(page, by: "history.forward()", to: "/found?q=typed")
        try expect(site.ofEngine("/found") == ofEngine, "the engine requested the response to a form")
        let posts = (site.ofContainer("/posted"), site.ofEngine("/posted"))
        try await navigate(page, by: "document.querySelector('#posted').submit()", to: "/posted")
        let title = try await page.view.evaluate("return [document.title, history.length]", in: .page)
        try expect(title == #"["POST /posted",3]"#, "a form with POST: \(title)")
        try expect(
            site.ofContainer("/posted") == posts.0 && site.ofEngine("/posted") == posts.1 + 1,
            "POST: \(site.ofContainer("/posted")), \(site.ofEngine("/posted"))")
        try await navigate(page, by: "history.back()", to: "/found?q=typed")
        await container.close(page)
    }

    // MARK: Replaced navigations

    /// Checks navigations that end while the container loads their document.
    @MainActor
    private func checkReplacedNavigations(
        _ container: Container<WebKitGTKEngine>, _ site: DocumentViewsSite
    ) async throws {
        let page = try await openDocument(site.home + "/first", in: container)
        /// Begins a navigation whose document does not arrive.
        func hold(_ path: String) async throws {
            _ = try await page.view.evaluate("setTimeout(() => { location.href = '\(path)' })", in: .page)
            try await site.waitForRequest(path)
        }
        func expectEntries(_ paths: [String], _ what: String) throws {
            let history = try Windows.histories()
            try expect(
                history == [Windows.History(urls: paths.map { site.home + $0 }, current: paths.count - 1)],
                "\(what): \(history)")
        }
        try await hold("/held/page")
        try await navigate(page, by: "location.href = '/second'", to: "/second")
        try await site.waitForCancellation("/held/page")
        try expectEntries(["/first", "/second"], "a navigation that the page replaces")
        try expectGiven("/second", site)

        try await hold("/held/post")
        try await navigate(page, by: "document.querySelector('#posted').submit()", to: "/posted")
        try await site.waitForCancellation("/held/post")
        try expectEntries(["/first", "/second", "/posted"], "a navigation that a form replaces")
        try await navigate(page, by: "history.back()", to: "/second")

        try await hold("/held/back")
        try await navigate(page, by: "history.back()", to: "/first")
        try await site.waitForCancellation("/held/back")
        let entries = try Windows.histories()
        try expect(
            entries == [Windows.History(urls: ["/first", "/second", "/posted"].map { site.home + $0 }, current: 0)],
            "a navigation that back replaces: \(entries)")

        try await hold("/held/app")
        page.view.load(site.home + "/third")
        try await seeInTime(page, "[location.pathname, self.loaded > 0]", #"["/third",true]"#)
        try await site.waitForCancellation("/held/app")
        try expectEntries(["/first", "/third"], "a navigation that the app replaces")

        try await hold("/held/stop")
        page.view.stopLoading()
        try await site.waitForCancellation("/held/stop")
        try expectEntries(["/first", "/third"], "a navigation that the app stops")
        try await navigate(page, by: "location.href = '/fourth'", to: "/fourth")

        // The engine does not report that a page stops its navigation. The document arrives, and is not shown.
        try await hold("/held/script")
        _ = try await page.view.evaluate("stop()", in: .page)
        site.release("/held/script")
        try await navigate(page, by: "location.href = '#end'", to: "/fourth#end", isSameDocument: true)
        try await navigate(page, by: "location.href = '/fifth'", to: "/fifth")
        try expectEntries(["/first", "/third", "/fourth", "/fourth#end", "/fifth"], "a navigation that the page stops")

        // A released document arrives.
        try await hold("/held/released")
        site.release("/held/released")
        try await seeInTime(page, "[location.pathname, self.loaded > 0]", #"["/held/released",true]"#)
        try await hold("/held/close")
        let before = container.counters.pool
        await container.close(page)
        try await site.waitForCancellation("/held/close")
        let after = container.counters.pool
        try expect(after.recycled == before.recycled + 1 && after.ended == before.ended, "a closed page: \(after)")
    }

    // MARK: Reused views

    /// Checks pages in a warm view and in a view that replaces a used one.
    @MainActor
    private func checkPooledViews(_ container: Container<WebKitGTKEngine>, _ site: DocumentViewsSite) async throws {
        container.releaseMemory()
        try await container.warmUp()
        for number in 1...3 {
            let before = container.counters.pool
            let times = site.ofContainer("/pooled")
            let page = try await openDocument(site.home + "/pooled", in: container)
            let pool = container.counters.pool
            try expect(pool.warmCheckOuts == before.warmCheckOuts + 1, "page \(number): a cold view")
            let seen = try await page.view.evaluate(
                """
                return [location.href, history.length, document.referrer, scrollY, sessionStorage.length,
                    document.querySelector('#text').value, typeof left];
                """, in: .page)
            try expect(
                seen == "[\"\(site.home)/pooled\",1,\"\",0,0,\"\u{E4} 1&\",\"undefined\"]", "page \(number): \(seen)")
            try expectGiven("/pooled", site, times: times + 1)
            // The engine's own navigation is not blocked, and the next document is given.
            try await navigate(page, by: "document.querySelector('#posted').submit()", to: "/posted")
            try await navigate(page, by: "history.back()", to: "/pooled")
            try expect(site.ofEngine("/pooled") == 0, "page \(number): the engine requested the document")
            _ = try await page.view.evaluate(
                """
                globalThis.left = sessionStorage.left = document.querySelector('#text').value = 'left';
                scrollTo(0, 321);
                setTimeout(() => { location.href = '/held/pooled-\(number)' });
                """, in: .page)
            try await site.waitForRequest("/held/pooled-\(number)")
            await container.close(page)
            try await site.waitForCancellation("/held/pooled-\(number)")
            let after = container.counters.pool
            try expect(after.recycled == pool.recycled + 1 && after.ended == pool.ended, "page \(number): \(after)")
        }
        let plain = try await openDocument(site.plain + "/pooled", in: container)
        let handlers = try await plain.view.evaluate(
            "return Object.keys(window.webkit?.messageHandlers ?? {})", in: .isolated(name: "containerkit-documents"))
        try expect(plain.session.mode == .plain && handlers == "[]", "a plain page: \(plain.session.mode), \(handlers)")
        await container.close(plain)
    }

    // MARK: Downloads

    /// Checks that files arrive whole, and once for the app, and that the page stays.
    @MainActor
    private func checkSavedFiles(
        _ container: Container<WebKitGTKEngine>, _ site: DocumentViewsSite, in folder: String
    ) async throws {
        let target = folder + "/saved"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let host = SavingHost(container, in: target)
        container.pageDelegate = host
        let page = try await openDocument(site.home + "/files", in: container)
        for (script, path, name, text) in [
            ("document.querySelector('#binary').click()", "/binary", "saved.bin", DocumentViewsSite.binary),
            ("document.querySelector('#html').click()", "/saved", "saved.html", DocumentViewsSite.page("/saved")),
            ("location.assign('/attached')", "/attached", "attached.html", DocumentViewsSite.page("/attached")),
        ] {
            _ = try await page.view.evaluate(script, in: .page)
            try expect(await host.nextAnswer() == .answered, script)
            let request = try await host.nextRequest()
            try expect(
                request.url == site.home + path && request.page.documentURL == site.home + "/files",
                "\(script): \(request)")
            try expectSaved(await host.end(of: request.id), name, Data(text.utf8), script)
            try expect(site.ofEngine(path) == 1, "\(script): the engine sent \(site.ofEngine(path)) requests")
            try await expectPlace(page, site.home + "/files", 1, "the page after \(script)")
        }
        try await navigate(page, by: "location.href = '/after-files'", to: "/after-files")
        try expectGiven("/after-files", site)
        try await expectPlace(page, site.home + "/after-files", 2, "a document after downloads")
        _ = try await page.view.evaluate("document.querySelector('#html').click()", in: .page)
        try expect(await host.nextAnswer() == .answered, "the last file")
        let last = try await host.nextRequest()
        try expectSaved(
            await host.end(of: last.id), "saved (1).html", Data(DocumentViewsSite.page("/saved").utf8), "the last file")
        let before = container.counters.pool
        await container.close(page)
        let after = container.counters.pool
        try expect(after.recycled == before.recycled + 1 && after.ended == before.ended, "after a download: \(after)")
        let left = try FileManager.default.contentsOfDirectory(atPath: target).sorted()
        try expect(left == ["attached.html", "saved (1).html", "saved.bin", "saved.html"], "files: \(left)")
    }

    // MARK: Crashes

    /// Checks that a page whose web process is killed is shown again, with its URL, its history and a given document.
    @MainActor
    private func checkCrash(_ container: Container<WebKitGTKEngine>, _ site: DocumentViewsSite) async throws {
        let page = try await openDocument(site.home + "/before-crash", in: container)
        try await navigate(page, by: "location.href = '/crashed?a#end'", to: "/crashed?a#end")
        let diary = StepDiary(container)
        for times in 2...3 {
            let number = try await page.view.evaluate("return self.loaded", in: .page)
            for process in try childProcesses(named: "WebKitWebProces") { kill(process, SIGKILL) }
            let step = await diary.next()
            try expect(step?.kind == .reloaded && step?.signal == .processEnded, "killed: \(String(describing: step))")
            try await seeInTime(
                page,
                "[location.href, document.referrer, document.title, history.length, ![0, \(number)].includes(loaded)]",
                "[\"\(site.home)/crashed?a#end\",\"\(site.home)/before-crash\",\"/crashed\",2,true]")
            try expectGiven("/crashed", site, times: times)
            let history = try Windows.histories()
            try expect(
                history
                    == [
                        Windows.History(
                            urls: [site.home + "/before-crash", site.home + "/crashed?a#end"], current: 1)
                    ], "the history after a crash: \(history)")
        }
        try await navigate(page, by: "history.back()", to: "/before-crash")
        try await navigate(page, by: "history.forward()", to: "/crashed?a#end")
        try await expectPlace(page, site.home + "/crashed?a#end", 2, "forward after a crash")
        try expect(site.ofEngine("/before-crash") == 0 && site.ofEngine("/crashed") == 0, "not given after a crash")
        // A process that ends while the container loads a document leaves nothing.
        _ = try await page.view.evaluate("setTimeout(() => { location.href = '/held/crash' })", in: .page)
        try await site.waitForRequest("/held/crash")
        for process in try childProcesses(named: "WebKitWebProces") { kill(process, SIGKILL) }
        let step = await diary.next()
        try expect(step?.kind == .reloaded, "killed during a navigation: \(String(describing: step))")
        try await site.waitForCancellation("/held/crash")
        try await seeInTime(page, "[location.pathname, history.length, self.loaded > 0]", #"["/crashed",2,true]"#)
        await container.close(page)
    }
}

/// A delegate with configurable decisions.
@MainActor
private final class DocumentViewsHost: PageDelegate {
    var linkAnswer = LinkDecision.cancel
    var dialogAnswer = DialogDecision.cancel
    private var unreadDialogs = 0
    private let (links, link) = AsyncStream<LinkRequest>.makeStream()
    private let (dialogs, dialog) = AsyncStream<DialogRequest>.makeStream()

    /// A Boolean value that indicates whether ``nextDialog()`` has returned all dialogs.
    var hasNoDialog: Bool { unreadDialogs == 0 }

    func link(_ request: LinkRequest) async throws -> LinkDecision {
        link.yield(request)
        return linkAnswer
    }

    func dialog(_ request: DialogRequest) async throws -> DialogDecision {
        unreadDialogs += 1
        dialog.yield(request)
        return dialogAnswer
    }

    func nextLink() async throws -> LinkRequest {
        for await request in links { return request }
        throw CancellationError()
    }

    func nextDialog() async throws -> DialogRequest {
        for await request in dialogs {
            unreadDialogs -= 1
            return request
        }
        throw CancellationError()
    }
}
