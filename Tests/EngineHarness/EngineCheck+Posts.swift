// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// Pages that the app opens by POST over the proxy.
extension EngineCheck {
    private static let url = "https://shop.example/page?x=1"
    private static let body = Data(0...255)

    /// Checks that the body of the app arrives once, and that no page, history or request has the mark. Checks reload,
    /// redirects, the page's own forms, and the end of the web process.
    @MainActor
    func checkPostNavigation(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let outside = try await OriginServer.start(OriginServer.Configuration())
        let site = PostSite(outside: outside.url + "/page")
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.transport = site
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = .loopbackProxy
        configuration.pages.blankPages = nil
        configuration.network.coveredHosts = ["shop.example", "other.example"].compactMap { HostPattern($0) }
        let container = try await Container(engine: engine, configuration: configuration)
        // The page sets a cookie that only requests from its own site carry.
        await container.close(try await open("https://shop.example/first", in: container))
        var signals: [String] = []
        container.observe { event in
            switch event {
            case .page(_, .started): signals.append("started")
            case .page(_, .committed(let url)): signals.append("committed \(url)")
            case .page(_, .finished(let url)): signals.append("finished \(url)")
            default: break
            }
        }
        let page = try await post(to: Self.url, in: container)
        try expect(signals == ["started", "committed \(Self.url)", "finished \(Self.url)"], "signals: \(signals)")
        try await checkArrival(page, site)
        try await checkReload(page, site)
        try await checkOwnForm(page, site)
        await container.close(page)
        try await checkBack(container, site)
        try await checkSpelling(container, site)
        try await checkRedirects(container, site)
        try await checkRedirectOut(container, outside)
        try await checkProcessEnd(container, site)
        try await checkRefusals(container, engine)
        for request in site.sent {
            let text = "\(request.head.urlText) \(request.head.headerFields)"
            let isMarked = text.contains("containerkit=") || request.body.starts(with: Data("containerkit=".utf8))
            try expect(!isMarked, "a mark was sent: \(text)")
        }
        await container.shutDown()
        await outside.stop()
    }

    @MainActor
    private func post(
        to url: String, in container: Container<WebKitGTKEngine>
    ) async throws -> Page<WebKitGTKView> {
        var fields: HTTPFields = [.contentType: "application/octet-stream"]
        if let own = HTTPField.Name("X-Own") { fields[own] = "1" }
        let page = try await container.open(url, method: .post, fields: fields, body: Self.body)
        try await page.load.finished(within: .seconds(20))
        return page
    }

    /// Checks that a request is the POST of the app.
    private func expectPost(_ sent: LegacySite.Sent) throws {
        let head = sent.head
        try expect(head.method == .post && sent.body == Self.body, "\(head.method) of \(sent.body.count) bytes")
        try expect(
            head.headerFields[.contentType] == "application/octet-stream" && sent.field("X-Own") == "1"
                && sent.field("Origin") == nil && sent.field("Referer") == nil
                && ["none", nil].contains(sent.field("Sec-Fetch-Site")), "\(head.headerFields)")
    }

