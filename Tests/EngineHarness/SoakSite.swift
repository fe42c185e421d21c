// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import PackageFormat
internal import PackagePublisher
internal import Prefetch
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter
internal import WebViewPool

/// A shop whose pages use packaged files, prefetched data, Blob bodies and cookies.
struct SoakSite {
    static let hosts = ["shop.example", "news.example"]
    /// The size in bytes of a body that a page sends.
    static let bodyBytes = 200_000
    /// The number of requests of a page's script, without the document.
    static let requests = 7
    let folder: String
    private let packages: [PackageBuilder.Result]

    init(folder: String) throws {
        self.folder = folder
        packages = try ["1", "2"].map { try Self.package($0, in: folder) }
    }

    func configuration(_ mode: InterceptionMode) throws -> ContainerConfiguration {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = SoakNetwork()
        configuration.pages.mode = mode
        configuration.views.pool = 3
        configuration.network.coveredHosts = Self.hosts.compactMap { HostPattern($0) }
        configuration.pages.blankPages = BlankPageOptions()
        var prefetch = PrefetchOptions()
        prefetch.table = try PrefetchTable(json: Data(Self.table.utf8))
        configuration.network.prefetch = prefetch
        return configuration
    }

    /// Installs the two versions of the package alternately.
    func update(_ container: Container<WebKitGTKEngine>, turn: Int) async throws {
        let package = packages[turn % packages.count]
        try await container.install(archive: package.archive, manifest: package.manifest)
    }

    private static var table: String {
        let pages = hosts.map { host in
            """
            {"url": "https://\(host)/", "interfaces": [
                {"api": "https://\(host)/api/ahead", "method": "GET", "urlParam": true}]}
            """
        }
        return
            #"{"code": 200, "data": {"name": "prefetchConfig", "version": "1", "config": [\#(pages.joined(separator: ","))]}}"#
    }

    private static func package(_ version: String, in folder: String) throws -> PackageBuilder.Result {
        let site = "\(folder)/site-\(version)"
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        for (path, text) in [
            "index.html": page, "a.txt": "a \(version)", "b.txt": String(repeating: "b", count: 100_000),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(site)/\(path)"))
        }
        return try PackageBuilder().build(
            site, id: PackageID("shop"), version: PackageVersion(version),
            baseURL: PackageBaseURL("https://shop.example/"), output: folder + "/packages")
    }

    static let page = """
        <!doctype html><title>soak</title><h1>Soak</h1><p>Some text to paint.</p><script>
        // In proxy mode the engine would otherwise serve some of the requests from its own cache.
        const options = { cache: location.protocol === 'https:' ? 'no-store' : 'default' };
        const text = async (path, init = options) => (await fetch(path, init)).text();
        const run = async () => {
            localStorage.count = Number(localStorage.count ?? 0) + 1;
            const body = new Blob(['x'.repeat(\(bodyBytes))]);
            const [a, b, ahead, cached, echoed, form] = await Promise.all([
                text('/a.txt'), text('/b.txt'), text('/api/ahead' + location.search, {}), text('/api/cached'),
                fetch('/echo', { method: 'POST', body }).then(reply => reply.text()),
                fetch('/echo', { method: 'POST', body: new URLSearchParams({ a: '1' }) }).then(reply => reply.text()),
            ]);
            // The cookie is set after the other requests, because a prefetched response requires unchanged cookies.
            document.cookie = 'seen=' + Date.now() + '; path=/; max-age=60';
            const cookies = await text('/api/cookies');
            const isWhole = a.length > 0 && b.length > 0 && ahead === 'ahead' && cached === 'cached';
            return [isWhole, Number(echoed), Number(form), cookies.includes('seen=')];
        };
        const done = run();
        </script>
        """
}

/// The servers of the pages.
private struct SoakNetwork: HTTPTransporting {
    let capabilities: TransportCapabilities = []

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        let path = request.path.map { $0.prefix { $0 != "?" } } ?? ""
        switch path {
        case "/": return .page(SoakSite.page)
        case "/echo": return .page(String(try await body.collect(upTo: 1 << 20).count), type: "text/plain")
        case "/api/ahead": return .page("ahead", type: "text/plain")
        case "/api/cookies": return .page(request.headerFields[.cookie] ?? "", type: "text/plain")
        case "/api/cached":
            var response = TransportResponse.page("cached", type: "text/plain")
            response.head.headerFields[.cacheControl] = "max-age=60"
            return response
        default: return .page("other \(path)", type: "text/plain")
        }
    }
}
