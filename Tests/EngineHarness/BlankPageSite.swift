// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import OfflinePackage
internal import PackageFormat
internal import PackagePublisher
internal import ResourceLoading
internal import SchemeRouter
internal import WebKitGTKAdapter

/// A package with several versions, and a network in memory.
@MainActor
final class BlankPageSite {
    static let url = "https://shop.example/index.html"
    static let throwing = "<!doctype html><div id=app></div><script>throw new Error('boot')</script>"
    nonisolated static let incomplete = "<!doctype html><div id=app></div><script src=/gone.js></script>"
    let folder: String
    let network: BlankPageNetwork

    init(folder: String) {
        self.folder = folder
        network = BlankPageNetwork(packages: folder + "/packages")
    }

    static func good(_ title: String) -> String { "<!doctype html><title>\(title)</title><p>All is well." }

    var configuration: ContainerConfiguration {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = MemoryTransport { [network] in try await network.answer($0) }
        configuration.views.warmsUpWhenIdle = false
        configuration.network.coveredHosts = ["shop.example", "*.shop.example"].compactMap { .init($0) }
        return configuration
    }

    @discardableResult
    func publish(
        _ version: String, _ html: String, _ others: [String: String] = [:], id: String = "shop",
        base: String = "https://shop.example/"
    ) throws -> PackageBuilder.Result {
        let site = "\(folder)/site-\(id)-\(version)"
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        for (name, text) in others.merging(["index.html": html], uniquingKeysWith: { $1 }) {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(site)/\(name)"))
        }
        return try PackageBuilder().build(
            site, id: PackageID(id), version: PackageVersion(version),
            baseURL: PackageBaseURL(base), output: "\(folder)/packages")
    }

    func install(
        _ version: String, _ html: String, _ others: [String: String] = [:], into container: Container<WebKitGTKEngine>
    ) async throws {
        let package = try publish(version, html, others)
        try await container.install(archive: package.archive, manifest: package.manifest)
    }
}

/// A network with a page that fails until `repair()` is called.
final class BlankPageNetwork: Sendable {
    private struct State {
        var isMended = false
        var posts = 0
    }

    private let packages: String
    private let state = Mutex(State())

    init(packages: String) {
        self.packages = packages
    }

    var posts: Int { state.withLock { $0.posts } }

    func repair() { state.withLock { $0.isMended = true } }

    func answer(_ request: HTTPRequest) async throws -> TransportResponse {
        let name = request.path.flatMap { $0.split(separator: "/").last }.map(String.init) ?? ""
        let page = { (title: String) in TransportResponse.page("<!doctype html><title>\(title)</title><p>\(title)") }
        switch (request.authority, name) {
        case ("packages.example", _):
            return TransportResponse(
                head: HTTPResponse(status: .ok),
                body: .bytes(try Data(contentsOf: URL(fileURLWithPath: "\(packages)/\(name)"))))
        case (_, "hollow"):
            guard state.withLock({ $0.isMended }) else { throw CheckFailure(description: "no way") }
            return page("mended")
        case (_, "start"): return page("start")
        case (_, "gone.js"), (_, "gone.css"):
            return TransportResponse(head: HTTPResponse(status: .notFound), body: .empty)
        case (_, let name) where name.hasPrefix("held"):
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        case (_, let name) where QuietPages.network[name] != nil: return try QuietPages.answer(name)
        case (_, "posted"):
            if request.method == .post { state.withLock { $0.posts += 1 } }
            return page("posted")
        default: return page("network")
        }
    }
}
