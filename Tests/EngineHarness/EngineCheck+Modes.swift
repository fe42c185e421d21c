// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import OfflinePackage
internal import PackageFormat
internal import PackagePublisher
internal import Prefetch
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// One container with pages in the modes `loopbackProxy`, `customScheme` and `plain`.
extension EngineCheck {
    /// A page of the check.
    private struct Opened {
        let page: Page<WebKitGTKView>
        let requests: AsyncStream<ContainerEvent>

        /// Returns the text that a script of the page fetches, and its source.
        @MainActor
        func fetch(_ path: String, _ options: String = "{}") async throws -> (text: String, source: Provenance.Source?)
        {
            let json = try await page.view.evaluate(
                "const answer = await fetch('\(path)', \(options)); return await answer.text()", in: .page)
            let text = try JSONDecoder().decode(String.self, from: Data(json.utf8))
            for await case .request(let record) in requests where record.url.hasSuffix(path) {
                return (text, record.provenance?.source)
            }
            throw CancellationError()
        }
    }

    @MainActor
    func checkModes(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let site = ModeSite()
        let container = try await modesContainer(engine, site, in: folder)
        let cases: [(host: String, mode: InterceptionMode, origin: String, source: Provenance.Source)] = [
            ("m", .loopbackProxy, "https://m.shop.example", .package),
            ("s", .customScheme, "containerkit://s.shop.example", .package),
            ("p", .plain, "https://p.shop.example", .network),
        ]
        var known: [String] = []
        var pages: [Page<WebKitGTKView>] = []
        for (host, mode, origin, source) in cases {
            let requests = container.events
            let page = try await open("https://\(host).shop.example/", in: container)
            pages.append(page)
            let opened = Opened(page: page, requests: requests)
            let seen = try await page.view.evaluate("return [location.origin, document.title].join()", in: .page)
            try expect(
                page.session.mode == mode && seen == "\"\(origin),\(host).shop.example\"",
                "\(host): \(page.session.mode), \(seen)")
            let api = try await opened.fetch("/api")
            try expect(
                api.text == "network" && api.source == (mode == .plain ? .network : .prefetch), "\(host) asked: \(api)")
            let file = try await opened.fetch("/file.txt")
            try expect(
                file.source == source && file.text == (source == .package ? "packaged" : "network"), "\(host): \(file)")
            // The request includes the cookies that earlier pages received in other modes.
            _ = try await opened.fetch("/set")
            known.append("\(host)=1")
            let cookies = try await opened.fetch("/cookies").text.split(separator: "; ").sorted()
            try expect(cookies == known.sorted().map { $0[...] }, "\(host) sent \(cookies), and not \(known)")
            let echo = try await opened.fetch("/echo", "{ method: 'POST', body: new Blob(['a body']) }")
            try expect(echo.text == "a body", "\(host) posted \(echo)")
            // Each request is sent once: a request of a custom-scheme page does not pass through the loopback proxy.
            for path in ["/", "/api", "/set", "/echo"] {
                let count = site.count("https://\(host).shop.example\(path)")
                try expect(count == 1, "\(host) sent \(count) requests for \(path)")
            }
        }
        try await followLink(in: pages[1])
        // The first page has the cookies that later pages received.
        let opened = Opened(page: pages[0], requests: container.events)
        let cookies = try await opened.fetch("/cookies").text.split(separator: "; ").sorted()
        try expect(cookies == known.sorted().map { $0[...] }, "at the end: \(cookies)")
        for page in pages { await container.close(page) }
        try await container.signOut(of: ["shop.example"])
        let left = try await engine.cookies.all().filter { $0.domain.hasSuffix("shop.example") }
        try expect(left.isEmpty, "left after sign-out: \(left)")
        let again = Opened(
            page: try await open("https://s.shop.example/", in: container), requests: container.events)
        let sent = try await again.fetch("/cookies").text
        try expect(sent.isEmpty, "after sign-out the container's own store has \(sent)")
        await container.shutDown()
    }

    /// Checks that a link leads from a custom-scheme page to a proxy page at its real URL.
    @MainActor
    private func followLink(in page: Page<WebKitGTKView>) async throws {
        let (commits, commit) = AsyncStream<String>.makeStream()
        page.load.observe { if case .finished(let url) = $0 { commit.yield(url) } }
        let link = try await page.view.evaluate(
            "const link = document.querySelector('#proxied'); setTimeout(() => link.click()); return link.href",
            in: .page)
        try expect(link == "\"containerkit://m.shop.example/next\"", "the link is \(link)")
        for await url in commits {
            try expect(url == "https://m.shop.example/next", "the link led to \(url)")
            break
        }
        let seen = try await page.view.evaluate("return [location.href, history.length].join()", in: .page)
        try expect(seen == "\"https://m.shop.example/next,2\"", seen)
    }

    @MainActor
    private func modesContainer(
        _ engine: WebKitGTKEngine, _ site: ModeSite, in folder: String
    ) async throws -> Container<WebKitGTKEngine> {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = site
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = .loopbackProxy
        configuration.pages.modes = [
            try PageMode("s.shop.example", .customScheme), try PageMode("p.shop.example", .plain),
        ]
        configuration.network.coveredHosts = ["*.shop.example"].compactMap { HostPattern($0) }
        configuration.network.prefetch = PrefetchOptions()
        configuration.network.prefetch?.loader.maxAge = .seconds(600)
        configuration.network.prefetch?.loader.joinLimit = .seconds(600)
        let interfaces = ["m", "s", "p"].map {
            #"{"url":"https://\#($0).shop.example/","interfaces":[{"api":"https://\#($0).shop.example/api"}]}"#
        }
        configuration.network.prefetch?.table = try PrefetchTable(
            json: Data(#"{"code":200,"data":{"version":"1","config":[\#(interfaces.joined(separator: ","))]}}"#.utf8))
        let container = try await Container(engine: engine, configuration: configuration)
        for host in ["m", "s", "p"] {
            let site = "\(folder)/site-\(host)"
            try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
            try Data("packaged".utf8).write(to: URL(fileURLWithPath: "\(site)/file.txt"))
            let package = try PackageBuilder().build(
                site, id: PackageID(host), version: PackageVersion("1"),
                baseURL: PackageBaseURL("https://\(host).shop.example/"), output: "\(folder)/packages")
            try await container.install(archive: package.archive, manifest: package.manifest)
        }
        return container
    }
}
