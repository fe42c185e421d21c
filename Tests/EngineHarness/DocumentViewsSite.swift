// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

/// A site whose documents the container gives at one host, and that the engine loads itself at another host.
///
/// The engine's requests go to loopback servers, and the container's requests to memory. The counts therefore show
/// which of them has loaded a document.
final class DocumentViewsSite: Sendable {
    /// The origin of documents that the container gives, without a final slash.
    let home: String
    /// The same site at an origin that is not covered.
    let plain: String
    private let servers: [OriginServer]
    private let requests: Requests

    /// The received requests by path, and the held responses.
    private final class Requests: Sendable {
        struct State {
            var ofContainer: [String: Int] = [:]
            var ofEngine: [String: Int] = [:]
            var gates: [String: AsyncStream<Void>.Continuation] = [:]
            var cancelled: Set<String> = []
        }

        let state = Mutex(State())
    }

    /// A response of the site.
    struct Answer {
        var status = HTTPResponse.Status.ok
        var fields: HTTPFields = [.contentType: "text/html; charset=utf-8"]
        var text: String
    }

    private init(_ servers: [OriginServer], _ requests: Requests) {
        self.servers = servers
        self.requests = requests
        home = "http://127.0.0.1:\(servers[0].port)"
        plain = "http://localhost:\(servers[0].port)"
    }

    static func start() async throws -> DocumentViewsSite {
        guard let any = OriginPathPattern("/*") else { throw CheckFailure(description: "not a pattern") }
        let requests = Requests()
        let answer: @Sendable (OriginRequest) -> OriginResponse = { request in
            requests.state.withLock { $0.ofEngine[request.path, default: 0] += 1 }
            let answer = Self.answer(to: request.path, query: request.query, isPost: request.method == .post)
            return OriginResponse(answer.status, headers: answer.fields, body: .bytes(Data(answer.text.utf8)))
        }
        var servers: [OriginServer] = []
        for _ in 0..<2 {
            servers.append(
                try await OriginServer.start(
                    OriginServer.Configuration(routes: [
                        OriginRoute(.get, any) { answer($0) }, OriginRoute(.post, any) { answer($0) },
                    ])))
        }
        return DocumentViewsSite(servers, requests)
    }

    func stop() async {
        for server in servers { await server.stop() }
    }

    /// Returns the origin of another site, which is not covered. Pages at ``home`` and at ``plain`` have different
    /// ones, because both are other sites for them.
    func outside(of home: String) -> String {
        "http://\(home == self.home ? "localhost" : "127.0.0.1"):\(servers[1].port)"
    }

    /// Returns a container that gives the documents of ``home``.
    @MainActor
    func container(_ engine: WebKitGTKEngine, in folder: String) async throws -> Container<WebKitGTKEngine> {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = MemoryTransport { [self] in try await given(to: $0) }
        configuration.network.coveredHosts = ["127.0.0.1:\(servers[0].port)"].compactMap { HostPattern($0) }
        configuration.pages.mode = .document
        configuration.views.warmsUpWhenIdle = false
        return try await Container(engine: engine, configuration: configuration)
    }

    // MARK: Requests

    /// The number of the container's requests for a path.
    func ofContainer(_ path: String) -> Int { requests.state.withLock { $0.ofContainer[path, default: 0] } }

    /// The number of the engine's requests for a path.
    func ofEngine(_ path: String) -> Int { requests.state.withLock { $0.ofEngine[path, default: 0] } }

    /// Waits until the container has requested a path below `/held/`.
    @MainActor
    func waitForRequest(_ path: String) async throws {
        try await wait("no request for \(path)") { $0.gates[path] != nil }
    }

    /// Waits until the container has cancelled its request for a path below `/held/`.
    @MainActor
    func waitForCancellation(_ path: String) async throws {
        try await wait("the request for \(path) is not cancelled") { $0.cancelled.contains(path) }
    }

    /// Sends the response for a path below `/held/`.
    func release(_ path: String) { requests.state.withLock { $0.gates[path] }?.finish() }

    @MainActor
    private func wait(_ what: String, for isMet: @escaping @MainActor (Requests.State) -> Bool) async throws {
        try await withLimit(.seconds(20), what) { [requests] in
            while !isMet(requests.state.withLock { $0 }) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    private func given(to request: HTTPRequest) async throws -> TransportResponse {
        let parts = (request.path ?? "/").split(separator: "?", maxSplits: 1).map(String.init)
        let path = parts[0]
        let isHeld = path.hasPrefix("/held/")
        let (gate, continuation) = AsyncStream<Void>.makeStream()
        requests.state.withLock { state in
            state.ofContainer[path, default: 0] += 1
            if isHeld { state.gates[path] = continuation }
        }
        if isHeld {
            for await _ in gate {}
            if Task.isCancelled {
                _ = requests.state.withLock { $0.cancelled.insert(path) }
                throw CancellationError()
            }
        }
        let answer = Self.answer(to: path, query: parts.count > 1 ? parts[1] : nil)
        return TransportResponse(
            head: HTTPResponse(status: answer.status, headerFields: answer.fields),
            body: .bytes(Data(answer.text.utf8)))
    }

    // MARK: Responses

    static let binary = String(repeating: "0123456789", count: 10_000)

    private static func answer(to path: String, query: String?, isPost: Bool = false) -> Answer {
        switch path {
        case "/to", "/see":
            return Answer(
                status: path == "/to" ? .found : .seeOther,
                fields: [.location: query?.removingPercentEncoding ?? ""], text: "")
        case "/binary": return Answer(fields: [.contentType: "application/octet-stream"], text: binary)
        case "/attached":
            return Answer(
                fields: [
                    .contentType: "text/html; charset=utf-8", .contentDisposition: "attachment; filename=attached.html",
                ], text: page(path))
        case "/refresh":
            var answer = Answer(text: page(path))
            if let refresh = HTTPField.Name("Refresh") { answer.fields[refresh] = "0; url=/refreshed" }
            return answer
        case "/meta":
            return Answer(text: page(path, head: "<meta http-equiv=refresh content='0; url=/refreshed?meta'>"))
        default: return Answer(text: page(isPost ? "POST \(path)" : path))
        }
    }

    /// Returns a document whose property `loaded` has a number of its own from the end of the load on.
    static func page(_ title: String, head: String = "") -> String {
        """
        <!doctype html><html><head><title>\(title)</title>\(head)
        <script>
        self.loaded = 0;
        addEventListener('load', () => setTimeout(() => { self.loaded = 1 + Math.random() }));
        </script></head>
        <body style="height:5000px"><p>\(title)</p>
        <a id=link href="/linked?a=b&amp;c">l</a><a id=fragment href="#end">f</a>
        <a id=blank target=_blank href="/blank?q">b</a><a id=named target=other rel=noopener href="/named">n</a>
        <a id=binary download="saved.bin" href="/binary">s</a><a id=html download="saved.html" href="/saved">s</a>
        <form id=form action="/found"><input id=text name=q value="\u{E4} 1&amp;"></form>
        <form id=posted method=post action="/posted"><input name=q value=1></form>
        <form id=blankForm target=_blank action="/blank-form"><input name=q value=1></form>
        <p id=end style="margin-top:3000px">end</p></body></html>
        """
    }
}
