// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Testing) internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// The actions of route rules and the content of the app, with a network in memory.
extension EngineCheck {
    private static let rules = """
        {"format": 1, "rules": [
          {"action": "block", "glob": "/cut.png"},
          {"action": "block", "glob": "/gone.png", "status": 410},
          {"action": "redirect", "glob": "/old.js", "to": "{scheme}://{authority}/new.js"},
          {"action": "respond", "glob": "/flags.js", "fields": {"Content-Type": "text/javascript"},
           "body": "globalThis.flags = 7"},
          {"action": "respond", "glob": "/flags.json", "fields": {"Content-Type": "application/json"},
           "body": "{\\"flags\\":8}"},
          {"action": "setHeaders", "glob": "/marked", "request": {"X-Build": "9"}, "response": {"X-Rule": "10"}},
          {"action": "block", "glob": "/chat"}
        ]}
        """

    private static let page = """
        <!DOCTYPE html><title>rules</title>
        <script>globalThis.failed = []</script>
        <img src="/cut.png" onerror="failed.push('cut')"><img src="/gone.png" onerror="failed.push('gone')">
        <script src="/old.js"></script><script src="/flags.js"></script>
        """

    /// Checks that a page gets blocked, redirected, fixed and changed responses.
    /// - Parameter arguments: The mode.
    @MainActor
    func checkRuleActions(
        _ engine: WebKitGTKEngine, _ arguments: ArraySlice<String>, in folder: String
    ) async throws {
        let mode = try checkedMode(arguments)
        let requests = Mutex<[HTTPRequest]>([])
        let rules = try RouteRules(json: Data(Self.rules.utf8))
        let container = try await container(engine, mode, in: folder) { configuration in
            configuration.network.rules = rules
        } answer: { request in
            requests.withLock { $0.append(request) }
            switch request.path {
            case "/": return .page(Self.page)
            case "/new.js": return .page("globalThis.moved = true", type: "text/javascript")
            default: return .page("the network")
            }
        }
        var records: [RequestRecord] = []
        container.observe { if case .request(let record) = $0 { records.append(record) } }
        let page = try await open("https://shop.example/", in: container)
        let seen = try await page.view.evaluate("return [failed.sort().join(), moved, flags].join()", in: .page)
        try expect(seen == #""cut,gone,true,7""#, "the elements of the page: \(seen)")
        let fetched = try await page.view.evaluate(
            """
            const flags = await (await fetch('/flags.json')).json();
            const marked = await fetch('/marked').catch(() => null);
            const cut = await fetch('/cut.png').then(answer => answer.status, error => error.name);
            const gone = await fetch('/gone.png').then(answer => answer.status, error => error.name);
            return [flags.flags, await marked?.text(), marked?.headers.get('X-Rule'), cut, gone].join();
            """, in: .page)
        // In document mode the engine itself requests what has changed fields; this host does not exist.
        let isEngine = mode == .document
        try expect(
            fetched == (isEngine ? #""8,,,TypeError,410""# : #""8,the network,10,TypeError,410""#),
            "the requests of scripts: \(fetched)")
        let build = HTTPField.Name("X-Build").flatMap { name in
            requests.withLock { $0.first { $0.path == "/marked" }?.headerFields[name] }
        }
        try expect(isEngine || build == "9", "the server received \(build ?? "no field")")
        if mode == .proxy || mode == .server {
            let socket = try await page.view.evaluate(
                """
                const scheme = location.protocol === 'https:' ? 'wss://' : 'ws://';
                const socket = new WebSocket(scheme + location.host + '/chat');
                return await new Promise(done => {
                    socket.onopen = () => done('open');
                    socket.onerror = () => done('refused');
                });
                """, in: .page)
            try expect(socket == #""refused""#, "the WebSocket is \(socket)")
            let statuses = records.filter { $0.url.hasSuffix("/chat") }.map(\.status)
            try expect(statuses == [.forbidden], "the WebSocket got \(statuses)")
        }
        let paths = requests.withLock { Set($0.map { $0.path ?? "" }) }
        for path in ["/cut.png", "/gone.png", "/old.js", "/flags.js", "/flags.json", "/chat"] {
            try expect(!paths.contains(path), "\(path) reached the server")
        }
        await container.shutDown()
    }

    private static let actionsOfDocuments = """
        {"format": 1, "rules": [
          {"action": "block", "glob": "/cut/**"},
          {"action": "intercept", "glob": "/cut/kept"},
          {"action": "block", "glob": "/gone", "status": 410},
          {"action": "respond", "glob": "/fixed", "status": 503, "fields": {"Content-Type": "text/html; charset=utf-8"},
           "body": "<!doctype html><title>fixed</title>"},
          {"action": "respond", "glob": "/data", "fields": {"Content-Type": "application/json"}, "body": "{}"},
          {"action": "redirect", "glob": "/old", "to": "{scheme}://{authority}/c"},
          {"action": "block", "host": "*.ads.example:8443", "expression": "(/[a-z]{2})?/(a|b)[^\\\\w%.]*x{2,3}"},
          {"action": "block", "host": "ads.example", "expression": "/(a?)*b(c(d|e)){1,2}"},
          {"action": "block", "host": "ads.example", "expression": ".+/[\\\\w-]+\\\\.js", "pages": ["ads.example/a/**"]}
        ]}
        """

    /// Checks that rules decide in document mode on documents, and that the engine requests nothing that they block.
    /// The engine must accept the content rules of all kinds of patterns.
    @MainActor
    func checkDocumentRules(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let site = try await DocumentSite.start()
        let container = try await site.container(engine, in: folder)
        let page = DocumentPage(try await open("\(site.url)/b", in: container))
        let first = try await page.run("return (await fetch('/cut/open')).ok")
        try expect(first == "true" && site.count("/cut/open") == 1, "without rules: \(first)")
        // The next document has the new rules.
        container.setRules(try RouteRules(json: Data(Self.actionsOfDocuments.utf8)))
        let moved = try await page.navigate("location.href = '/old'")
        try expect(moved == "\(site.url)/c" && site.count("/old") == 0, "the redirect leads to \(moved)")
        let seen = try await page.run(
            """
            const outcome = promise => promise.then(() => 'open', () => 'cut');
            const add = (name, src) => new Promise((done, fail) => {
                const element = document.createElement(name);
                element.onload = done;
                element.onerror = fail;
                element.src = src;
                document.body.append(element);
            });
            const worker = new Promise((_, fail) => { new Worker('/cut/worker.js').onerror = fail; });
            const socket = new Promise((done, fail) => {
                const socket = new WebSocket(`ws://${location.host}/cut/socket`);
                socket.onopen = done;
                socket.onerror = fail;
            });
            navigator.sendBeacon('/cut/beacon', 'x');
            document.body.append(Object.assign(document.createElement('iframe'), { src: '/cut/frame' }));
            await add('iframe', '/inner');
            return (await Promise.all([
                fetch('/cut/kept'), fetch('/cut/fetch'), fetch('/cut/post', { method: 'POST', body: 'x' }),
                add('script', '/cut/script.js'), add('img', '/cut/image.png'), worker, socket,
            ].map(outcome))).join();
            """)
        try expect(seen == #""open,cut,cut,cut,cut,cut,cut""#, "the requests of the page: \(seen)")
        for name in ["fetch", "post", "script.js", "image.png", "worker.js", "socket", "beacon", "frame"] {
            try expect(site.count("/cut/\(name)") == 0, "\(name) reached the server")
        }
        try expect(site.count("/cut/kept") == 1 && site.count("/inner") == 1, "other requests are blocked")
        let gone = try await page.navigate("location.href = '/gone'")
        let text = try await page.run("return document.body.textContent")
        try expect(gone == "\(site.url)/gone" && text == "\"\"", "the blocked document: \(gone), \(text)")
        _ = try await page.navigate("location.href = '/fixed'")
        let title = try await page.run("return document.title")
        try expect(title == #""fixed""#, "the document of a rule: \(title)")
        for path in ["/cut/page", "/data"] {
            let other = DocumentPage(try await open("\(site.url)/b", in: container))
            let end = try await other.navigate("location.href = '\(path)'")
            let place = try await other.run("return location.href")
            try expect(end.hasPrefix("blocked") && place == "\"\(site.url)/b\"", "\(path): \(end), \(place)")
        }
        for path in ["/gone", "/fixed", "/cut/page", "/data"] {
            try expect(site.count(path) == 0, "\(path) reached the server")
        }
        await container.shutDown()
        await site.origin.stop()
    }

    /// Checks that a page shows an image of the app, which is not requested from the server.
    /// - Parameter arguments: The mode.
    @MainActor
    func checkHostContent(
        _ engine: WebKitGTKEngine, _ arguments: ArraySlice<String>, in folder: String
    ) async throws {
        let mode = try checkedMode(arguments)
        let urls = Mutex<[String]>([])
        guard let host = HostPattern("shop.example"),
            let images = HostContent(
                "images", for: [host], contains: { $0.path?.hasPrefix("/images/") == true }, loader: StoredImage())
        else { throw CheckFailure(description: "no content") }
        let container = try await container(engine, mode, in: folder) { configuration in
            configuration.network.hostContent = [images]
        } answer: { request in
            urls.withLock { $0.append(request.urlText) }
            return .page("<!DOCTYPE html><img id=cup src='/images/cup.svg'><img id=lost src='/images/lost.svg'>")
        }
        let page = try await open("https://shop.example/", in: container)
        let widths = try await page.view.evaluate("return [cup.naturalWidth, lost.naturalWidth].join()", in: .page)
        try expect(widths == #""7,0""#, "the images have the widths \(widths)")
        let seen = urls.withLock { $0 }
        try expect(!seen.contains("https://shop.example/images/cup.svg"), "requests: \(seen)")
        // The server gets the request for an image that the app cannot read.
        try expect(seen.contains("https://shop.example/images/lost.svg"), "requests: \(seen)")
        await container.shutDown()
    }

    private func checkedMode(_ arguments: ArraySlice<String>) throws -> CheckedMode {
        guard let mode = arguments.first.flatMap({ CheckedMode(rawValue: $0) }) else {
            throw CheckFailure(description: "specify a mode: \(CheckedMode.names)")
        }
        return mode
    }

    @MainActor
    private func container(
        _ engine: WebKitGTKEngine, _ mode: CheckedMode, in folder: String,
        change: (inout ContainerConfiguration) -> Void,
        answer: @escaping @Sendable (HTTPRequest) async throws -> TransportResponse
    ) async throws -> Container<WebKitGTKEngine> {
        var configuration = mode.configuration(ContainerConfiguration(directory: folder + "/store"))
        configuration.network.transport = MemoryTransport(answer: answer)
        configuration.views.warmsUpWhenIdle = false
        configuration.network.coveredHosts = ["shop.example"].compactMap { HostPattern($0) }
        change(&configuration)
        return try await Container(engine: engine, configuration: configuration)
    }
}

/// An app that has stored one image and lost another.
private struct StoredImage: ResourceLoader {
    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard request.head.path == "/images/cup.svg" else { throw ResourceError(.io, "the image is lost") }
        let image = "<svg xmlns='http://www.w3.org/2000/svg' width='7' height='7'/>"
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "image/svg+xml"]),
            body: .bytes(Data(image.utf8)), provenance: Provenance(.memory, reason: "cup"))
    }
}
