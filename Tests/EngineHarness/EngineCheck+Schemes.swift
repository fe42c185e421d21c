// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// Custom schemes.
extension EngineCheck {
    @MainActor
    func checkReservedScheme(_ engine: WebKitGTKEngine) async throws {
        for name in ["https", "about", "data", "javascript", "", "Shop", "1a", "a b"] {
            try await expectError(.schemeTaken, name) {
                try engine.register(CustomScheme(name: name, isSecure: true)) { _, sink in .refusal(to: sink, "") }
            }
        }
    }

    @MainActor
    private func title(of url: String, in view: WebKitGTKView) async throws -> String {
        let load = ViewLoad(of: view)
        view.load(url)
        try await load.finished(within: .seconds(20))
        return try await view.evaluate("return document.title", in: .page)
    }

    /// Checks that a second registration of a scheme replaces the first, also for existing views.
    @MainActor
    func checkSchemeAgain(_ engine: WebKitGTKEngine) async throws {
        _ = try SchemeSite(["/page": "<title>first</title>"], on: engine)
        let view = try engine.makeView()
        let first = try await title(of: "house://shop/page", in: view)
        _ = try SchemeSite(["/page": "<title>second</title>"], on: engine)
        let second = try await title(of: "house://shop/page", in: view)
        let third = try await title(of: "house://shop/page", in: engine.makeView())
        try expect([first, second, third] == ["\"first\"", "\"second\"", "\"second\""], "\(first) \(second) \(third)")
        try await expectError(.schemeTaken, "another security") {
            try engine.register(CustomScheme(name: "house", isSecure: false)) { _, sink in .refusal(to: sink, "") }
        }
    }

    /// Checks that an engine can be used by two containers one after the other.
    @MainActor
    func checkContainers(_ engine: WebKitGTKEngine, in folder: String) async throws {
        for name in ["first", "second"] {
            let site = "\(folder)/\(name)"
            try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
            try Data("<title>\(name)</title>".utf8).write(to: URL(fileURLWithPath: site + "/index.html"))
            var configuration = ContainerConfiguration(directory: folder + "/store")
            configuration.network.cookies.native = .none
            configuration.pages.mode = .customScheme
            let container = try await Container(engine: engine, configuration: configuration)
            container.mount(Preview(.folder(site), over: try PackageBaseURL("https://shop.example/")))
            let page = try await container.open("https://shop.example/index.html")
            try await page.load.finished(within: .seconds(20))
            let title = try await page.view.evaluate("return document.title", in: .page)
            try expect(title == "\"\(name)\"", title)
            await container.close(page)
        }
    }

    /// Checks that scripts and elements load covered URLs whose schemes are aliases, as of the page's own origin.
    /// The element's URL reads as the https URL.
    @MainActor
    func checkAliases(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let script = """
            const request = new XMLHttpRequest(); request.open('GET', 'assets://shop.example/x'); request.send();
            request.onloadend = async () => {
              const text = await (await fetch('page://shop.example/x', { method: 'POST', body: 'b' })).text();
              const element = document.createElement('script');
              element.src = 'assets://shop.example/x.js';
              element.onload = () => document.title = [request.responseText, text, window.x, element.src];
              document.head.append(element);
            };
            """
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        // The responses have no CORS fields.
        configuration.network.transport = MemoryTransport { request in
            let (type, text) =
                switch request.path {
                case "/": ("text/html", "<!doctype html><head><script>\(script)</script>")
                case "/x.js": ("text/javascript", "window.x = 1")
                default: ("text/plain", request.method.rawValue)
                }
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.contentType: type]), body: .bytes(Data(text.utf8)))
        }
        configuration.pages.mode = .customScheme
        configuration.pages.schemeNames = SchemeNames(prefix: "containerkit", aliases: ["page", "assets"]) ?? .standard
        configuration.network.coveredHosts = ["shop.example"].compactMap { HostPattern($0) }
        let container = try await Container(engine: engine, configuration: configuration)
        let page = try await open("page://shop.example/", in: container)
        try await seeInTime(page, "document.title", #""GET,POST,1,https://shop.example/x.js""#)
        await container.shutDown()
    }

    /// Checks that engines and containers can be released during their work, for example when an app retries.
    @MainActor
    func checkDroppedEngines(in folder: String) async throws {
        for mode in [InterceptionMode.customScheme, .loopbackProxy] {
            for number in 1...6 {
                var configuration = ContainerConfiguration(directory: "\(folder)/\(mode.rawValue)-\(number)")
                configuration.network.cookies.native = .none
                configuration.pages.mode = mode
                let container = try await Container(engine: WebKitGTKEngine(), configuration: configuration)
                try expect(container.openPages.isEmpty, "a new container has pages")
            }
        }
        // The pending work of the released objects ends here. An error in it would end the process.
        let engine = try WebKitGTKEngine()
        for _ in 1...3 { _ = try await engine.cookies.all() }
        let view = try await page("<title>last</title>", in: engine)
        let title = try await view.evaluate("return document.title", in: .page)
        try expect(title == "\"last\"", title)
    }

    /// Checks that exactly the host's loads and the page's own navigations are requests for the page's document.
    @MainActor
    func checkDocuments(_ engine: WebKitGTKEngine) async throws {
        let home = "<iframe src=/frame></iframe><script>fetch('/data').then(() => fetch('/home'))</script>"
        let site = try SchemeSite(
            ["/home": home, "/frame": "<p>", "/data": "1", "/next": "<p>", "/last": "<p>"], on: engine)
        let view = try engine.makeView()
        let load = ViewLoad(of: view)
        var commits: [String] = []
        let (ends, end) = AsyncStream<Void>.makeStream()
        load.observe {
            if case .committed(let url) = $0 { commits.append(url) }
            if case .finished(let url) = $0, url == "house://shop/last" { end.yield() }
        }
        view.load("house://shop/home#part")
        try await load.finished(within: .seconds(20))
        try await site.asked(forAtLeast: 4)
        _ = try await view.evaluate("setTimeout(() => location.href = '/next', 0)", in: .page)
        try await site.asked(for: "/next")
        _ = try await site.outcome(of: "/next")
        try await load.finished(within: .seconds(20))
        _ = try await view.evaluate("setTimeout(() => location.replace('/last'), 0)", in: .page)
        for await _ in ends { break }
        let documents = site.requests.filter(\.isMainDocument).compactMap(\.head.path)
        try expect(documents == ["/home", "/next", "/last"], "documents: \(documents)")
        try expect(site.requests.allSatisfy { $0.view == view.id }, "views: \(site.requests.map(\.view))")
        try expect(
            commits == ["house://shop/home#part", "house://shop/next", "house://shop/last"], "commits: \(commits)")
    }

    /// Checks that a response whose file cannot be passed to the engine is a failure in the record and in the page.
    @MainActor
    func checkFailedHandOver(_ engine: WebKitGTKEngine, in folder: String) async throws {
        // A folder can be opened but not mapped.
        let slice = FileSlice(try OpenFile(path: folder), range: 0..<10)
        let site = try SchemeSite(bodies: ["/page": .file(slice)], on: engine)
        let view = try engine.makeView()
        let load = ViewLoad(of: view)
        view.load("house://shop/page")
        guard case .failed(let error, bytes: 0) = try await site.outcome(of: "/page") else {
            throw CheckFailure(description: "recorded as \(site.outcomes)")
        }
        try expect(error.code == .io, "\(error)")
        try await expectError(.loadFailed, "the page") { try await load.finished(within: .seconds(20)) }
    }
}
