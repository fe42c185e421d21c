// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import HTTPTypes
internal import OfflinePackage
internal import PackageFormat
internal import PackagePublisher
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

/// A covered site on a loopback server for pages in document mode, with a package below `/app/`.
struct DocumentSite {
    let origin: OriginServer
    private let requests: RequestList

    /// The received requests.
    private final class RequestList: Sendable {
        let all = Mutex<[OriginRequest]>([])
    }

    static func start() async throws -> DocumentSite {
        guard let any = OriginPathPattern("/*") else { throw CheckFailure(description: "not a pattern") }
        let requests = RequestList()
        let answer: @Sendable (OriginRequest) -> OriginResponse = { request in
            requests.all.withLock { $0.append(request) }
            return response(to: request)
        }
        let origin = try await OriginServer.start(
            OriginServer.Configuration(routes: [
                OriginRoute(.get, any) { answer($0) }, OriginRoute(.post, any) { answer($0) },
            ]))
        return DocumentSite(origin: origin, requests: requests)
    }

    private static func response(to request: OriginRequest) -> OriginResponse {
        switch request.path {
        case "/redirect": return OriginResponse(.found, headers: [.location: "/b?redirected", .setCookie: "hop=1"])
        case "/login": return OriginResponse(.seeOther, headers: [.location: "/account"])
        case "/cookies": return .text(request.headers[.cookie] ?? "", type: "text/plain")
        case "/plain": return .text("not a document", type: "text/plain")
        case "/echo": return .text("\(request.body.count)", type: "text/plain")
        default:
            var response = OriginResponse.text(page(request.path), type: "text/html; charset=utf-8")
            response.headers[.setCookie] = "document=1; HttpOnly"
            if request.path == "/policy" {
                response.headers[.contentSecurityPolicy] = "script-src 'self' 'nonce-a'; img-src 'none'"
            }
            return response
        }
    }

    private static func page(_ name: String) -> String {
        """
        <!doctype html><html lang=en><head class=h><title>\(name)</title>
        <script nonce=a src="/app/packaged.js"></script></head>
        <body style="height:5000px"><a id=link href="/b">b</a><form id=form action="/c"><input name=q value=1></form>
        \(name == "/frames" ? "<iframe id=frame src='/inner'></iframe><iframe src='/app/'></iframe>" : "")
        <p id=end style="margin-top:3000px">end</p></body></html>
        """
    }

    /// The number of requests for a path.
    func count(_ path: String) -> Int { requests.all.withLock { $0.count { $0.path == path } } }

    /// The header fields of the last request for a path.
    func fields(_ path: String) -> HTTPFields? { requests.all.withLock { $0.last { $0.path == path }?.headers } }

    var url: String { "http://127.0.0.1:\(origin.port)" }

    /// Returns a container with the mode `document` that covers the site.
    @MainActor
    func container(_ engine: WebKitGTKEngine, in folder: String) async throws -> Container<WebKitGTKEngine> {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = .document
        configuration.network.coveredHosts = ["127.0.0.1:\(origin.port)", "localhost:\(origin.port)"]
            .compactMap { HostPattern($0) }
        // Pages may show documents of the host that was opened only.
        configuration.pages.requests.hosts = []
        let container = try await Container(engine: engine, configuration: configuration)
        try await Self.install(
            ["packaged.js": "globalThis.packaged = document.currentScript.src;", "index.html": Self.page("packaged")],
            at: "\(url)/app/", isComplete: false, into: container, folder)
        return container
    }

    /// Installs a package with the given files.
    @MainActor
    static func install(
        _ files: [String: String], at base: String, isComplete: Bool, into container: Container<WebKitGTKEngine>,
        _ folder: String
    ) async throws {
        let site = "\(folder)/site-\(files.count)"
        for (path, text) in files {
            let file = URL(fileURLWithPath: "\(site)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let package = try PackageBuilder().build(
            site, id: PackageID("site-\(files.count)"), version: PackageVersion("1"), baseURL: PackageBaseURL(base),
            isComplete: isComplete, output: "\(folder)/packages")
        try await container.install(archive: package.archive, manifest: package.manifest)
    }
}

/// A page whose navigations a check waits for.
@MainActor
struct DocumentPage {
    let page: Page<WebKitGTKView>
    private let loads: AsyncStream<String>

    init(_ page: Page<WebKitGTKView>) {
        self.page = page
        let (loads, load) = AsyncStream<String>.makeStream()
        self.loads = loads
        page.load.observe { signal in
            switch signal {
            case .finished(let url): load.yield(url)
            case .failed(_, let error): load.yield("\(error)")
            case .stopped: load.yield("stopped")
            default: break
            }
        }
    }

    /// Returns the JSON result of a script.
    func run(_ script: String) async throws -> String { try await page.view.evaluate(script, in: .page) }

    /// Waits until the page is scrolled to a position. The adapter scrolls when the load has ended.
    func waitForScroll(to y: Int) async throws {
        try await wait(for: "scrollY === \(y)", "the page is not scrolled to \(y)")
    }

    /// Waits until an expression of the page is true.
    func wait(for condition: String, _ what: String) async throws {
        try await withLimit(.seconds(20), what) {
            _ = try await run(
                """
                await new Promise(done => {
                    const look = () => \(condition) ? done() : setTimeout(look, 10);
                    look();
                });
                """)
        }
    }

    /// Runs a script that navigates, and waits for the end of the load.
    /// - Returns: the URL of the document, the error, or `stopped`. The engine also finishes a load that was stopped.
    func navigate(_ script: String) async throws -> String {
        _ = try await run("setTimeout(() => { \(script) })")
        return try await withLimit(.seconds(20), "no load after \(script)") { [loads] in
            var isStopped = false
            for await url in loads {
                if isStopped || url != "stopped" { return isStopped ? "stopped" : url }
                isStopped = true
            }
            throw CancellationError()
        }
    }
}
