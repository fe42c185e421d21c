// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Testing) internal import ContainerKit
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
        // The engine itself makes the requests of scripts in document mode.
        if mode != .document {
            let fetched = try await page.view.evaluate(
                """
                const flags = await (await fetch('/flags.json')).json();
                const marked = await fetch('/marked');
                const cut = await fetch('/cut.png').then(answer => answer.status, error => error.name);
                const gone = await fetch('/gone.png').then(answer => answer.status, error => error.name);
                return [flags.flags, await marked.text(), marked.headers.get('X-Rule'), cut, gone].join();
                """, in: .page)
            try expect(fetched == #""8,the network,10,TypeError,410""#, "the requests of scripts: \(fetched)")
            let build = HTTPField.Name("X-Build").flatMap { name in
                requests.withLock { $0.first { $0.path == "/marked" }?.headerFields[name] }
            }
            try expect(build == "9", "the server received \(build ?? "no field")")
        }
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