    @MainActor
    private func checkArrival(_ page: Page<WebKitGTKView>, _ site: PostSite) async throws {
        let posts = site.sent(to: "/page?x=1")
        try expect(posts.count == 1, "\(posts.count) requests")
        try expectPost(posts[0])
        try expect(posts[0].field("Cookie")?.contains("strict=1") == true, "no cookie: \(posts[0].head.headerFields)")
        try await seeInTime(
            page, "[location.href, history.length, document.referrer, document.title, document.forms.length]",
            #"["\#(Self.url)",1,"","POST 1",0]"#)
        let referrer = site.sent(to: "/script.js").last?.field("Referer")
        try expect(referrer == Self.url, "Referer: \(referrer ?? "-")")
    }

    /// Checks that the page and the app reload by GET. Without a container, `location.reload()` is a GET too.
    @MainActor
    private func checkReload(_ page: Page<WebKitGTKView>, _ site: PostSite) async throws {
        _ = try await page.view.evaluate("setTimeout(() => location.reload(), 0)", in: .page)
        try await seeInTime(page, "[document.title, history.length, document.readyState]", #"["GET 2",1,"complete"]"#)
        for sent in site.sent(to: "/page?x=1") where sent.head.method == .post { try expectPost(sent) }
        let count = site.sent(to: "/page?x=1").count
        page.view.reload(Self.url)
        try await seeInTime(
            page, "[document.title, document.readyState]", #"["GET \#(count + 1)","complete"]"#)
    }

    /// Checks that the way back leads to the response to the POST.
    @MainActor
    private func checkBack(_ container: Container<WebKitGTKEngine>, _ site: PostSite) async throws {
        let page = try await post(to: "https://shop.example/page?back", in: container)
        _ = try await page.view.evaluate("setTimeout(() => location.href = '/page?next', 0)", in: .page)
        try await seeInTime(page, "[location.search, document.title]", #"["?next","GET 1"]"#)
        _ = try await page.view.evaluate("setTimeout(() => history.back(), 0)", in: .page)
        try await seeInTime(page, "[location.search, document.title.slice(0, 4)]", #"["?back","POST"]"#)
        for sent in site.sent(to: "/page?back") { try expectPost(sent) }
        await container.close(page)
    }

    /// Checks that a form of the page with the length of a mark is not changed.
    @MainActor
    private func checkOwnForm(_ page: Page<WebKitGTKView>, _ site: PostSite) async throws {
        _ = try await page.view.evaluate(
            """
            const form = document.createElement('form');
            Object.assign(form, { method: 'post', action: '/page?own' });
            form.innerHTML = '<input name=a>';
            form.a.value = 'x'.repeat(43);
            document.body.append(form);
            setTimeout(() => form.submit(), 0);
            """, in: .page)
        try await seeInTime(page, "[location.search, document.title]", #"["?own","POST 1"]"#)
        let own = site.sent(to: "/page?own")
        try expect(
            own.map(\.body) == [Data("a=\(String(repeating: "x", count: 43))".utf8)]
                && own[0].field("Origin") == "https://shop.example", "a form of the page: \(own)")
    }

    /// Checks a URL that the engine spells differently.
    @MainActor
    private func checkSpelling(_ container: Container<WebKitGTKEngine>, _ site: PostSite) async throws {
        let page = try await post(to: "https://shop.example/x/../päge?x='é'", in: container)
        try await seeInTime(page, "document.title", #""POST 1""#)
        let posts = site.sent(to: "/p%C3%A4ge?x=%27%C3%A9%27")
        try expect(posts.count == 1, "\(site.sent.map(\.head.urlText))")
        try expectPost(posts[0])
        await container.close(page)
    }

    @MainActor
    private func checkRedirects(_ container: Container<WebKitGTKEngine>, _ site: PostSite) async throws {
        let after = try await post(to: "https://shop.example/303", in: container)
        try await seeInTime(after, "[location.search, document.title]", #"["?after","GET 1"]"#)
        try expect(site.sent(to: "/page?after").map(\.body) == [Data()], "303: \(site.sent(to: "/page?after"))")
        await container.close(after)
        let moved = try await post(to: "https://shop.example/307", in: container)
        try await seeInTime(moved, "[location.host, document.title]", #"["other.example","POST 1"]"#)
        for sent in site.sent(to: "/page?in") { try expectPost(sent) }
        await container.close(moved)
    }

    /// Checks that the engine does not send the mark to a host that is not covered.
    @MainActor
    private func checkRedirectOut(_ container: Container<WebKitGTKEngine>, _ outside: OriginServer) async throws {
        do {
            await container.close(try await post(to: "https://shop.example/out", in: container))
            throw CheckFailure(description: "a mark left the proxy")
        } catch let error as EngineError {
            try expect(error.code != .timedOut && outside.connectionCount == 0, "\(error)")
        }
    }

    /// Checks that nothing sends the POST again after the end of the web process.
    @MainActor
    private func checkProcessEnd(_ container: Container<WebKitGTKEngine>, _ site: PostSite) async throws {
        let url = "https://shop.example/page?killed"
        let page = try await post(to: url, in: container)
        let (ends, end) = AsyncStream<Void>.makeStream()
        container.observe { if case .page(_, .processEnded) = $0 { end.yield() } }
        page.view.endProcess()
        for await _ in ends { break }
        page.view.reload(url)
        try await seeInTime(page, "document.title", #""GET 2""#)
        try expect(site.sent(to: "/page?killed").map(\.head.method) == [.post, .get], "after the end of the process")
        await container.close(page)
    }

    /// Checks that a page that is not covered is refused, and that the adapter sends no body of its own choice.
    @MainActor
    private func checkRefusals(_ container: Container<WebKitGTKEngine>, _ engine: WebKitGTKEngine) async throws {
        do {
            _ = try await container.open("https://outside.example/", method: .post, body: Self.body)
            throw CheckFailure(description: "a POST to a host that is not covered")
        } catch let error as ContainerError {
            try expect(error.code == .unsupported, "\(error)")
        }
        let view = try engine.makeView()
        let load = ViewLoad(of: view)
        view.post(Data(#"a="><script>"#.utf8), fields: [:], to: Self.url)
        do {
            try await load.finished(within: .seconds(20))
        } catch let error as EngineError {
            return try expect(error.code == .loadFailed, "\(error)")
        }
        throw CheckFailure(description: "the adapter sent a body")
    }
}
